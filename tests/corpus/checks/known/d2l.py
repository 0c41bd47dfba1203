# check_table(m.encode, d=32, base=1e4, layout="interleaved")
# call: m.encode(n)
# n: 300

def encode(num_steps, num_hiddens=32):
    P = [[0.0] * num_hiddens for _ in range(num_steps)]
    for pos in range(num_steps):
        for i in range(num_hiddens // 2):
            angle = pos / 10000 ** (2 * i / num_hiddens)
            P[pos][2 * i] = math.sin(angle)
            P[pos][2 * i + 1] = math.cos(angle)
    return torch.tensor(P)
