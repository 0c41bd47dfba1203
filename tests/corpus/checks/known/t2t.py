# check_table(m.get_timing_signal_1d, d=32, base=1e4, layout="half", exponent="i/(d/2 - 1)")
# formula: layout="half", exponent="x"
# call: m.get_timing_signal_1d(n)

def get_timing_signal_1d(length, channels=32, min_timescale=1.0, max_timescale=1.0e4, start_index=0):
    position = torch.arange(length).float() + start_index
    num_timescales = channels // 2
    log_timescale_increment = math.log(float(max_timescale) / float(min_timescale)) / max(num_timescales - 1, 1)
    inv_timescales = min_timescale * torch.exp(torch.arange(num_timescales).float() * -log_timescale_increment)
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.cat([torch.sin(scaled_time), torch.cos(scaled_time)], dim=1)
    return signal
