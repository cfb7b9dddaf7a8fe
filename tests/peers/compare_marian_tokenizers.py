#!/usr/bin/env python3
"""Ids of text for models of OPUS-MT's form, here and in transformers:

    python compare_marian_tokenizers.py PROGRAMS TEXT.en TEXT.de

Learns a SentencePiece model of each type for either text, and one list of pieces for both, as OPUS-MT has them; makes a
random MarianMT model of them, which xformer-export reads; and compares what xformer-vocab makes of both texts and of odd
characters, on either side, with MarianTokenizer's ids. Needs torch, transformers and sentencepiece. Prints a line for each
claim and exits with 1 if one does not hold.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

programs, *paths = sys.argv[1:]
texts = {side: pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1] for side, path in zip(("source", "target"), paths)}
SIZES = {"unigram": 1000, "bpe": 1000, "char": 200, "word": 2000}
rng = random.Random(1)


def odd_lines(count):
    blocks = [(33, 127), (0xA1, 0x250), (0x400, 0x450), (0x4E00, 0x4E80), (32, 33)]
    made = ["".join(chr(rng.randrange(*rng.choice(blocks))) for _ in range(rng.randrange(1, 30))) for _ in range(count)]
    return ["München 日本", "½ ² ﬁ", "\u200bzero", "e\u0301 é", "\U0001F642 ok", ">>fra<< hi", ">>fra<<hi", ">>cmn_Hans<< hi", ">>zzz<< hi",
            "a\u00a0b"] + made


def make(home, kind):
    """A folder as convert_marian_to_pytorch leaves it."""
    home.mkdir()
    counts = collections.Counter()
    for side, lines in texts.items():
        with open(home / f"{side}.spm", "wb") as writer:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(lines), model_writer=writer, vocab_size=SIZES[kind], model_type=kind,
                hard_vocab_limit=False, num_threads=1, minloglevel=2)
        model = sentencepiece.SentencePieceProcessor(str(home / f"{side}.spm"))
        for line in lines:
            counts.update(model.encode(line, out_type=str))
    pieces = ["</s>", "<unk>", ">>fra<<", ">>cmn_Hans<<"] + [piece for piece, _ in counts.most_common()] + ["<pad>"]
    ids = {piece: i for i, piece in enumerate(pieces)}
    (home / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False), encoding="utf-8")
    (home / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "MarianTokenizer", "separate_vocabs": False}))
    pad = ids["<pad>"]
    MarianMTModel(MarianConfig(
        vocab_size=len(ids), decoder_vocab_size=len(ids), d_model=8, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=512, scale_embedding=True,
        activation_function="swish", pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0)).save_pretrained(home)


def run(program, *arguments):
    return subprocess.run([f"{programs}/{program}", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


torch.manual_seed(1)
failures = 0
with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    lines = [unicodedata.normalize("NFC", line) for line in texts["source"] + texts["target"] + odd_lines(500)]
    (scratch / "lines").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    for kind in SIZES:
        home = scratch / kind
        make(home, kind)
        run("xformer-export", "to", "xformer", "-m", home, "-o", f"{home}.run", "--quiet")
        theirs = MarianTokenizer.from_pretrained(home)
        for side in texts:
            ids = run("xformer-vocab", "encode", "-m", f"{home}.run/vocab.{side}.spm", "-i", scratch / "lines", "--format", "id")
            ours = [[int(word) for word in line.split()] for line in ids.split("\n")[:-1]]
            wanted = [(theirs(line) if side == "source" else theirs(text_target=line)).input_ids[:-1] for line in lines]
            differ = [line for line, a, b in zip(lines, ours, wanted) if a != b]
            holds = len(ours) == len(lines) and not differ
            failures += not holds
            print(f"{'ok     ' if holds else 'FAILED '} {kind}, {side}: MarianTokenizer's ids, {len(lines) - len(differ)} of {len(lines)} lines",
                  *differ[:3], flush=True)
sys.exit(failures > 0)
