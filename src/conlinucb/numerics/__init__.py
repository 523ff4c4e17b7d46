"""Numbers: how kernels compile, linear algebra, the tie rule, short lists, checks of values."""
