# check_table(m.table, d=32, base=1e4, layout="half", exponent="i/(d/2 - 1)", first=0)
# formula: layout="half", exponent="i/(d/2 - 1)"
# call: m.table(n, 32)
# n: 2100

def get_timing_signal_1d(length, channels, min_timescale=1.0, max_timescale=1.0e4, start_index=0):
    position = np.arange(length, dtype=np.float32) + start_index
    num_timescales = channels // 2
    log_timescale_increment = math.log(float(max_timescale) / float(min_timescale)) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * np.exp(np.arange(num_timescales, dtype=np.float32) * -log_timescale_increment)
    scaled_time = np.expand_dims(position, 1) * np.expand_dims(inv_timescales, 0)
    signal = np.concatenate([np.sin(scaled_time), np.cos(scaled_time)], axis=1)
    signal = np.pad(signal, [[0, 0], [0, channels % 2]])
    return signal.reshape([1, length, channels])


def table(n, d):
    return get_timing_signal_1d(n, d)[0]
