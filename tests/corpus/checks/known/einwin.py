# check_window(m.rel_pos_indices, order="swin")
# call: m.rel_pos_indices((3, 5))

class WindowIndex(nn.Module):
    def __init__(self, window_size=(3, 5)):
        super().__init__()
        h, w = window_size
        grid = torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij'))
        grid = rearrange(grid, 'c i j -> (i j) c')
        rel_pos = rearrange(grid, 'i ... -> i 1 ...') - rearrange(grid, 'j ... -> 1 j ...')
        rel_pos += torch.tensor([h - 1, w - 1])
        rel_pos_indices = (rel_pos * torch.tensor([2 * w - 1, 1])).sum(dim=-1)
        self.register_buffer('rel_pos_indices', rel_pos_indices, persistent=False)


def rel_pos_indices(window_size):
    return WindowIndex(window_size).rel_pos_indices
