"""A run folder of xformer-train as a CTranslate2 model: the same weights under the other engine's names.

CTranslate2 knows our Transformer: fused Q, K, V as [3D, D], cross-attention's K and V as [2D, D], ReLU, one matrix for
both embeddings and the output. Its sinusoids come in halves; ours, sine and cosine in turn, are handed over as a table.
"""
import os
import sys
import tomllib
import unicodedata

import numpy as np
import sentencepiece
from ctranslate2.specs import transformer_spec
from safetensors.numpy import load_file

LAYER_NORM_EPSILON = 1e-5
POSITIONS = 2048


class Run:
    """The text side and the weights of a run folder, or a checkpoint inside one."""

    def __init__(self, folder):
        inside = (os.path.join(folder, name) for name in ("averaged", "best", "latest"))
        model = next(filter(os.path.isdir, inside), folder)
        self.weights_file = os.path.join(model, "model.safetensors")
        with open(os.path.join(model, "config.toml"), "rb") as file:
            self.config = tomllib.load(file)
        config = self.config
        if not (config["tied-embeddings-all"] and config["transformer-ffn-activation"] == "relu"
                and config["norm"] in ("pre", "post") and config["position-layout"] == "interleaved"
                and not config.get("transformer-train-positions")):
            sys.exit("ctranslate2_model.py converts layer norm, ReLU, interleaved sinusoids, tied-embeddings-all only")
        while not os.path.exists(os.path.join(folder, "vocab.spm")):
            folder, parent = os.path.dirname(os.path.abspath(folder)), folder
            if folder == parent:
                sys.exit("no vocab.spm: the converter reads SentencePiece vocabularies only")
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "vocab.spm"))

    def encode(self, line):
        text = unicodedata.normalize("NFC", line)
        return self.pieces.encode(text.lower() if self.config["lowercase"] else text, out_type=str)

    def decode(self, tokens):
        return self.pieces.decode(tokens)

    def vocabulary(self):
        return [self.pieces.id_to_piece(i) for i in range(self.pieces.get_piece_size())]

    def special(self, name):
        return self.pieces.id_to_piece(getattr(self.pieces, name + "_id")())


def sinusoids(positions, width):
    angle = np.arange(positions)[:, None] / 10000.0 ** (np.arange(0, width, 2) / width)
    return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(positions, width).astype(np.float32)


def convert(run, folder):
    """Writes the CTranslate2 model of `run` into `folder`."""
    weights, config = load_file(run.weights_file), run.config
    width = config["dim-emb"]

    def linear(spec, name, rows=slice(None)):
        spec.weight, spec.bias = weights[name + ".weight"][rows], weights[name + ".bias"][rows]

    def norm(spec, name):
        spec.gamma, spec.beta = weights[name + ".norm.weight"], weights[name + ".norm.bias"]

    def self_attention_and_feed_forward(layer, name):
        linear(layer.self_attention.linear[0], name + ".self_attention.qkv")
        linear(layer.self_attention.linear[1], name + ".self_attention.out")
        norm(layer.self_attention.layer_norm, name + ".self_attention")
        linear(layer.ffn.linear_0, name + ".feed_forward.in")
        linear(layer.ffn.linear_1, name + ".feed_forward.out")
        norm(layer.ffn.layer_norm, name + ".feed_forward")

    spec = transformer_spec.TransformerSpec.from_config(
        (config["enc-depth"], config["dec-depth"]), config["transformer-heads"], pre_norm=config["norm"] == "pre")
    for l, layer in enumerate(spec.encoder.layer):
        self_attention_and_feed_forward(layer, f"encoder.layers.{l}")
    for l, layer in enumerate(spec.decoder.layer):
        name = f"decoder.layers.{l}"
        self_attention_and_feed_forward(layer, name)
        linear(layer.attention.linear[0], name + ".cross_attention.q")
        linear(layer.attention.linear[1], "decoder.cross_kv", slice(2 * width * l, 2 * width * (l + 1)))
        linear(layer.attention.linear[2], name + ".cross_attention.out")
        norm(layer.attention.layer_norm, name + ".cross_attention")
    for embeddings in (spec.encoder.embeddings[0], spec.decoder.embeddings):
        embeddings.weight = weights["embedding.weight"]
    for stack in (spec.encoder, spec.decoder):
        stack.position_encodings.encodings = sinusoids(POSITIONS, width)
    if config["norm"] == "pre":
        norm(spec.encoder.layer_norm, "encoder")
        norm(spec.decoder.layer_norm, "decoder")
    spec.decoder.projection.weight = weights["embedding.weight"]
    spec.decoder.projection.bias = weights["output.bias"]

    spec.config.layer_norm_epsilon = LAYER_NORM_EPSILON
    spec.config.bos_token, spec.config.eos_token = run.special("bos"), run.special("eos")
    spec.config.unk_token = run.special("unk")
    spec.config.decoder_start_token = run.special("bos")
    spec.config.add_source_eos = True
    spec.register_source_vocabulary(run.vocabulary())
    spec.register_target_vocabulary(run.vocabulary())
    spec.validate()
    spec.optimize(quantization="float32")
    os.makedirs(folder, exist_ok=True)
    spec.save(folder)
