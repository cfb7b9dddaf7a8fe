"""Kernels against NumPy in float64: forward as it is written in papers, backward by central differences."""
import numpy as np
import pytest

import xformer
from xformer import kernels

rng = np.random.default_rng(1)
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-12}


def normal(*shape, dtype=np.float64):
    return rng.standard_normal(shape).astype(dtype)


def softmax64(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def close(a, b, dtype=np.float64):
    np.testing.assert_allclose(np.asarray(a, np.float64), b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def check_gradients(value_of, arrays, gradients, h=1e-6):
    """value_of(*arrays) is a number; gradients are its, by each array, all float64."""
    for array, gradient in zip(arrays, gradients):
        numeric = np.empty_like(array)
        for i in np.ndindex(array.shape):
            kept = array[i]
            array[i] = kept + h
            above = value_of(*arrays)
            array[i] = kept - h
            numeric[i] = (above - value_of(*arrays)) / (2 * h)
            array[i] = kept
        np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-7)


both = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@both
@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 4, 33)])
def test_softmax(dtype, shape):
    s = normal(*shape, dtype=dtype)
    p = kernels.softmax(s)
    assert p.shape == shape and p.dtype == dtype and isinstance(p, np.ndarray)
    close(p, softmax64(s.astype(np.float64)), dtype)


def test_softmax_masks():
    s = normal(2, 3, 4, 5)
    mask = rng.integers(0, 2, (2, 4, 5))
    mask[0, 0] = 0
    allowed = (np.arange(5) < np.array([5, 3])[:, None, None]) & (np.arange(5) <= np.arange(4)[:, None]) & (mask != 0)
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num(softmax64(np.where(allowed[:, None], s, -np.inf)))
    close(kernels.softmax(s, lengths=np.array([5, 3]), causal=True, mask=mask), expected)
    assert not kernels.softmax(s, mask=mask)[0, :, 0].any()


def test_softmax_backward():
    s, dp = normal(2, 5), normal(2, 5)
    gradient = kernels.softmax_backward(dp, kernels.softmax(s))
    check_gradients(lambda s: (softmax64(s) * dp).sum(), [s], [gradient])


@both
def test_layer_norm(dtype):
    x, gamma, beta = normal(4, 3, 31, dtype=dtype), normal(31, dtype=dtype), normal(31, dtype=dtype)
    y, mean, rstd = kernels.layer_norm(x, gamma, beta)  # eps is the engine's, 1e-5
    x64 = x.astype(np.float64)
    expected = (x64 - x64.mean(-1, keepdims=True)) / np.sqrt(x64.var(-1, keepdims=True) + np.float32(1e-5)) * gamma + beta
    close(y, expected, dtype)
    close(mean, x64.mean(-1), dtype)
    assert mean.shape == rstd.shape == (4, 3)


def test_layer_norm_backward():
    x, gamma, beta, dy = normal(3, 5), normal(5), normal(5), normal(3, 5)
    _, mean, rstd = kernels.layer_norm(x, gamma, beta)
    gradients = kernels.layer_norm_backward(dy, x, gamma, mean, rstd)
    check_gradients(lambda *a: (kernels.layer_norm(*a)[0] * dy).sum(), [x, gamma, beta], gradients)


def test_rms_norm():
    x, gamma, dy = normal(3, 5), normal(5), normal(3, 5)
    y, rstd = kernels.rms_norm(x, gamma)
    close(y, x / np.sqrt((x**2).mean(-1, keepdims=True) + np.float32(1e-6)) * gamma)
    check_gradients(lambda *a: (kernels.rms_norm(*a)[0] * dy).sum(), [x, gamma], kernels.rms_norm_backward(dy, x, gamma, rstd))


@both
@pytest.mark.parametrize("name", ["relu", "gelu", "swish"])
def test_gated_activation(dtype, name):
    gate, up = normal(2, 3, 33, dtype=dtype), normal(2, 3, 33, dtype=dtype)
    alone = kernels.activation(gate.astype(np.float64), name)
    close(kernels.gated_activation(gate, up, name), alone * up, dtype)


def test_gated_activation_backward():
    gate, up, dy = normal(3, 5), normal(3, 5), normal(3, 5)
    for name in ("relu", "gelu", "swish"):
        check_gradients(lambda *a: (kernels.gated_activation(*a, name) * dy).sum(), [gate, up],
                        kernels.gated_activation_backward(dy, gate, up, name))


def rotary64(x, positions, heads, base):
    """[S, D], as a complex number is turned."""
    pairs = x.shape[-1] // heads // 2
    turns = np.exp(1j * np.asarray(positions)[:, None] * base ** (-np.arange(pairs) / pairs))
    first, second = np.moveaxis(x.reshape(len(x), heads, 2, pairs), 2, 0)
    turned = (first + 1j * second) * turns[:, None]
    return np.stack([turned.real, turned.imag], 2).reshape(x.shape)


@both
def test_rotary(dtype):
    x = normal(2, 7, 24, dtype=dtype)
    y = kernels.rotary(x, heads=3, base=100)
    for b in range(2):
        close(y[b], rotary64(x[b].astype(np.float64), np.arange(7), 3, 100), dtype)
    places = np.array([4, 0, 9])
    close(kernels.rotary(x[0, :3], places), rotary64(x[0, :3].astype(np.float64), places, 1, 10000), dtype)


def test_rotary_backward():
    x, dy = normal(4, 12), normal(4, 12)
    check_gradients(lambda x: (kernels.rotary(x, heads=2) * dy).sum(), [x], [kernels.rotary_backward(dy, heads=2)])


def test_attention_with_fewer_key_heads():
    q, k, v, do = normal(5, 24), normal(5, 8), normal(5, 8), normal(5, 24)

    def repeated(a):
        return np.repeat(a.reshape(5, 2, 1, 4), 3, axis=2).reshape(5, 24)

    o, lse = kernels.attention(q, k, v, heads=6, causal=True)
    close(o, attention64(q, repeated(k), repeated(v), 6, True))
    check_gradients(lambda q, k, v: (kernels.attention(q, k, v, heads=6, causal=True)[0] * do).sum(), [q, k, v],
                    kernels.attention_backward(do, q, k, v, o, lse, heads=6, causal=True))


def attention64(q, k, v, heads, causal):
    """[S, D] of one sentence."""
    out = []
    for q_h, k_h, v_h in zip(*(np.split(a, heads, axis=-1) for a in (q, k, v))):
        scores = q_h @ k_h.T / np.sqrt(q_h.shape[-1])
        if causal:
            scores = np.where(np.tri(*scores.shape, dtype=bool), scores, -np.inf)
        out.append(softmax64(scores) @ v_h)
    return np.concatenate(out, -1)


@both
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [7, 100], ids=["short", "long"])
def test_attention(dtype, causal, length):
    q, k, v = (normal(2, length, 16, dtype=dtype) for _ in range(3))
    o, lse = kernels.attention(q, k, v, heads=4, causal=causal)
    assert o.shape == q.shape and (lse is None) == (length <= 64)
    for b in range(2):
        close(o[b], attention64(*(a[b].astype(np.float64) for a in (q, k, v)), 4, causal), dtype)


def test_attention_of_packed_sentences():
    q, k, v = normal(9, 8), normal(12, 8), normal(12, 8)
    options = {"heads": 2, "query_offsets": np.array([0, 4, 9]), "key_offsets": np.array([0, 5, 12])}
    o, _ = kernels.attention(q, k, v, **options)
    close(o[:4], attention64(q[:4], k[:5], v[:5], 2, False))
    close(o[4:], attention64(q[4:], k[5:], v[5:], 2, False))
    p = kernels.attention_weights(q, k, **options)
    assert p.shape == (2, 2, 5, 7) and not p[0, :, 4:].any() and not p[0, :, :, 5:].any()
    close(p[1].sum(-1), np.ones((2, 5)))


@pytest.mark.parametrize("length", [5, 70], ids=["short", "long"])
def test_attention_backward(length):
    q, k, v, do = (normal(length, 4) for _ in range(4))
    few = slice(0, length, 13)  # rows whose gradient is checked

    def value(q_few, k_few, v_few):
        a = [q.copy(), k.copy(), v.copy()]
        for array, rows in zip(a, (q_few, k_few, v_few)):
            array[few] = rows
        return (attention64(*a, 2, True) * do).sum()

    o, lse = kernels.attention(q, k, v, heads=2, causal=True)
    gradients = kernels.attention_backward(do, q, k, v, o, lse, heads=2, causal=True)
    check_gradients(value, [q[few].copy(), k[few].copy(), v[few].copy()], [g[few] for g in gradients])


@both
def test_cross_entropy(dtype):
    z, targets = normal(6, 11, dtype=dtype), np.array([0, 10, 3, -1, 5, 5])
    smoothed, plain, dz = kernels.cross_entropy(z, targets, label_smoothing=0.1)
    p = softmax64(z.astype(np.float64))
    rows = [n for n in range(6) if targets[n] >= 0]
    losses = [-np.log(p[n, targets[n]]) for n in rows]
    q = np.full((6, 11), np.float64(np.float32(0.1)) / 11)
    for n in rows:
        q[n, targets[n]] += 1 - np.float64(np.float32(0.1))
    q[3], p_rows = 0, p.copy()
    p_rows[3] = 0
    close(plain, sum(losses), dtype)
    close(smoothed, -(q * np.log(p)).sum(), dtype)
    close(dz, p_rows - q, dtype)


@both
def test_products(dtype):
    a, b, bias = normal(9, 17, dtype=dtype), normal(5, 17, dtype=dtype), normal(5, dtype=dtype)
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    close(kernels.matmul(a, b, transpose_b=True), a64 @ b64.T, dtype)
    close(kernels.matmul(a, a, transpose_a=True), a64.T @ a64, dtype)
    close(kernels.linear(a.reshape(3, 3, 17), b, bias), (a64 @ b64.T + bias).reshape(3, 3, 5), dtype)
    dy = normal(9, 5, dtype=dtype)
    dx, dw, dbias = kernels.linear_backward(dy, a, b)
    close(dx, dy.astype(np.float64) @ b64, dtype)
    close(dw, dy.astype(np.float64).T @ a64, dtype)
    close(dbias, dy.astype(np.float64).sum(0), dtype)
    assert kernels.linear_backward(dy, a, b, bias=False)[2] is None


@pytest.mark.parametrize("name", ["relu", "gelu", "swish"])
def test_activations(name):
    x, bias, da = normal(3, 4), normal(4), normal(3, 4)
    of_one = {"relu": lambda z: max(0.0, z), "swish": lambda z: z / (1 + np.exp(-z)),
              "gelu": lambda z: z * (1 + __import__("math").erf(z / 2**0.5)) / 2}[name]
    expected = np.vectorize(of_one)(x + bias)
    close(kernels.activation(x, name, bias), expected)
    close(getattr(kernels, name)(x + bias), expected)
    check_gradients(lambda x, bias: (kernels.activation(x, name, bias) * da).sum(), [x, bias],
                    kernels.activation_backward(da, x, name, bias))


def test_top_k():
    z = normal(4, 50)
    scores, ids = kernels.log_softmax_top_k(z, 3)
    order = np.argsort(-z, axis=-1)[:, :3]
    assert (ids == order).all() and ids.dtype == np.int32
    close(scores, np.take_along_axis(np.log(softmax64(z)), order, -1))


def test_inputs_are_read_where_they_lie_or_copied_and_never_written():
    x = normal(8, 6)
    view = x[::2, ::-1]  # rows with gaps, backwards
    close(kernels.softmax(view), softmax64(np.ascontiguousarray(view)))
    x.flags.writeable = False
    before = x.copy()
    kernels.softmax(x)
    assert (x == before).all()
    big = np.zeros((20000, 500))
    out = kernels.softmax(big)
    del big
    assert out[7, 7] == 1 / 500  # memory of its own


def test_any_array_that_speaks_dlpack_is_read():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, *args, **kwargs):
            return self.array.__dlpack__(*args, **kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = normal(3, 4)
    close(kernels.softmax(Foreign(x)), softmax64(x))


@pytest.mark.parametrize("call, message", [
    (lambda: kernels.softmax([1.0, 2.0]), "softmax: scores: expected an array .* got list"),
    (lambda: kernels.softmax(np.zeros(3, np.float16)), "float32, float64 or bfloat16, got float16"),
    (lambda: kernels.softmax(np.zeros(3, np.int32)), "got int32"),
    (lambda: kernels.softmax(np.zeros(3, np.complex64)), "softmax: scores"),
    (lambda: kernels.softmax(np.zeros((1, 1, 1, 1, 1))), "expected 4 axes at most, got 5"),
    (lambda: kernels.softmax(np.zeros((2, 3)), mask=np.ones((2, 3))), "softmax: mask: expected elements of int32 or int64, got float64"),
    (lambda: kernels.softmax(np.zeros((2, 3)), lengths=np.array([3, 3])), r"lengths must be \[1\], got \[2\]"),
    (lambda: kernels.layer_norm(np.zeros((2, 3)), np.zeros(4), np.zeros(3)), r"layer_norm: gamma must be \[3\], got \[4\]"),
    (lambda: kernels.layer_norm(np.zeros((2, 3)), np.zeros(3, np.float32), np.zeros(3)), "layer_norm: "),
    (lambda: kernels.matmul(np.zeros((2, 3)), np.zeros((2, 3))), "matmul"),
    (lambda: kernels.matmul(np.zeros(3), np.zeros((3, 3))), "matmul: expected two matrices"),
    (lambda: kernels.cross_entropy(np.zeros((1, 3)), np.array([3])), "target 3 is none of the 3 classes"),
    (lambda: kernels.cross_entropy(np.zeros((1, 3)), np.array([2**40])), "does not fit into 32 bits"),
    (lambda: kernels.attention(*[np.zeros((4, 6))] * 3, heads=4), "4 heads do not divide"),
    (lambda: kernels.attention(*[np.zeros((4, 6))] * 3, query_offsets=np.array([0, 5])), "from 0 to at most 4"),
    (lambda: kernels.attention(*[np.zeros((4, 6))] * 3, query_offsets=np.array([0, 3, 2])), "query_offsets"),
    (lambda: kernels.attention_backward(*[np.zeros((70, 6))] * 5, None), "as attention\\(\\) returned them"),
    (lambda: kernels.activation(np.zeros((4, 6)), "tanh"), "no function 'tanh'"),
    (lambda: kernels.gated_activation(np.zeros((4, 6)), np.zeros((4, 5)), "swish"), r"up must be \[4, 6\], got \[4, 5\]"),
    (lambda: kernels.rotary(np.zeros((4, 6)), heads=2), "heads of an even width in 6 columns, got 2 heads"),
    (lambda: kernels.rotary(np.zeros((2, 6)), np.array([0, -1])), "positions from 0 on, got -1"),
    (lambda: kernels.attention(np.zeros((4, 6)), np.zeros((4, 4)), np.zeros((4, 4)), heads=3), "as wide as q, 6, or as some heads"),
    (lambda: kernels.log_softmax_top_k(np.zeros((4, 6)), 7), "k from 1 to 6, got 7"),
    (lambda: xformer.set_threads(-1), "expected 0 or more, got -1"),
], ids=str)
def test_what_a_kernel_cannot_take_is_an_error(call, message):
    with pytest.raises(xformer.Error, match=message):
        call()


def test_an_empty_array_is_an_empty_array():
    assert kernels.softmax(np.zeros((0, 5))).shape == (0, 5)
    assert kernels.layer_norm(np.zeros((0, 5)), np.ones(5), np.ones(5))[0].shape == (0, 5)


def test_the_bits_do_not_depend_on_the_threads():
    x, gamma, beta = (normal(*s, dtype=np.float32) for s in ((3000, 64), (64,), (64,)))
    results = []
    for threads in (1, 2, 0):
        xformer.set_threads(threads)
        results.append(kernels.layer_norm(x, gamma, beta)[0])
    assert (results[0] == results[1]).all() and (results[0] == results[2]).all()
