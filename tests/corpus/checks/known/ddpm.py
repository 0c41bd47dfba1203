# check_table(m.timestep_embedding, d=32)
# formula: layout="half", cos_first=True
# call: m.timestep_embedding(torch.arange(n))

def timestep_embedding(timesteps, dim=32, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32) / half)
    args = timesteps[:, None].float() * freqs[None]
    embedding = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
    return embedding
