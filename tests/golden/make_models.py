#!/usr/bin/env python3
"""Golden fixtures of the language model and the classifier: plain PyTorch versions, in f64, without dropout.

    pip install torch safetensors && python3 make_models.py [FOLDER]

writes, into FOLDER (default: this one), two models evaluated on the batch of make_transformer.py, of whose parts they
are made:

    language_model.safetensors        pre-norm, GELU (erf), tied; reads the target side
    classifier.safetensors            post-norm, ReLU; reads the source side; `classes` i32 [B]

A model's file holds its parameters, gradient.<parameter>, result.loss and result.nll, as make_transformer.py says.
The classifier pools by attention from one learnt query, with keys and values the encoder's states (nn/classifier.h).
"""
import math
import pathlib
import sys

import torch
from safetensors.torch import save_file

import make_transformer as whole
from make_transformer import D, H, LAYERS, SMOOTHING, SOURCE_LENGTHS, TARGET_LENGTHS

CLASSES = 3


class Half(whole.Model):
    """The blocks of one stack."""

    def __init__(self, stack, vocabulary, norm, activation, seed):
        self.norm, self.activation = norm, activation
        self.generator = torch.Generator().manual_seed(seed)
        self.parameters = {}
        self.draw("embedding.weight", vocabulary, D)
        for layer in range(LAYERS):
            for block in ("self_attention", "feed_forward"):
                self.draw_block(f"{stack}.layers.{layer}.{block}", block)
        if norm == "pre":
            self.draw_norm(f"{stack}.norm")

    def states(self, stack, ids, mask):
        x = self["embedding.weight"][ids] * math.sqrt(D) + whole.positions(ids.shape[1])
        for layer in range(LAYERS):
            name = f"{stack}.layers.{layer}"
            x = self.sublayer(f"{name}.self_attention", x,
                              lambda h: self.self_attention(f"{name}.self_attention", h, mask))
            x = self.sublayer(f"{name}.feed_forward", x, lambda h: self.feed_forward(f"{name}.feed_forward", h))
        return self.layer_norm(f"{stack}.norm", x) if self.norm == "pre" else x


def results(model, log_probs, targets):
    nll = -log_probs.gather(1, targets[:, None]).sum()
    loss = (1 - SMOOTHING) * nll - SMOOTHING * log_probs.mean(-1).sum()
    loss.backward()
    tensors = {key: value.detach().contiguous() for key, value in model.parameters.items()}
    tensors |= {f"gradient.{key}": value.grad for key, value in model.parameters.items()}
    return tensors | {"result.loss": loss.detach().reshape(1), "result.nll": nll.detach().reshape(1)}


def language_model(batch):
    model = Half("decoder", whole.TARGET_VOCABULARY, "pre", "gelu", seed=5)
    model.draw("output.bias", whole.TARGET_VOCABULARY)
    ids, mask = whole.pad(batch["target_in"], TARGET_LENGTHS)
    causal = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()[None]
    x = model.states("decoder", ids, causal)[mask]
    return results(model, (x @ model["embedding.weight"].T + model["output.bias"]).log_softmax(-1),
                   batch["target_out"].long())


def classifier(batch):
    model = Half("encoder", whole.SOURCE_VOCABULARY, "post", "relu", seed=6)
    model.draw("pooling.query", D)
    model.draw("output.weight", CLASSES, D)
    model.draw("output.bias", CLASSES)
    ids, mask = whole.pad(batch["source_ids"], SOURCE_LENGTHS)
    x = model.states("encoder", ids, mask[:, None]).unflatten(-1, (H, D // H))  # [B, S, H, Dh]
    scores = (x * model["pooling.query"].reshape(H, D // H)).sum(-1) / math.sqrt(D // H)  # [B, S, H]
    p = scores.masked_fill(~mask[..., None], -math.inf).softmax(1)
    y = (p[..., None] * x).sum(1).flatten(1)
    classes = torch.tensor([0, 2, 1, 1, 0])
    log_probs = (y @ model["output.weight"].T + model["output.bias"]).log_softmax(-1)
    return results(model, log_probs, classes) | {"classes": classes.int()}


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    batch = whole.make_batch()
    for name, tensors in (("language_model", language_model(batch)), ("classifier", classifier(batch))):
        save_file(tensors, folder / f"{name}.safetensors")
        print(f"{name}: loss {tensors['result.loss'].item():.12f}, nll {tensors['result.nll'].item():.12f}")


if __name__ == "__main__":
    main()
