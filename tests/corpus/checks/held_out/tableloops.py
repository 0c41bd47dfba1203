# check_table(m.table, d=32, base=1e4, layout="interleaved", exponent="2i/d", first=0)
# call: m.table(n, 32)
# n: 2100

def table(n, d):
    encoding = np.zeros((n, d))
    for pos in range(n):
        for i in range(0, d, 2):
            encoding[pos, i] = np.sin(pos / 10000 ** (i / d))
            encoding[pos, i + 1] = np.cos(pos / 10000 ** (i / d))
    return encoding
