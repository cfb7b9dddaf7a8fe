#!/usr/bin/env python3
"""Golden fixtures of the Transformer: a plain PyTorch version of it, in f64, without dropout.

    pip install torch safetensors && python3 make_transformer.py [FOLDER]

writes, into FOLDER (default: this one), one batch and six models evaluated on it:

    transformer_batch.safetensors     source_ids [Ns], source_offsets [B+1], target_in, target_out [Nt],
                                      target_offsets [B+1]: i32, packed, without padding; lengths 1 to 9
    transformer_post.safetensors      post-norm, ReLU, untied
    transformer_pre_gelu.safetensors  pre-norm, GELU (erf), untied
    transformer_swish.safetensors     post-norm, swish, untied
    transformer_learned.safetensors   post-norm, ReLU, untied, learnt positions
    transformer_rotary.safetensors    pre-norm, ReLU, untied, rotary positions in self-attention and no others
    transformer_tied.safetensors      post-norm, ReLU, one embedding for source, target and output

A model's file holds, all f64:

    <parameter>                       under the engine's own names, with the engine's fused matrices
    gradient.<parameter>              of the smoothed loss
    result.loss, result.nll           [1], sums over the target tokens of the cross-entropy, with label smoothing and
                                      without
    result.encoder_output             [Ns, D], packed
    result.last_log_probs             [B, Vt], at each sentence's last target token

and in its metadata, under "config", the sizes as JSON. Conventions (docs/notation.md): sin and cos interleaved;
embeddings scaled by sqrt(D) when read; label smoothing q = (1 - eps) onehot + eps / V; layer norm eps 1e-5; biases
everywhere; pre-norm has a norm at the end of each stack. Written for the reader, straight from the equations: the
batch is padded, one sentence after another, heads are a separate axis, and autograd makes the gradients.
"""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file

D, H, F, LAYERS = 12, 3, 20, 2
SOURCE_VOCABULARY, TARGET_VOCABULARY, JOINT_VOCABULARY = 37, 41, 37
BEGIN, END, FIRST_WORD = 1, 2, 4
SMOOTHING, NORM_EPS = 0.1, 1e-5
SOURCE_LENGTHS = [5, 1, 9, 2, 7]  # with </s>
TARGET_LENGTHS = [7, 3, 1, 9, 4]
MAX_LENGTH = 12  # rows of a table of learnt positions
PADDING = 0  # any id: nothing may depend on it


class Model:
    """Parameters by name, drawn on first use; biases and norms too, so that every gradient is tested."""

    def __init__(self, norm, activation, tied, seed, learned=False, rotary=False):
        self.norm, self.activation, self.tied, self.learned, self.rotary = norm, activation, tied, learned, rotary
        self.generator = torch.Generator().manual_seed(seed)
        self.parameters = {}
        if tied:
            self.draw("embedding.weight", JOINT_VOCABULARY, D)
        else:
            self.draw("source_embedding.weight", SOURCE_VOCABULARY, D)
            self.draw("target_embedding.weight", TARGET_VOCABULARY, D)
            self.draw("output.weight", TARGET_VOCABULARY, D)
        self.draw("output.bias", JOINT_VOCABULARY if tied else TARGET_VOCABULARY)
        for layer in range(LAYERS):
            for stack, blocks in (("encoder", ("self_attention", "feed_forward")),
                                  ("decoder", ("self_attention", "cross_attention", "feed_forward"))):
                for block in blocks:
                    self.draw_block(f"{stack}.layers.{layer}.{block}", block)
        self.draw_linear("decoder.cross_kv", LAYERS * 2 * D, D)
        if norm == "pre":
            self.draw_norm("encoder.norm")
            self.draw_norm("decoder.norm")
        if learned:
            self.draw("source_positions.weight", MAX_LENGTH, D)
            self.draw("target_positions.weight", MAX_LENGTH, D)

    def draw_block(self, name, block):
        if block == "self_attention":
            self.draw_linear(f"{name}.qkv", 3 * D, D)
            self.draw_linear(f"{name}.out", D, D)
        elif block == "cross_attention":
            self.draw_linear(f"{name}.q", D, D)
            self.draw_linear(f"{name}.out", D, D)
        else:
            self.draw_linear(f"{name}.in", F, D)
            self.draw_linear(f"{name}.out", D, F)
        self.draw_norm(f"{name}.norm")

    def draw_linear(self, name, rows, columns):
        self.draw(f"{name}.weight", rows, columns)
        self.draw(f"{name}.bias", rows)

    def draw_norm(self, name):
        self.draw(f"{name}.weight", D, mean=1.0)
        self.draw(f"{name}.bias", D)

    def draw(self, name, *shape, mean=0.0):
        spread = 1 / math.sqrt(shape[-1]) if len(shape) == 2 else 0.2
        values = mean + spread * torch.randn(*shape, generator=self.generator, dtype=torch.float64)
        self.parameters[name] = values.requires_grad_()

    def __getitem__(self, name):
        return self.parameters[name]

    # ---- blocks; x [B, S, D]

    def linear(self, name, x):
        return x @ self[f"{name}.weight"].T + self[f"{name}.bias"]

    def layer_norm(self, name, x):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) / (variance + NORM_EPS).sqrt() * self[f"{name}.weight"] + self[f"{name}.bias"]

    def sublayer(self, name, x, f):
        if self.norm == "post":
            return self.layer_norm(f"{name}.norm", x + f(x))
        return x + f(self.layer_norm(f"{name}.norm", x))

    def attention(self, name, q, k, v, mask, rotary=False):
        """mask [B or 1, Sq or 1, Sk]: true = may attend."""
        q, k, v = (t.unflatten(-1, (H, D // H)).transpose(1, 2) for t in (q, k, v))  # [B, H, S, Dh]
        if rotary:
            q, k = turned(q), turned(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(D // H)
        p = scores.masked_fill(~mask[:, None], -math.inf).softmax(-1)
        return self.linear(f"{name}.out", (p @ v).transpose(1, 2).flatten(2))

    def self_attention(self, name, x, mask):
        return self.attention(name, *self.linear(f"{name}.qkv", x).chunk(3, -1), mask, self.rotary)

    def cross_attention(self, name, x, keys_and_values, mask):
        return self.attention(name, self.linear(f"{name}.q", x), *keys_and_values, mask)

    def feed_forward(self, name, x):
        hidden = self.linear(f"{name}.in", x)
        if self.activation == "relu":
            hidden = hidden.relu()
        elif self.activation == "gelu":
            hidden = hidden * 0.5 * (1 + torch.erf(hidden / math.sqrt(2)))
        else:
            hidden = torch.nn.functional.silu(hidden)
        return self.linear(f"{name}.out", hidden)

    # ---- the model; ids [B, S], mask [B, S]

    def embedding_name(self, side):
        return "embedding.weight" if self.tied else f"{side}_embedding.weight"

    def embed(self, side, ids):
        words = self[self.embedding_name(side)][ids] * math.sqrt(D)
        if self.rotary:
            return words
        return words + (self[f"{side}_positions.weight"][:ids.shape[1]] if self.learned else positions(ids.shape[1]))

    def encode(self, ids, mask):
        x = self.embed("source", ids)
        for layer in range(LAYERS):
            name = f"encoder.layers.{layer}"
            x = self.sublayer(f"{name}.self_attention", x,
                              lambda h: self.self_attention(f"{name}.self_attention", h, mask[:, None]))
            x = self.sublayer(f"{name}.feed_forward", x, lambda h: self.feed_forward(f"{name}.feed_forward", h))
        return self.layer_norm("encoder.norm", x) if self.norm == "pre" else x

    def decode(self, ids, memory, memory_mask):
        causal = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()[None]
        keys_and_values = self.linear("decoder.cross_kv", memory).chunk(2 * LAYERS, -1)  # K0, V0, K1, V1
        x = self.embed("target", ids)
        for layer in range(LAYERS):
            name = f"decoder.layers.{layer}"
            kv = keys_and_values[2 * layer:2 * layer + 2]
            x = self.sublayer(f"{name}.self_attention", x,
                              lambda h: self.self_attention(f"{name}.self_attention", h, causal))
            x = self.sublayer(f"{name}.cross_attention", x, lambda h: self.cross_attention(
                f"{name}.cross_attention", h, kv, memory_mask[:, None]))
            x = self.sublayer(f"{name}.feed_forward", x, lambda h: self.feed_forward(f"{name}.feed_forward", h))
        if self.norm == "pre":
            x = self.layer_norm("decoder.norm", x)
        weight = self["embedding.weight" if self.tied else "output.weight"]
        return (x @ weight.T + self["output.bias"]).log_softmax(-1)


def positions(length):
    """PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos of the same: [length, D]."""
    angle = torch.arange(length, dtype=torch.float64)[:, None] / 10000 ** (torch.arange(0, D, 2).double() / D)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def turned(x):
    """x [B, H, S, Dh]: each pair (i, i + Dh/2), taken as a complex number, times exp(1j pos / 10000^(2i/Dh))."""
    pairs = x.shape[-1] // 2
    angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] / 10000 ** (torch.arange(pairs).double() / pairs)
    z = torch.complex(x[..., :pairs], x[..., pairs:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], -1)


def pad(packed, lengths):
    """[N] -> [B, longest] and its mask."""
    padded = torch.nn.utils.rnn.pad_sequence(packed.long().split(lengths), batch_first=True, padding_value=PADDING)
    return padded, torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]


def make_batch():
    generator = torch.Generator().manual_seed(1)
    draw = lambda n: torch.randint(FIRST_WORD, JOINT_VOCABULARY, (n,), generator=generator).tolist()
    source, target_in, target_out = [], [], []
    for source_length, target_length in zip(SOURCE_LENGTHS, TARGET_LENGTHS):
        words = draw(target_length - 1)
        source += draw(source_length - 1) + [END]
        target_in += [BEGIN] + words
        target_out += words + [END]
    offsets = lambda lengths: [0] + torch.tensor(lengths).cumsum(0).tolist()
    lists = {"source_ids": source, "source_offsets": offsets(SOURCE_LENGTHS), "target_in": target_in,
             "target_out": target_out, "target_offsets": offsets(TARGET_LENGTHS)}
    return {name: torch.tensor(values, dtype=torch.int32) for name, values in lists.items()}


def evaluate(model, batch):
    source, source_mask = pad(batch["source_ids"], SOURCE_LENGTHS)
    target_in, target_mask = pad(batch["target_in"], TARGET_LENGTHS)
    memory = model.encode(source, source_mask)
    padded_log_probs = model.decode(target_in, memory, source_mask)
    log_probs = padded_log_probs[target_mask]  # [Nt, Vt]
    nll = -log_probs.gather(1, batch["target_out"].long()[:, None]).sum()
    loss = (1 - SMOOTHING) * nll - SMOOTHING * log_probs.mean(-1).sum()
    loss.backward()
    last = torch.tensor(TARGET_LENGTHS) - 1
    return {"result.loss": loss.reshape(1), "result.nll": nll.reshape(1),
            "result.encoder_output": memory[source_mask],
            "result.last_log_probs": padded_log_probs[torch.arange(len(last)), last]}


def config(model):
    return {"d_model": D, "heads": H, "ffn": F, "encoder_layers": LAYERS, "decoder_layers": LAYERS,
            "source_vocabulary": JOINT_VOCABULARY if model.tied else SOURCE_VOCABULARY,
            "target_vocabulary": JOINT_VOCABULARY if model.tied else TARGET_VOCABULARY,
            "norm": model.norm, "activation": model.activation, "tied": "all" if model.tied else "none",
            "position_layout": "rotary" if model.rotary else "interleaved", "label_smoothing": SMOOTHING, "norm_eps": NORM_EPS}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    batch = make_batch()
    save_file(batch, folder / "transformer_batch.safetensors")
    for name, model in (("post", Model("post", "relu", tied=False, seed=2)),
                        ("pre_gelu", Model("pre", "gelu", tied=False, seed=3)),
                        ("swish", Model("post", "swish", tied=False, seed=6)),
                        ("learned", Model("post", "relu", tied=False, seed=7, learned=True)),
                        ("rotary", Model("pre", "relu", tied=False, seed=8, rotary=True)),
                        ("tied", Model("post", "relu", tied=True, seed=4))):
        results = evaluate(model, batch)
        tensors = {key: value.detach().contiguous() for key, value in (model.parameters | results).items()}
        tensors |= {f"gradient.{key}": value.grad for key, value in model.parameters.items()}
        save_file(tensors, folder / f"transformer_{name}.safetensors", {"config": json.dumps(config(model))})
        print(f"{name}: loss {results['result.loss'].item():.12f}, nll {results['result.nll'].item():.12f}")


if __name__ == "__main__":
    main()
