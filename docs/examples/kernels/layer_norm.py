"""Layer normalisation in NumPy, for `xformer-bench --kernel layer_norm.py --fn layer_norm_forward`."""
import numpy as np


def layer_norm_forward(x, gamma, beta, eps, y, mean, rstd):
    mean[:] = x.mean(axis=1)
    rstd[:] = 1 / np.sqrt(x.var(axis=1) + eps)
    y[:] = gamma * (x - mean[:, None]) * rstd[:, None] + beta
