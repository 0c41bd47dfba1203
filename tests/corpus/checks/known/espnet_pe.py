# check_table(m.pos_enc, d=32, base=1e4, layout="interleaved")
# call: m.pos_enc(torch.zeros(1, n, 32))[0]

class PositionalEncoding(torch.nn.Module):
    def __init__(self, d_model=32, max_len=5000):
        super().__init__()
        self.d_model = d_model
        self.xscale = 1.0
        self.pe = None
        self.extend_pe(max_len)

    def extend_pe(self, length):
        if self.pe is not None and self.pe.size(1) >= length:
            return
        pe = torch.zeros(length, self.d_model)
        position = torch.arange(0, length, dtype=torch.float32).unsqueeze(1)
        even = torch.arange(0, self.d_model, 2, dtype=torch.float32)
        div_term = torch.exp(even * -(math.log(10000.0) / self.d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.pe = pe.unsqueeze(0)

    def forward(self, x):
        self.extend_pe(x.size(1))
        return x * self.xscale + self.pe[:, : x.size(1)]


pos_enc = PositionalEncoding()
