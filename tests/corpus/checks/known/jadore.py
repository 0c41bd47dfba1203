# check_table(m.get_sinusoid_encoding_table, d=32, base=1e4, layout="interleaved")
# call: m.get_sinusoid_encoding_table(n)

def get_sinusoid_encoding_table(n_position, d_hid=32):
    """Sinusoid position encoding table, with numpy"""

    def get_position_angle_vec(position):
        return [position / np.power(10000, 2 * (hid_j // 2) / d_hid) for hid_j in range(d_hid)]

    sinusoid_table = np.array([get_position_angle_vec(pos_i) for pos_i in range(n_position)])
    sinusoid_table[:, 0::2] = np.sin(sinusoid_table[:, 0::2])
    sinusoid_table[:, 1::2] = np.cos(sinusoid_table[:, 1::2])
    return torch.FloatTensor(sinusoid_table)
