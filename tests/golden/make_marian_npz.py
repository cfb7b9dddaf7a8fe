#!/usr/bin/env python3
"""Models as Marian writes them, with random weights, and what comes of a few lines with them.

    pip install numpy sentencepiece && python3 make_marian_npz.py [FOLDER]

writes into FOLDER (default: ../fixtures/marian_npz) two folders:

    post    as OPUS-MT's: one table, a SentencePiece model for each side, whose pieces have their ids in one vocabulary of YAML;
            post-norm, swish; decoder.yml names the files; weights in f32
    pre     pre-norm with a norm on top, ReLU; three tables, a SentencePiece model for each side with ids of its own; f16; the
            output without a bias, stored [D, V] as earlier versions did

and into each `lines`, a text; `greedy`, what comes of it, ended at 12 pieces; `log_probabilities`, of each of their
pieces and of </s> where there is one.

The forward pass is Marian's, written down here once more in NumPy, f64, from its equations: y = x W + b with W [in, out];
embeddings times sqrt(D), and sines, then cosines, of p / 10000^(i / (D/2 - 1)); LN with epsilon 1e-6; a translation begins
with an embedding of zeros. An array of the file is stored as the bytes of a .npy; the options are one of int8, ended by 0.
"""
import io
import pathlib
import random
import shutil
import sys
import zipfile

import numpy as np
import sentencepiece

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "../fixtures/marian_npz")
WORDS = {"en": "the a old small dog cat horse house sees runs sleeps and near green quickly never my your river tree".split(),
         "de": "der die das alte kleine hund katze pferd haus sieht läuft schläft und bei grün schnell nie mein fluss baum".split()}
MOST_PIECES = 12


def sentences(language, count, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS[language], k=rng.randint(2, 7))) + rng.choice(".!?") for _ in range(count)]


def train_pieces(path, language, size):
    """As Marian trains them: </s> 0, <unk> 1, and no others."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(language, 400, language)), model_writer=open(path, "wb"), vocab_size=size,
        bos_id=-1, eos_id=0, unk_id=1, normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, minloglevel=2)
    model = sentencepiece.SentencePieceProcessor(str(path))
    return model, [model.id_to_piece(i) for i in range(model.get_piece_size())]


class Model:
    """Parameters by Marian's names, drawn when they are first asked for."""

    def __init__(self, seed, heads, depth, norm, activation, dim, ffn):
        self.rng, self.p = np.random.default_rng(seed), {}
        self.heads, self.depth, self.pre, self.activation, self.dim, self.ffn = heads, depth, norm == "pre", activation, dim, ffn

    def get(self, name, *shape):
        if name not in self.p:
            ones = 1 if "_ln_scale" in name else 0
            self.p[name] = ones + self.rng.normal(0, 0.4 if min(shape) > 1 else 0.2, shape)
        return self.p[name]

    def affine(self, x, prefix, name, n):
        return x @ self.get(f"{prefix}_W{name}", x.shape[-1], n) + self.get(f"{prefix}_b{name}", 1, n)

    def layer_norm(self, x, prefix, suffix=""):
        centred = x - x.mean(-1, keepdims=True)
        normal = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-6)
        return normal * self.get(f"{prefix}_ln_scale{suffix}", 1, self.dim) + self.get(f"{prefix}_ln_bias{suffix}", 1, self.dim)

    def block(self, x, prefix, inner):
        if self.pre:
            return x + inner(self.layer_norm(x, prefix, "_pre"))
        return self.layer_norm(inner(x) + x, prefix)

    def attention(self, q, kv, prefix, causal):
        D, d = self.dim, self.dim // self.heads
        q, k, v = (self.affine(x, prefix, name, D) for x, name in ((q, "q"), (kv, "k"), (kv, "v")))
        out = np.empty_like(q)
        for h in range(self.heads):
            part = slice(h * d, (h + 1) * d)
            z = q[:, part] @ k[:, part].T / np.sqrt(d)
            if causal:
                z[np.triu_indices(len(q), 1)] = -np.inf
            p = np.exp(z - z.max(-1, keepdims=True))
            out[:, part] = p / p.sum(-1, keepdims=True) @ v[:, part]
        return self.affine(out, prefix, "o", D)

    def feed_forward(self, x, prefix):
        z = self.affine(x, prefix, "1", self.ffn)
        return self.affine(z / (1 + np.exp(-z)) if self.activation == "swish" else np.maximum(z, 0), prefix, "2", self.dim)

    def stack(self, x, side, memory=None):
        half = self.dim // 2
        angles = np.arange(len(x))[:, None] * np.exp(np.arange(half) * -np.log(10000) / (half - 1))
        x = x * np.sqrt(self.dim) + np.concatenate([np.sin(angles), np.cos(angles)], 1)
        for l in range(1, self.depth + 1):
            name = f"{side}_l{l}"
            x = self.block(x, f"{name}_self_Wo", lambda y: self.attention(y, y, f"{name}_self", memory is not None))
            if memory is not None:
                x = self.block(x, f"{name}_context_Wo", lambda y: self.attention(y, memory, f"{name}_context", False))
            x = self.block(x, f"{name}_ffn_ffn", lambda y: self.feed_forward(y, f"{name}_ffn"))
        return self.layer_norm(x, f"{side}_top") if self.pre else x


def npy(array):
    bytes_ = io.BytesIO()
    np.lib.format.write_array(bytes_, array, version=(1, 0))
    return bytes_.getvalue()


def write_npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), npy(array))


def make(name, seed, norm, activation, shared, number):
    home = folder / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    source, source_pieces = train_pieces(home / "source.spm", "en", 60)
    _, target_pieces = train_pieces(home / "target.spm", "de", 66)
    vocabularies = ["source.spm", "target.spm"]
    if shared:
        source_pieces = target_pieces = source_pieces + [piece for piece in target_pieces if piece not in source_pieces]
        vocabularies = ["/data/of/another/machine/opus.vocab.yml"] * 2
        (home / "opus.vocab.yml").write_text("".join(f'"{piece}": {i}\n' for i, piece in enumerate(source_pieces)), encoding="utf-8")
    model = Model(seed, heads=2, depth=2, norm=norm, activation=activation, dim=12, ffn=20)
    source_table = model.get("Wemb" if shared else "encoder_Wemb", len(source_pieces), model.dim)
    target_table = model.get("Wemb" if shared else "decoder_Wemb", len(target_pieces), model.dim)
    output = target_table.T if shared else model.get("decoder_ff_logit_out_W", model.dim, len(target_pieces))
    bias = model.get("decoder_ff_logit_out_b", 1, len(target_pieces)) if shared else 0
    lines, texts, scores = sentences("en", 24, seed), [], []
    for step in ("draw all parameters", "use them as they are stored"):
        for line in lines if step.startswith("use") else lines[:1]:
            ids = [source_pieces.index(piece) for piece in source.encode(line, out_type=str)] + [0]
            memory = model.stack(source_table[ids], "encoder")
            made, log_probabilities = [], []
            while len(made) < MOST_PIECES and made[-1:] != [0]:
                before = np.concatenate([np.zeros((1, model.dim)), target_table[made]])
                logits = (model.stack(before, "decoder", memory) @ output + bias)[-1]
                logits = logits - logits.max()
                log_p = logits - np.log(np.exp(logits).sum())
                made.append(int(np.argmax(np.where(np.arange(len(log_p)) == 1, -np.inf, log_p))))  # never <unk>
                log_probabilities.append(f"{log_p[made[-1]]:.6f}")
            texts.append("".join(target_pieces[i] for i in made if i != 0).removeprefix("▁").replace("▁", " "))
            scores.append(" ".join(log_probabilities))
        model.p = {name: array.astype(number).astype(np.float64) for name, array in model.p.items()}
        source_table, target_table = (model.p[n] for n in (("Wemb", "Wemb") if shared else ("encoder_Wemb", "decoder_Wemb")))
        output = target_table.T if shared else model.p["decoder_ff_logit_out_W"]
        bias = model.p["decoder_ff_logit_out_b"] if shared else 0
    texts, scores = texts[1:], scores[1:]
    options = f"""\
# of a random model
bert-train-type-embeddings: true
dec-depth: {model.depth}
dim-emb: {model.dim}
dim-vocabs:
  - {len(source_pieces)}
  - {len(target_pieces)}
enc-depth: {model.depth}
max-length: 60
tied-embeddings: false
tied-embeddings-all: {"true" if shared else "false"}
transformer-decoder-autoreg: self-attention
transformer-depth-scaling: false
transformer-dim-ffn: {model.ffn}
transformer-dropout: 0.1
transformer-ffn-activation: {activation}
transformer-ffn-depth: 2
transformer-heads: {model.heads}
transformer-postprocess: {"da" if model.pre else "dan"}
transformer-postprocess-emb: d
transformer-postprocess-top: {"n" if model.pre else '""'}
transformer-preprocess: {"n" if model.pre else '""'}
transformer-tied-layers:
  []
type: transformer
version: v1.9.0
vocabs:
  - {vocabularies[0]}
  - {vocabularies[1]}
"""
    arrays = {key: array.astype(number) for key, array in model.p.items()}
    write_npz(home / "model.npz", arrays | {"special:model.yml": np.frombuffer(options.encode() + b"\0", dtype=np.int8)})
    if shared:
        (home / "decoder.yml").write_text(
            "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - opus.vocab.yml\n  - opus.vocab.yml\nbeam-size: 4\nnormalize: 1\n")
    for file, rows in (("lines", lines), ("greedy", texts), ("log_probabilities", scores)):
        (home / file).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


make("post", 1, "post", "swish", True, np.float32)
make("pre", 2, "pre", "relu", False, np.float16)
