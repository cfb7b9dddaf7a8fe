#!/usr/bin/env python3
"""One training step of the Transformer in PyTorch: the peer of `xformer-bench --fn train_step`, by lines (turns.py).

    python3 torch_step.py tiny|base [--device cpu|cuda] [--dtype f32|bf16] [--threads N] [--settings]

The same model, batch and step as ours, in the form that is fastest in PyTorch: fused Q, K, V (and K, V of the
cross-attention), scaled_dot_product_attention, fused cross-entropy with label smoothing, fused Adam, gradients set to
None; all sentences of one length, so no mask but the causal one. Dropout is active: on embeddings and on each block's
output, as in both tasks. bf16 is autocast's. What can be set: the allocator; then eager or compiled, threads bound or
fewer, attention, oneDNN; on CUDA eager, compiled, or the whole step as one graph.
"""
import argparse
import contextlib
import math
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from turns import allocators, answer, print_offer, setting, thread_counts

PRESETS = {
    "tiny": dict(sentences=292, length=14, d=128, ffn=256, layers=4, heads=4, vocabularies=(10000, 10000), tied=True,
                 dropout=0.3),
    "base": dict(sentences=128, length=32, d=512, ffn=2048, layers=6, heads=8, vocabularies=(5893, 7855), tied=False,
                 dropout=0.1),
}
GRAPH_WARM_UPS = 3  # steps before a capture, as PyTorch's manual wants
# When settings are chosen: turns of each, and how many allocators are tried in all other ways.
TURNS, KEPT = {"tiny": 3, "base": 1}, {"tiny": 2, "base": 1}
TURNS_ON_CUDA = 5
CUDA_LIMIT_S = 120  # until an answer: time on a GPU is dear, and max-autotune may compile for minutes


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


def make_step(preset, arguments, options):
    torch.manual_seed(1)
    device, mode, graph = arguments.device, options.get("compile"), options.get("graph", False)
    model = Transformer(**preset).train().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-8, fused=True, capturable=graph)
    forward = torch.compile(model, mode=mode, dynamic=False) if mode else model
    shape = (preset["sentences"], preset["length"])
    ids = [torch.randint(4, vocabulary, shape, device=device)
           for vocabulary in (*preset["vocabularies"], preset["vocabularies"][1])]

    def step():
        optimizer.zero_grad(set_to_none=True)
        with contextlib.ExitStack() as ways:
            if options.get("attention") == "math":
                ways.enter_context(sdpa_kernel(SDPBackend.MATH))
            if not options.get("onednn", True):
                ways.enter_context(torch.backends.mkldnn.flags(enabled=False))
            with torch.autocast(device, torch.bfloat16, enabled=arguments.dtype == "bf16"):
                loss = forward(*ids)
            loss.backward()
        optimizer.step()
        return loss

    if not graph:
        return lambda: step().item()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(GRAPH_WARM_UPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        loss = step()

    def replay():
        captured.replay()
        return loss.item()

    return replay


# Threads that stay on their processors and wait for the next loop for about 0.1 s.
BOUND = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "3000000"}


def offer(arguments):
    if arguments.device == "cuda":
        # The whole step as one graph, as ours is, or of PyTorch's own choice.
        print_offer([setting("eager in a CUDA graph", graph=True),
                     setting("compiled, in a CUDA graph", compile="default", graph=True),
                     setting("compiled, reduce-overhead", compile="reduce-overhead"),
                     setting("compiled, max-autotune", compile="max-autotune")], turns=TURNS_ON_CUDA, limit_s=CUDA_LIMIT_S)
        return
    fewer = thread_counts(arguments.threads)[1:]
    ways = [setting("eager"), setting("eager, threads bound", BOUND), setting("eager, attention as products", attention="math"),
            setting("eager, threads bound, attention as products", BOUND, attention="math"),
            setting("eager, without oneDNN", onednn=False)]
    ways += [setting(f"eager, threads: {threads}", threads=threads) for threads in fewer]
    ways += [setting("compiled", compile="default"), setting("compiled, threads bound", BOUND, compile="default"),
             setting("compiled, max-autotune", compile="max-autotune")]
    print_offer([setting(name, environment) for name, environment in allocators().items()], ways,
                kept=KEPT[arguments.preset], turns=TURNS[arguments.preset])


def prepare(arguments, options):
    torch.set_num_threads(options.get("threads", arguments.threads))
    torch.compiler.reset()
    step = make_step(PRESETS[arguments.preset], arguments, options)
    return lambda: {"version": torch.__version__, "on": "a step"}, step, list


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--dtype", default="f32", choices=("f32", "bf16"))
    parser.add_argument("--settings", action="store_true", help="print what can be set")
    arguments = parser.parse_args()
    if arguments.settings:
        offer(arguments)
        return
    torch.set_flush_denormal(True)  # as ours
    answer(lambda options, sample: prepare(arguments, options))


if __name__ == "__main__":
    main()
