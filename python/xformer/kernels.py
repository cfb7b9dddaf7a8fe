"""The engine's kernels on arrays, to check or to time your own kernels.

Inputs: CPU arrays of NumPy or any library that supports DLPack, in float32, float64 or bfloat16, one type per call.
Inputs are not copied, unless their rows have gaps. Outputs: NumPy arrays; for bfloat16, which NumPy lacks, objects for
torch.from_dlpack. float64 inputs compute in float64, others in float32, as do statistics, losses and gradients of
parameters. kernels/NAME.h defines each kernel, and docs/derivations derives it.
"""

from __future__ import annotations

from typing import Any, Optional, Protocol, Union

import numpy as np
from numpy.typing import NDArray

from . import _xformer


class SupportsDLPack(Protocol):
    """An array of a library that supports DLPack."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


Array = Union[NDArray[Any], SupportsDLPack]
Result = NDArray[Any]

__all__ = [
    "activation", "activation_backward", "attention", "attention_backward", "attention_weights", "cross_entropy",
    "gated_activation", "gated_activation_backward", "gelu", "layer_norm", "layer_norm_backward", "linear", "linear_backward",
    "log_softmax_top_k", "matmul", "relu", "rms_norm", "rms_norm_backward", "rotary", "rotary_backward", "softmax",
    "softmax_backward", "swish",
]


def softmax(scores: Array, *, lengths: Optional[Array] = None, causal: bool = False,
            mask: Optional[Array] = None) -> Result:
    """p_j = exp(s_j) / sum_k exp(s_k) over the last axis of scores, [B, H, Sq, Sk] or fewer axes.

    Of sentence b, the keys j < lengths[b] count; causal: of query i, those with j <= i; mask [B, Sq, Sk], int: those that are
    not 0. A row without any is zero.
    """
    return _xformer.softmax(scores, lengths, causal, mask)


def softmax_backward(dp: Array, p: Array) -> Result:
    """ds = p (dp - sum_k p_k dp_k)."""
    return _xformer.softmax_backward(dp, p)


def layer_norm(x: Array, gamma: Array, beta: Array, *, eps: float = 1e-5) -> tuple[Result, Result, Result]:
    """y = gamma (x - mean) rstd + beta over the last axis; mean and rstd are for backward. -> y, mean, rstd"""
    return _xformer.layer_norm(x, gamma, beta, eps)


def layer_norm_backward(dy: Array, x: Array, gamma: Array, mean: Array, rstd: Array) -> tuple[Result, Result, Result]:
    """-> dx, dgamma, dbeta"""
    return _xformer.layer_norm_backward(dy, x, gamma, mean, rstd)


def rms_norm(x: Array, gamma: Array, *, eps: float = 1e-6) -> tuple[Result, Result]:
    """y = gamma x rstd with rstd = 1 / sqrt(mean(x^2) + eps) over the last axis. -> y, rstd"""
    return _xformer.rms_norm(x, gamma, eps)


def rms_norm_backward(dy: Array, x: Array, gamma: Array, rstd: Array) -> tuple[Result, Result]:
    """-> dx, dgamma"""
    return _xformer.rms_norm_backward(dy, x, gamma, rstd)


def attention(q: Array, k: Array, v: Array, *, heads: int = 1, causal: bool = False, scale: Optional[float] = None,
              query_offsets: Optional[Array] = None,
              key_offsets: Optional[Array] = None) -> tuple[Result, Optional[Result]]:
    """o = softmax(scale q k^T) v for each sentence and head; head h is columns h D/heads to (h+1) D/heads.

    q [B, S, D] and k, v [B, Sk, D] of sentences of equal length; or packed, q [T, D] and k, v [Tk, D], sentence b being rows
    offsets[b] to offsets[b + 1], int; without offsets one sentence. key_offsets default to query_offsets, scale to
    1 / sqrt(D / heads). -> o, and lse [heads, T], the log-sum-exp of the scores, which backward needs; None where no sentence
    has more than 64 keys, which backward computes again. k and v may have fewer heads, whose number divides that of q's: the
    first heads / Hk of them share key head 0, and so on (grouped queries).
    """
    return _xformer.attention(q, k, v, heads, causal, scale, query_offsets, key_offsets)


def attention_backward(do: Array, q: Array, k: Array, v: Array, o: Array, lse: Optional[Array], *, heads: int = 1,
                       causal: bool = False, scale: Optional[float] = None, query_offsets: Optional[Array] = None,
                       key_offsets: Optional[Array] = None) -> tuple[Result, Result, Result]:
    """o and lse as attention() returned them, with the same options. -> dq, dk, dv"""
    return _xformer.attention_backward(do, q, k, v, o, lse, heads, causal, scale, query_offsets, key_offsets)


def attention_weights(q: Array, k: Array, *, heads: int = 1, causal: bool = False, scale: Optional[float] = None,
                      query_offsets: Optional[Array] = None, key_offsets: Optional[Array] = None) -> Result:
    """The probabilities [B, heads, Sq, Sk], for the longest sentences; zero beyond a sentence."""
    return _xformer.attention_weights(q, k, heads, causal, scale, query_offsets, key_offsets)


def cross_entropy(logits: Array, targets: Array, *, label_smoothing: float = 0,
                  ignore_id: int = -1) -> tuple[float, float, Result]:
    """Cross-entropy over the last axis of logits [..., V], for targets [...], int; targets equal to ignore_id do not count.

    -> the sum of the losses with label smoothing, without, in nats, and dlogits of the first
    """
    return _xformer.cross_entropy(logits, targets, label_smoothing, ignore_id)


def matmul(a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False) -> Result:
    """The product of two matrices, each optionally transposed."""
    return _xformer.matmul(a, b, transpose_a, transpose_b)


def linear(x: Array, w: Array, bias: Optional[Array] = None) -> Result:
    """y = x w^T + bias for x [..., K], w [M, K], bias [M]."""
    return _xformer.linear(x, w, bias)


def linear_backward(dy: Array, x: Array, w: Array, *, bias: bool = True) -> tuple[Result, Result, Optional[Result]]:
    """-> dx, dw, and dbias, or None for bias=False"""
    return _xformer.linear_backward(dy, x, w, bias)


def activation(x: Array, function: str, bias: Optional[Array] = None) -> Result:
    """f(x + bias) for x [..., F], bias [F]; function: "relu", "gelu" (with erf) or "swish" (also called SiLU)."""
    return _xformer.activation(x, function, bias)


def activation_backward(da: Array, x: Array, function: str, bias: Optional[Array] = None) -> tuple[Result, Result]:
    """-> dx, dbias"""
    return _xformer.activation_backward(da, x, function, bias)


def relu(x: Array) -> Result:
    """max(0, x)"""
    return activation(x, "relu")


def gelu(x: Array) -> Result:
    """x Phi(x), Phi the normal distribution: the exact form, with erf"""
    return activation(x, "gelu")


def swish(x: Array) -> Result:
    """x sigmoid(x)"""
    return activation(x, "swish")


def gated_activation(gate: Array, up: Array, function: str) -> Result:
    """f(gate) up, of one shape; function "swish" makes it SwiGLU, "gelu" GEGLU, "relu" ReGLU."""
    return _xformer.gated_activation(gate, up, function)


def gated_activation_backward(dy: Array, gate: Array, up: Array, function: str) -> tuple[Result, Result]:
    """-> dgate, dup"""
    return _xformer.gated_activation_backward(dy, gate, up, function)


def rotary(x: Array, positions: Optional[Array] = None, *, heads: int = 1, base: float = 10000) -> Result:
    """x [..., S, D] with each head's columns i and i + P, P being half a head, rotated by positions * base^(-i / P).

    positions, int, of every row; without them rows are numbered along the last axis but one.
    """
    return _xformer.rotary(x, positions, heads, base)


def rotary_backward(dy: Array, positions: Optional[Array] = None, *, heads: int = 1, base: float = 10000) -> Result:
    """-> dx"""
    return _xformer.rotary_backward(dy, positions, heads, base)


def log_softmax_top_k(logits: Array, k: int) -> tuple[Result, Result]:
    """The k largest of log softmax(logits) over the last axis, largest first, and their ids. -> scores, ids"""
    return _xformer.log_softmax_top_k(logits, k)
