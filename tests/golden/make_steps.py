#!/usr/bin/env python3
"""Golden fixture of the walk through tutorials/by-hand: a plain PyTorch version of that model, in f64, without dropout.

    pip install torch safetensors numpy
    xformer-explain steps --format json -o steps.json && python3 make_steps.py steps.json [FOLDER]

reads the engine's initial parameters, and nothing else, from steps.json, and writes steps.safetensors into FOLDER
(default: this one), all f64:

    <parameter>             as read
    gradient.<parameter>    of sum_i w_i logits_i with w_i = cos(i), i from 0; absent where PyTorch has none
    <step>.<value>          "2.1.1.p": what each step of the walk shows, ids and masks left out

The model is a tutorial's, with its peculiarities: embeddings are not scaled; the positions' exponent is doubled;
masked scores become -10000; the target's mask hides padding along the query axis; a decoder layer's first norm stands
behind all three sublayers, its second one behind none. The engine keeps the scalars of its kernels in f32, in f64
models too: 1 / sqrt(3) and the norm's eps are rounded here as there.
"""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file

D, H, LAYERS, MAX_LENGTH, PAD = 6, 2, 9, 10, 0
FILL = -10000.0
rounded = lambda x: torch.tensor(x, dtype=torch.float32).double().item()
SCALE, EPS = rounded(1 / math.sqrt(D // H)), rounded(1e-5)
SOURCE = torch.tensor([[1, 1, 4, 0], [4, 3, 2, 9]])
TARGET = torch.tensor([[5, 2, 5, 0], [6, 7, 9, 8]])


class Model:
    def __init__(self, parameters):
        self.parameters = parameters
        self.seen = {}  # the walk's values: of the first layer of each stack, where a block occurs in each

    def __getitem__(self, name):
        return self.parameters[name]

    def show(self, step, **values):
        for name, value in values.items():
            self.seen.setdefault(f"{step}.{name}", value)

    def linear(self, name, x):
        return x @ self[f"{name}.weight"].T + self[f"{name}.bias"]

    def norm(self, name, x):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) / (variance + EPS).sqrt() * self[f"{name}.weight"] + self[f"{name}.bias"]

    def embed(self, name, ids):
        tokens, table = self[f"{name}.weight"][ids], position_table()
        positions = table[:ids.shape[1]]
        x = tokens + positions
        self.show("1.1", tokens=tokens)
        self.show("1.2", table=table, positions=positions)
        self.show("1.3", sum=x, x=x)
        return x

    def attention(self, name, x, memory, mask):
        """mask: 1 = may attend, [B, 1, 1 or Sq, Sk] -> result and probabilities"""
        q, k, v = self.linear(f"{name}.q", x), self.linear(f"{name}.k", memory), self.linear(f"{name}.v", memory)
        split = lambda t: t.unflatten(-1, (H, D // H)).transpose(1, 2)  # [B, H, S, Dh]
        s = split(q) @ split(k).transpose(-1, -2) * SCALE
        masked = s.masked_fill(mask == 0, FILL)
        p = masked.softmax(-1)
        o = p @ split(v)
        joined = o.transpose(1, 2).flatten(2)
        y = self.linear(f"{name}.out", joined)
        self.show("2.1", x=x, q=q, k=k, v=v, q_heads=split(q), joined=joined, y=y)
        self.show("2.1.1", q=split(q), k=split(k), v=split(v), s=s, masked=masked, p=p, o=o)
        return y, p

    def add_norm(self, norm, x, s):
        y = self.norm(norm, x + s)
        self.show("2.2", sum=x + s, y=y)
        return y

    def feed_forward(self, name, x):
        a = self.linear(f"{name}.in", x).relu()
        y = self.linear(f"{name}.out", a)
        self.show("2.3", x=x, a=a, y=y)
        return y

    def encoder_layer(self, name, x, mask):
        y = self.add_norm(f"{name}.self_attention.norm", x, self.attention(f"{name}.self_attention", x, x, mask)[0])
        y = self.add_norm(f"{name}.feed_forward.norm", y, self.feed_forward(f"{name}.feed_forward", y))
        self.show("3.1", x=x, y=y)
        return y

    def decoder_layer(self, name, x, memory, target_mask, source_mask):
        norm = f"{name}.self_attention.norm"  # all three places
        s, p_self = self.attention(f"{name}.self_attention", x, x, target_mask)
        y_self = self.add_norm(norm, x, s)
        s, p_cross = self.attention(f"{name}.cross_attention", y_self, memory, source_mask)
        y_cross = self.add_norm(norm, y_self, s)
        y = self.add_norm(norm, y_cross, self.feed_forward(f"{name}.feed_forward", y_cross))
        self.show("4.1", x=x, p_self=p_self, y_self=y_self, p_cross=p_cross, y_cross=y_cross, y=y)
        return y

    def forward(self):
        source_mask = (SOURCE != PAD)[:, None, None, :]  # [B, 1, 1, S]
        causal = torch.ones(TARGET.shape[1], TARGET.shape[1], dtype=torch.bool).tril()
        target_mask = causal & (TARGET != PAD)[:, None, :, None]  # [B, 1, T, T]: padded rows, not columns
        memory = x = self.embed("source_embedding", SOURCE)
        for layer in range(LAYERS):
            memory = self.encoder_layer(f"encoder.layers.{layer}", memory, source_mask)
        self.show("3.2", x=x, y=memory)
        y = x = self.embed("target_embedding", TARGET)
        for layer in range(LAYERS):
            y = self.decoder_layer(f"decoder.layers.{layer}", y, memory, target_mask, source_mask)
        self.show("4.2", x=x, y=y)
        logits = self.linear("output", y)
        self.show("5", logits=logits)
        return logits


def position_table():
    """[MAX_LENGTH, D]; the exponent is 4i/D, twice the paper's."""
    angle = torch.arange(MAX_LENGTH).double()[:, None] / 10000 ** (2 * torch.arange(0, D, 2).double() / D)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def main():
    given = json.loads(pathlib.Path(sys.argv[1]).read_text())["parameters"]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).parent
    parameters = {name: torch.tensor(p["value"], dtype=torch.float64).reshape(p["shape"]).requires_grad_()
                  for name, p in given.items()}
    model = Model(parameters)
    logits = model.forward()
    (torch.arange(logits.numel()).double().cos().reshape(logits.shape) * logits).sum().backward()
    tensors = parameters | model.seen
    tensors |= {f"gradient.{name}": p.grad for name, p in parameters.items() if p.grad is not None}
    save_file({name: t.detach().clone().contiguous() for name, t in tensors.items()}, folder / "steps.safetensors")
    print(f"{sum(p.numel() for p in parameters.values())} parameters, {len(model.seen)} values, "
          f"{sum(p.numel() for p in parameters.values() if p.grad is None)} without a gradient")


if __name__ == "__main__":
    main()
