# check_table(m.table, d=32, base=1e4, layout="interleaved")
# call: m.table(n)

class PositionalEncoding(nn.Module):
    "Implement the PE function."

    def __init__(self, d_model=32, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        pe = pe.unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)].requires_grad_(False)
        return x


module = PositionalEncoding()


def table(max_len, d_model=32):
    return PositionalEncoding(d_model, max_len).pe[0]
