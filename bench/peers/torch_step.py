#!/usr/bin/env python3
"""One training step of the Transformer in PyTorch, timed: the peer of `xformer-bench --fn train_step`.

    python3 torch_step.py tiny|base [--device cpu|cuda] [--dtype f32|bf16] [--threads N] [--compile MODE] [--graph]
                          [--samples N] [--warm-ups N]

The same model, batch and step as ours, in the form that is fastest in PyTorch: fused Q, K, V (and K, V of the
cross-attention), scaled_dot_product_attention, fused cross-entropy with label smoothing, fused Adam, gradients set to
None; all sentences of one length, so no mask but the causal one. Dropout is active: on embeddings and on each block's
output, as in both tasks. bf16 is autocast's. --graph: the whole step as one CUDA graph. Prints one JSON object. Memory
allocator and OpenMP settings come from the environment (torch_best.py).
"""
import argparse
import json
import math
import os
import resource
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

PRESETS = {
    "tiny": dict(sentences=292, length=14, d=128, ffn=256, layers=4, heads=4, vocabularies=(10000, 10000), tied=True,
                 dropout=0.3),
    "base": dict(sentences=128, length=32, d=512, ffn=2048, layers=6, heads=8, vocabularies=(5893, 7855), tied=False,
                 dropout=0.1),
}
GRAPH_WARM_UPS = 3  # steps before a capture, as PyTorch's manual wants
OTHERS_ALLOWED = 0.05  # of a core: a sample during which other processes used more is dropped
ATTEMPTS_PER_SAMPLE = 2  # before a busy machine's samples are kept after all, and the result says so


class Attention(nn.Module):
    def __init__(self, d, heads, cross):
        super().__init__()
        self.heads, self.cross = heads, cross
        if cross:
            self.q, self.kv = nn.Linear(d, d), nn.Linear(d, 2 * d)
        else:
            self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x, memory=None, causal=False):
        parts = (self.q(x), *self.kv(memory).chunk(2, -1)) if self.cross else self.qkv(x).chunk(3, -1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in parts)
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Post-norm: norm(x + dropout(block(x))) for each block."""

    def __init__(self, d, heads, ffn, dropout, decoder):
        super().__init__()
        self.causal = decoder
        self.self_attention, self.self_norm = Attention(d, heads, cross=False), nn.LayerNorm(d)
        if decoder:
            self.cross_attention, self.cross_norm = Attention(d, heads, cross=True), nn.LayerNorm(d)
        self.feed_forward, self.feed_forward_norm = (
            nn.Sequential(nn.Linear(d, ffn), nn.ReLU(inplace=True), nn.Linear(ffn, d)), nn.LayerNorm(d))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory=None):
        x = self.self_norm(x + self.dropout(self.self_attention(x, causal=self.causal)))
        if memory is not None:
            x = self.cross_norm(x + self.dropout(self.cross_attention(x, memory)))
        return self.feed_forward_norm(x + self.dropout(self.feed_forward(x)))


class Transformer(nn.Module):
    def __init__(self, d, ffn, layers, heads, vocabularies, tied, dropout, length, **_):
        super().__init__()
        self.scale = math.sqrt(d)
        self.source_embedding = nn.Embedding(vocabularies[0], d)
        self.target_embedding = self.source_embedding if tied else nn.Embedding(vocabularies[1], d)
        self.encoder = nn.ModuleList(Layer(d, heads, ffn, dropout, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(d, heads, ffn, dropout, True) for _ in range(layers))
        self.output = nn.Linear(d, vocabularies[1])
        self.dropout = nn.Dropout(dropout)
        angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        self.register_buffer("positions", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))
        for name, p in self.named_parameters():
            if "embedding" in name:
                nn.init.normal_(p, std=d ** -0.5)
            elif p.dim() == 2:
                nn.init.xavier_uniform_(p)
        if tied:
            self.output.weight = self.target_embedding.weight

    def forward(self, source, target_in, target_out):
        memory = self.dropout(self.source_embedding(source) * self.scale + self.positions)
        for layer in self.encoder:
            memory = layer(memory)
        x = self.dropout(self.target_embedding(target_in) * self.scale + self.positions)
        for layer in self.decoder:
            x = layer(x, memory)
        logits = self.output(x.flatten(0, 1))
        return F.cross_entropy(logits, target_out.flatten(), label_smoothing=0.1)


def make_step(preset, arguments):
    torch.manual_seed(1)
    device = arguments.device
    model = Transformer(**preset).train().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-8, fused=True,
                                 capturable=arguments.graph)
    forward = torch.compile(model, mode=arguments.compile, dynamic=False) if arguments.compile else model
    shape = (preset["sentences"], preset["length"])
    ids = [torch.randint(4, vocabulary, shape, device=device)
           for vocabulary in (*preset["vocabularies"], preset["vocabularies"][1])]

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16, enabled=arguments.dtype == "bf16"):
            loss = forward(*ids)
        loss.backward()
        optimizer.step()
        return loss

    parameters = sum(p.numel() for p in model.parameters())
    if not arguments.graph:
        return lambda: step().item(), parameters
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(GRAPH_WARM_UPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss.item()

    return replay, parameters


def used_by_others():
    """Processor seconds of others, processes and (steal) guests of the same host, on the processors that are ours."""
    own_processors, ticks = os.sched_getaffinity(0), 0
    with open("/proc/stat") as file:
        for line in file:
            name, *fields = line.split()
            if name.startswith("cpu") and name != "cpu" and int(name[3:]) in own_processors:
                user, nice, system, _, _, interrupts, soft_interrupts, steal = map(int, fields[:8])
                ticks += user + nice + system + interrupts + soft_interrupts + steal
    own = resource.getrusage(resource.RUSAGE_SELF)
    return ticks / os.sysconf("SC_CLK_TCK") - own.ru_utime - own.ru_stime


def sample(step, wanted, warm_ups):
    """Seconds of `wanted` steps, undisturbed ones as long as attempts last; and how many were disturbed."""
    for _ in range(warm_ups):
        step()
    quiet, disturbed = [], []
    while len(quiet) < wanted and len(quiet) + len(disturbed) < ATTEMPTS_PER_SAMPLE * wanted:
        others, start = used_by_others(), time.monotonic()
        step()
        seconds = time.monotonic() - start
        (quiet if used_by_others() - others <= OTHERS_ALLOWED * seconds + 0.02 else disturbed).append(seconds)
    return quiet + disturbed[:wanted - len(quiet)], max(0, wanted - len(quiet))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--dtype", default="f32", choices=("f32", "bf16"))
    parser.add_argument("--graph", action="store_true", help="capture the step (CUDA)")
    parser.add_argument("--compile", default="", metavar="MODE", help="torch.compile's mode; none: eager")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--warm-ups", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)  # as ours

    preset = PRESETS[arguments.preset]
    step, parameters = make_step(preset, arguments)
    seconds, disturbed = sample(step, arguments.samples, arguments.warm_ups)
    tenths = statistics.quantiles(seconds, n=10, method="inclusive")
    median = statistics.median(seconds)
    print(json.dumps({
        "median_s": median, "p10_s": tenths[0], "p90_s": tenths[-1], "n": len(seconds), "disturbed": disturbed,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "tokens_per_s": preset["sentences"] * preset["length"] / median,
        "threads": torch.get_num_threads(), "parameters": parameters, "torch": torch.__version__,
    }))


if __name__ == "__main__":
    main()
