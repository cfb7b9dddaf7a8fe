#!/usr/bin/env python3
"""Tokenizers as OPUS-MT has them, a SentencePiece model for each side and one vocab.json for both, and transformers' ids.

    pip install transformers sentencepiece && python3 make_marian_tokenizer.py [FOLDER]

writes into FOLDER (default: ../fixtures/marian_tokenizer) for each type of SentencePiece model a folder of its name with
source.spm, target.spm, vocab.json, which holds pieces of both and two languages' tags, and tokenizer_config.json; and beside
them `lines`. ids.json has for each type what MarianTokenizer makes of these lines, as `source` and as `target`, without </s>,
and `decoded`, the target's ids as text.
"""
import collections
import json
import pathlib
import shutil
import sys

import sentencepiece
from transformers import MarianTokenizer

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "../fixtures/marian_tokenizer")
TEXT = {"source": ["the small dog sees the old cat near the house", "a horse runs, and the river never sleeps!",
                   "quickly: my tree is green", "in Munich we saw the zoo", "did you see her?"],
        "target": ["der kleine Hund sieht die alte Katze bei dem Haus", "ein Pferd läuft, und der Fluss schläft nie!",
                   "schnell: mein Baum ist grün", "in München sahen wir ein Äffchen", "日本語 und 한국어, größer"]}
LINES = ["the small dog", "München", "der kleine Hund läuft", "the old cat in München sees 日本語", "日本", "한국어 ñ", "ß",
         "größer than the tree", "", "Äffchen!", "ab  cd", " the dog ", "x ü y", "the-river.never?", "\u2581 the", "12 & 3",
         ">>fra<< the small dog", ">>fra<<the dog", ">>cmn_Hans<< München", ">>xyz<< the dog", "see >> the << dog"]


def train(path, lines, kind):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 10), model_writer=open(path, "wb"), vocab_size=90, model_type=kind,
        normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, minloglevel=2)
    return sentencepiece.SentencePieceProcessor(str(path))


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


shutil.rmtree(folder, ignore_errors=True)
ids = {}
for kind in ("unigram", "bpe", "char", "word"):
    home = folder / kind
    home.mkdir(parents=True)
    counts = collections.Counter()
    for side, lines in TEXT.items():
        model = train(home / f"{side}.spm", lines, kind)
        for line in lines:
            counts.update(model.encode(line, out_type=str))
    pieces = ["</s>", "<unk>", ">>fra<<", ">>cmn_Hans<<"] + [piece for piece, _ in counts.most_common()] + ["<pad>"]
    write_json(home / "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    write_json(home / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer", "separate_vocabs": False})
    tokenizer = MarianTokenizer.from_pretrained(home)
    source = [tokenizer(line).input_ids[:-1] for line in LINES]
    target = [tokenizer(text_target=line).input_ids[:-1] for line in LINES]
    # What it says of </s> and of marks of unknown words is not ours.
    known = [[i for i in row if i != tokenizer.unk_token_id] for row in target]
    decoded = [tokenizer.decode(row, skip_special_tokens=True, use_source_tokenizer=False) for row in known]
    ids[kind] = {"source": source, "target": target, "decoded": decoded}
(folder / "lines").write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
(folder / "ids.json").write_text(json.dumps(ids, ensure_ascii=False) + "\n", encoding="utf-8")
