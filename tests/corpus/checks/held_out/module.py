# check_table(m.module, d=32, base=1e4, layout="interleaved", exponent="2i/d", first=0)
# call: m.module(torch.zeros(2, n, 32))[1]
# n: 2100

class PositionalEncoding(nn.Module):
    def __init__(self, d_model=32, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        """x: [batch_size, seq_len, embedding_dim]"""
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


module = PositionalEncoding().eval()
