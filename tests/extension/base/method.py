"""What a base of the frequencies does; none of it is a method."""

NO_METHOD = {
    "cosine_sum": "a property of frequencies",
    "critical_dimension": "a property of frequencies",
    "first_negative": "a property of frequencies",
    "smallest_base": "a base for geometric_freqs",
}
