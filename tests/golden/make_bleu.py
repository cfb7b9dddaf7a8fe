#!/usr/bin/env python3
"""Writes bleu.tsv beside this script: scores and token lines of sacreBLEU itself (pip install sacrebleu==2.6.0).

Lines, fields separated by tabs, segments of one file by ' ||| ':
  tokens  TOKENISER  EXPECTED  LINE
  score   OPTIONS  EXPECTED LINE AT WIDTH 8  HYPOTHESES  REFERENCES [REFERENCES ...]
  short, json: the same with the short signature, or JSON (newlines as '\\n')
OPTIONS: bleu or chrf, then some of lc, eff, nw=2, tok=NAME, smooth=NAME, value=X.
"""
import os
import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

LINES = [
    "a..b... 1-2 5.-x 7., &quot;hi&quot;",
    "The price is $1,234.56 - or 5% (max. 10,000).",
    "A man's hat, well-known since 1990-95, isn't here.",
    "&lt;b&gt;bold&lt;/b&gt; &amp;amp; more &amp;quot; <skipped> text",
    "Ein Mann\u00a0mit 5\u00a0000 Hunden \u201ewartet\u201c \u2013 sagt er\u2026",
    "Straße, Äpfel; Öl: Übung! Größe? ÇA VA",
    "10.000,5 .5 5. ,5 5, -5 5- 5--6 1.2.3.4 a.b.c",
    "no space before.period,comma and..dots...here",
    "tab\u2003em space \u3000ideographic \u001c separator\u0085next",
    "日本語のテキスト。 中文,标点!",
    "`back` ^caret^ ~tilde~ {brace} [bracket] |pipe| @at #hash \\slash/",
    "€5 £6.50 ½ ² ٣٤ x²",
    "ΟΔΟΣ ΣΊΣΥΦΟΣ İstanbul IJ ẞ",
    "e.g. i.e. U.S.A. Mr. Smith's 'quoted' words''",
    "a",
    ".",
    "",
    "   ",
    "emoji 😀😀, fl\u0301ag 🇩🇪!",
    "trailing space and NBSP \u00a0 ",
]

CORPORA = [
    (["the cat sat on the mat ."], [["the cat is on the mat ."]]),
    (["The cat sat on the mat."], [["the cat SAT on the mat."]]),
    (["the the the the the the the"], [["the cat is on the mat"]]),
    (["a b c"], [["a b c"]]),
    (["a b c d e"], [["a b c d e"]]),
    (["x"], [["y"]]),
    (["x"], [["x"]]),
    ([""], [["a b"]]),
    ([""], [[""]]),
    (["a b c d"], [[""]]),
    (["", "a b c d e f"], [["g h", "a b c d f e"]]),
    (["a b c d e f g"], [["a b c"], ["a b c d e f g h i j k"]]),
    (["a b c d", "w x y z"], [["a b c e", "w x y"], ["a b d c", "w x z y q"], ["", "x y z"]]),
    (["abcdefgh ij", "the cat sat"], [["ab", "the cat is"]]),  # an order that one reference lacks
    (["(hi) 'there', mate! -"], [["(hi there) mate's! --"]]),
    (["A dog, 1,5 m tall."], [["Ein Hund, 1,5 m groß."]]),
]
ALL_LINES = (LINES, [LINES[1:] + LINES[:1], [line.upper() for line in LINES]])

BLEU_OPTIONS = ["", "lc", "tok=none", "tok=intl", "tok=char", "eff", "eff lc tok=none", "smooth=none", "smooth=floor",
                "smooth=add-k", "smooth=floor value=0.25", "smooth=add-k value=2", "eff smooth=add-k"]
CHRF_OPTIONS = ["", "lc", "nw=2", "nw=2 lc", "nw=1"]


def random_corpora(count):
    """Hypotheses that are references with words replaced, dropped, swapped and re-cased."""
    rng = random.Random(7)
    words = "the The a man Mann woman's dog, dogs. 3 4.5 1,000 5-6 in-line (red) \u201egrün\u201c blau! & &amp; x/y Äpfel é".split()
    for _ in range(count):
        size, streams = rng.randint(1, 6), rng.randint(1, 3)
        references = [[[rng.choice(words) for _ in range(rng.randint(0, 12))] for _ in range(size)]
                      for _ in range(streams)]
        hypotheses = []
        for segment in range(size):
            line = [w if rng.random() < 0.75 else rng.choice(words) for w in rng.choice(references)[segment]]
            if len(line) > 2 and rng.random() < 0.4:
                i = rng.randrange(len(line) - 1)
                line[i], line[i + 1] = line[i + 1], line[i]
            if line and rng.random() < 0.3:
                line.pop(rng.randrange(len(line)))
            hypotheses.append(" ".join(line))
        yield hypotheses, [[" ".join(line) for line in stream] for stream in references]


def make_metric(options):
    name, *rest = options.split()
    values = dict(item.split("=") for item in rest if "=" in item)
    lowercase = "lc" in rest
    if name == "chrf":
        return CHRF(lowercase=lowercase, word_order=int(values.get("nw", 0)))
    value = float(values["value"]) if "value" in values else None
    return BLEU(lowercase=lowercase, effective_order="eff" in rest, tokenize=values.get("tok", "13a"),
                smooth_method=values.get("smooth", "exp"), smooth_value=value, force=True)


def score_line(kind, options, hypotheses, references):
    metric = make_metric(options)
    score = metric.corpus_score(hypotheses, references)
    signature = metric.get_signature()
    if kind == "json":
        expected = score.format(4, False, signature.format(), True).replace("\n", "\\n")
    else:
        expected = score.format(8 if kind == "score" else 2, False, signature.format(kind == "short"))
    return "\t".join([kind, options, expected, " ||| ".join(hypotheses), *(" ||| ".join(r) for r in references)])


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    rows = []
    for tokenizer in ["13a", "intl", "char", "none"]:
        tokenize = BLEU(tokenize=tokenizer).tokenizer
        rows += ["\t".join(["tokens", tokenizer, " ".join(tokenize(line.rstrip()).split()), line]) for line in LINES]
    for hypotheses, references in CORPORA:
        rows += [score_line("score", f"bleu {o}".strip(), hypotheses, references) for o in BLEU_OPTIONS]
        rows += [score_line("score", f"chrf {o}".strip(), hypotheses, references) for o in CHRF_OPTIONS]
    for hypotheses, references in [ALL_LINES, *random_corpora(50)]:
        rows += [score_line("score", o, hypotheses, references) for o in ["bleu", "bleu lc eff", "bleu tok=intl", "chrf lc nw=2"]]
    for kind in ["short", "json"]:
        rows += [score_line(kind, o, *CORPORA[0]) for o in ["bleu lc", "chrf", "bleu smooth=add-k", "chrf nw=2"]]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bleu.tsv")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("".join(row + "\n" for row in rows))


if __name__ == "__main__":
    main()
