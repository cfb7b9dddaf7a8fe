"""Layer normalisation in Triton, a program for each row. Without a GPU:
    TRITON_INTERPRET=1 xformer-bench --kernel layer_norm_triton.py --fn layer_norm_forward
"""
import torch  # noqa: F401: its tensors are what the kernel is given
import triton
import triton.language as tl


@triton.jit
def row_kernel(x, gamma, beta, y, mean, rstd, D, eps, WIDTH: tl.constexpr):
    n = tl.program_id(0)
    d = tl.arange(0, WIDTH)
    inside = d < D
    row = tl.load(x + n * D + d, mask=inside, other=0).to(tl.float32)
    m = tl.sum(row) / D
    centred = tl.where(inside, row - m, 0)
    r = 1 / tl.sqrt(tl.sum(centred * centred) / D + eps)
    scaled = centred * r * tl.load(gamma + d, mask=inside) + tl.load(beta + d, mask=inside)
    tl.store(y + n * D + d, scaled, mask=inside)
    tl.store(mean + n, m)
    tl.store(rstd + n, r)


def layer_norm_forward(x, gamma, beta, eps, y, mean, rstd, N, D):
    row_kernel[(N,)](x, gamma, beta, y, mean, rstd, D, eps, WIDTH=triton.next_power_of_2(D))
