#!/usr/bin/env python3
"""PyTorch's counterparts of single kernels, timed: the peer of `xformer-bench --fn NAME --baseline torch`.

    python3 torch_ops.py THREADS < requests

Reads one JSON object per line, {"fn", "dims", "variant", "dtype", "device", "seconds", "cache_bytes"}, and answers with
one line each: {"median_s", "p10_s", "p90_s", "n", "version", "variant"}, or {"skip": why}. Eager and torch.compile are
both tried and the faster one is told ("variant"); on CUDA both are replayed as a CUDA graph, attention runs in all its
backends, and what other libraries have for the op (fused_ops.py) is tried, too. Inputs rotate through more than
`cache_bytes` in all. Backward is timed alone: the graph of forward is kept.
"""
import contextlib
import functools
import json
import statistics
import sys
import time

import fused_ops
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

DTYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16}
WARM_UPS, FEWEST, MOST_INPUTS = 3, 5, 64
FASTEST_SAMPLE = 2e-4  # seconds: shorter calls are timed several at once


class Absent(Exception):
    """Why there is no counterpart."""


def matmul(dims, variant, new):
    m, n, k = dims
    a = new(k, m).t() if variant == "TN" else new(m, k)
    b = new(n, k).t() if variant == "NT" else new(k, n)
    return torch.matmul, (a, b)


def linear(dims, variant, new):
    n, k, m = dims
    return F.linear, (new(n, k), new(m, k), new(m))


def linear_activation(dims, variant, new):
    function, arguments = linear(dims, variant, new)
    return lambda x, w, b: F.relu(function(x, w, b)), arguments


def layer_norm(dims, variant, new):
    n, d = dims
    return lambda x, gamma, beta: F.layer_norm(x, (d,), gamma, beta, 1e-5), (new(n, d), new(d), new(d))


def rms_norm(dims, variant, new):
    n, d = dims
    return lambda x, gamma: F.rms_norm(x, (d,), gamma, 1e-5), (new(n, d), new(d))


def rotary(dims, variant, new):
    b, s, h, pairs = dims
    x = new(b, s, h, 2 * pairs)
    angles = torch.outer(torch.arange(s, device=x.device), 10000.0 ** (-torch.arange(pairs, device=x.device) / pairs))
    cos, sin = (f(torch.cat((angles, angles), -1))[:, None, :].to(x.dtype) for f in (torch.cos, torch.sin))

    def function(x):
        first, second = x.chunk(2, -1)
        return x * cos + torch.cat((-second, first), -1) * sin

    return function, (x,)


def gated_activation(dims, variant, new):
    function = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}[variant]
    return lambda gate, up: function(gate) * up, (new(*dims), new(*dims))


def residual_norm(dims, variant, new):
    n, d = dims

    def function(x, s, gamma, beta):
        return F.layer_norm(x + F.dropout(s, 0.1, training=True), (d,), gamma, beta, 1e-5)

    return function, (new(n, d), new(n, d), new(d), new(d))


def dropout(dims, variant, new):
    return lambda x: F.dropout(x, 0.1, training=True), (new(*dims),)


def activation(dims, variant, new):
    function = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}[variant]
    return lambda x, bias: function(x + bias), (new(*dims), new(dims[1]))


def softmax(dims, variant, new):
    if variant:
        raise Absent("no masked softmax in one call")
    return lambda s: F.softmax(s, -1), (new(*dims),)


def attention(dims, variant, new):
    b, sq, sk, h, dh = dims
    causal = "causal" in variant
    if causal and sq != sk:
        raise Absent("causal attention of unequal sides differs")

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return function, (new(b, h, sq, dh), new(b, h, sk, dh), new(b, h, sk, dh))


def grouped_attention(dims, variant, new):
    b, sq, sk, kv, group, dh = dims
    causal = "causal" in variant
    if causal and sq != sk:
        raise Absent("causal attention of unequal sides differs")

    def function(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)

    return function, (new(b, kv * group, sq, dh), new(b, kv, sk, dh), new(b, kv, sk, dh))


def cross_entropy(dims, variant, new):
    n, v = dims
    z = new(n, v)
    targets = torch.randint(v, (n,), device=z.device)
    return lambda z: F.cross_entropy(z, targets, label_smoothing=0.1, reduction="sum"), (z,)


def projection_cross_entropy(dims, variant, new):
    n, d, v = dims
    x = new(n, d)
    targets = torch.randint(v, (n,), device=x.device)
    return (lambda x, w, b: F.cross_entropy(F.linear(x, w, b), targets, label_smoothing=0.1, reduction="sum"),
            (x, new(v, d), new(v)))


def embedding(dims, variant, new):
    n, v, d = dims
    table = new(v, d)
    ids = torch.randint(v, (n,), device=table.device)
    positions = new(n, d).detach()
    return lambda table: F.dropout(F.embedding(ids, table) * d ** 0.5 + positions, 0.1, training=True), (table,)


def elementwise(function, *shapes):
    def make(dims, variant, new):
        n, d = dims
        return function, tuple(new(n, d) if shape == "nd" else new(d) for shape in shapes)
    return make


def log_softmax_top_k(dims, variant, new):
    n, v, k = dims
    return lambda z: torch.topk(F.log_softmax(z, -1), k), (new(n, v),)


def sort(dims, variant, new):
    keys = torch.randint(10000, (dims[0],), device=new(1).device)
    return lambda: torch.sort(keys, stable=True), ()


# What is run forward: fn -> (function, its arguments).
FORWARD = {
    "matmul": matmul, "linear_forward": linear, "linear_activation_forward": linear_activation,
    "layer_norm_forward": layer_norm, "rms_norm_forward": rms_norm, "residual_norm_forward": residual_norm, "dropout": dropout,
    "bias_activation_forward": activation, "gated_activation_forward": gated_activation, "rotary_forward": rotary,
    "softmax_forward": softmax, "attention_forward": attention, "grouped_attention_forward": grouped_attention,
    "embedding_forward": embedding, "log_softmax_top_k": log_softmax_top_k, "sort": sort,
    "add_in_place": elementwise(lambda y, x: y.add_(x), "nd", "nd"), "add_bias": elementwise(lambda y, b: y.add_(b), "nd", "d"),
    "sum_rows": elementwise(lambda x: x.sum(0), "nd"), "scale": elementwise(lambda x: x * 0.75, "nd"),
    "copy": elementwise(lambda y, x: y.copy_(x), "nd", "nd"), "fill_zero": elementwise(lambda y: y.zero_(), "nd"),
    "sum_of_squares": lambda dims, variant, new: (lambda g: torch.linalg.vector_norm(g), (new(*dims),)),
}
# fn -> (what is differentiated, which of its arguments get a gradient).
BACKWARD = {
    "layer_norm_backward": (layer_norm, None), "rms_norm_backward": (rms_norm, None),
    "residual_norm_backward": (residual_norm, None), "bias_activation_backward": (activation, None),
    "gated_activation_backward": (gated_activation, None), "rotary_backward": (rotary, None), "softmax_backward": (softmax, None),
    "attention_backward": (attention, None), "grouped_attention_backward": (grouped_attention, None),
    "embedding_backward": (embedding, None),
    "linear_backward_input": (linear, (0,)), "linear_backward_weight": (linear, (1, 2)),
}
# One call does forward and gradient.
BOTH = {"cross_entropy": cross_entropy, "projection_cross_entropy": projection_cross_entropy}


def adam_call(dims, new):
    p = new(*dims).detach().requires_grad_()
    p.grad = torch.rand_like(p)
    optimizer = torch.optim.Adam([p], lr=1e-3, betas=(0.9, 0.98), fused=True, capturable=p.is_cuda)
    return optimizer.step, 4 * p.numel() * p.element_size()


def call_of(request, compiled, fused=None):
    """A call without arguments, and the bytes that its inputs hold. `fused`: a function in place of PyTorch's."""
    device, dtype = torch.device(request["device"]), DTYPES.get(request["dtype"], torch.float32)
    new = lambda *shape: torch.rand(*shape, device=device, dtype=dtype) * 2 - 1
    wrap = torch.compile if compiled else (lambda function: function)
    fn, dims, variant = request["fn"], request["dims"], request["variant"]
    if fn == "adam":
        if compiled:
            raise Absent("the fused optimiser is one kernel already")
        return adam_call(dims, new)
    if fn in FORWARD:
        function, arguments = FORWARD[fn](dims, variant, new)
        function = fused or wrap(function)

        def forward():
            with torch.no_grad():
                return function(*arguments)

        return forward, sum(a.numel() * a.element_size() for a in arguments)
    if fn in BOTH:
        function, arguments = BOTH[fn](dims, variant, new)
        chosen = arguments = [a.requires_grad_() for a in arguments]
        function = wrap(function)
        return (lambda: torch.autograd.grad(function(*arguments), chosen),
                2 * sum(a.numel() * a.element_size() for a in arguments))
    if fn not in BACKWARD:
        raise Absent(f"no counterpart of {fn}")
    make, which = BACKWARD[fn]
    function, arguments = make(dims, variant, new)
    chosen = [a.requires_grad_() for i, a in enumerate(arguments) if which is None or i in which]
    y = (fused or wrap(function))(*arguments)
    dy = torch.rand_like(y)
    return (lambda: torch.autograd.grad(y, chosen, dy, retain_graph=True),
            2 * sum(a.numel() * a.element_size() for a in arguments) + 2 * dy.numel() * dy.element_size())


def timed(calls, seconds):
    """Seconds per call, for as long as `seconds`; calls rotate. By the host's clock."""
    turn = 0

    def run(count):
        nonlocal turn
        begun = time.perf_counter()
        for _ in range(count):
            calls[turn]()
            turn = (turn + 1) % len(calls)
        return (time.perf_counter() - begun) / count

    for _ in range(WARM_UPS):
        each = run(len(calls))
    count = max(1, round(FASTEST_SAMPLE / each))
    return sampled(lambda: run(count), seconds)


def timed_on_cuda(calls, seconds):
    """The same by events around the replay of a CUDA graph that holds the calls, in turn: as ours are timed, so that
    neither pays for launches. Where PyTorch cannot capture them, around launches from Python. Says which."""
    def all_calls():
        for call in calls:
            call()

    def recorded(rounds):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
            for _ in range(rounds):
                all_calls()
        graph.replay()  # the first one brings the graph to the device
        return graph.replay

    def elapsed(run):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    for _ in range(WARM_UPS):
        elapsed(all_calls)
    rounds = 1
    try:
        rounds = max(1, round(FASTEST_SAMPLE / elapsed(recorded(1))))
        run, how = recorded(rounds), "in a CUDA graph"
    except RuntimeError as error:
        torch.cuda.synchronize()
        run, rounds = all_calls, 1
        how = f"launched one by one ({first_line(error)})"
    return sampled(lambda: elapsed(run) / (rounds * len(calls)), seconds), how


def sampled(sample, seconds):
    samples, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < FEWEST:
        samples.append(sample())
    return samples


def measure(request, way, compiled=False, backend=None, fused=None):
    cuda = request["device"].startswith("cuda")
    with contextlib.ExitStack() as stack:
        if backend:
            stack.enter_context(sdpa_kernel([backend]))
        if cuda:  # what is captured, also a backward pass by way of its forward, must not be on the default stream
            stack.enter_context(torch.cuda.stream(side_stream(request["device"])))
        call, size = call_of(request, compiled, fused)
        inputs = min(MOST_INPUTS, max(1, -(-request["cache_bytes"] // max(1, size))))
        calls = [call] + [call_of(request, compiled, fused)[0] for _ in range(inputs - 1)]
        if cuda:
            samples, how = timed_on_cuda(calls, request["seconds"])
            way += " " + how
        else:
            samples = timed(calls, request["seconds"])
    tenths = statistics.quantiles(samples, n=10, method="inclusive")
    return {"median_s": statistics.median(samples), "p10_s": tenths[0], "p90_s": tenths[-1], "n": len(samples),
            "version": torch.__version__, "variant": way}


@functools.cache
def side_stream(device):
    return torch.cuda.Stream(device)


def first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def ways(request):
    """Names, and what measures them."""
    yield "eager", {}
    yield "compiled", {"compiled": True}
    if not request["device"].startswith("cuda"):
        return
    op, _, direction = request["fn"].rpartition("_")
    if "attention" in op:
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            yield backend.name, {"backend": backend}
    if direction in ("forward", "backward"):
        for name, function in fused_ops.libraries_with(f"{op} {request['variant']}".strip()):
            yield name, {"fused": function}


def answer(request):
    results, reasons = [], []
    for name, settings in ways(request):
        try:
            results.append(measure(request, name, **settings))
        except Exception as error:  # a backend that refuses a shape, a compiler that is absent
            reasons.append(f"{name}: {first_line(error)}")
            if isinstance(error, Absent) and name == "eager":
                break
    if not results:
        return {"skip": "; ".join(reasons)}
    tried = [{"setting": result["variant"], "seconds": result["median_s"]} for result in results]
    return min(results, key=lambda result: result["median_s"]) | {"tried": tried}


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.set_flush_denormal(True)  # as ours
    torch.manual_seed(1)
    torch._dynamo.config.cache_size_limit = 256  # one function, many shapes
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
