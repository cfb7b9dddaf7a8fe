#!/usr/bin/env python3
"""Writes scores.tsv beside this script: scores and token lines of sacreBLEU itself (pip install sacrebleu==2.6.0).

Lines, fields separated by tabs, segments of one file by ' ||| ':
  tokens  TOKENISER  EXPECTED  LINE               of BLEU; of TER: "ter" and its options
  score   OPTIONS  EXPECTED LINE AT WIDTH 8  HYPOTHESES  REFERENCES [REFERENCES ...]
  short, json: the same with the short signature, or JSON (newlines as '\\n')
  confidence, confidence-json: the same with an interval of n resamples
  table, table-json  OPTIONS  EXPECTED  SYSTEMS  HYPOTHESES ... REFERENCES ...: several systems, bs=N or ar=N a test
OPTIONS: bleu, chrf or ter, then some of lc, eff, nw=2, tok=NAME, smooth=NAME, value=X, nc=N, beta=N, space, eps, case, norm,
nopunct, asian, n=N.
"""
import argparse
import contextlib
import io
import json
import os
import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest
from sacrebleu.utils import Color, print_results_table

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
    "the dog's, the dogs' man's; and a \"dog's\" (5-6) -- what?! It's",
    "５．５％、「漢字」とカタカナ・ｶﾅ｡ ㈱ ㌔ 한국어？ （全角） 豈 ⺀ \u3f22\u3f23",
    ".NET starts “here” → there, 20—30 €, \u2a6d\u2a6e \U00020000 x",
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
CHRF_OPTIONS = ["", "lc", "nw=2", "nw=2 lc", "nw=1", "nc=2", "beta=3 nw=2", "beta=1", "space", "eps", "eps nw=2 space beta=3"]
TER_OPTIONS = ["", "case", "norm", "nopunct", "asian norm", "asian nopunct", "norm nopunct asian case"]


def random_corpora(count, longest=6):
    """Hypotheses that are references with words replaced, dropped, swapped and re-cased."""
    rng = random.Random(7)
    words = "the The a man Mann woman's dog, dogs. 3 4.5 1,000 5-6 in-line (red) \u201egrün\u201c blau! & &amp; x/y Äpfel é".split()
    for _ in range(count):
        size, streams = rng.randint(1, longest), rng.randint(1, 3)
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


def shifted_corpora(count):
    """Long lines of few words, runs of which were moved: many shifts to try, up to Tercom's limits."""
    rng = random.Random(11)
    for number in range(count):
        reference = [rng.choice("abcdefghijklmnopqrstuvwxyz"[:rng.choice([3, 8, 26])]) for _ in range(rng.randint(20, 120))]
        words = list(reference)
        for _ in range(rng.randint(1, 8)):
            begin, length = rng.randrange(len(words)), rng.randint(1, 14)
            run = words[begin:begin + length]
            del words[begin:begin + length]
            to = rng.randrange(len(words) + 1)
            words[to:to] = run
        if number % 4 == 0:  # far from the diagonal
            words = words[:rng.randint(1, 5)] if number % 8 else words + words
        yield [" ".join(words)], [[" ".join(reference)]]


def make_metric(options):
    name, *rest = options.split()
    values = dict(item.split("=") for item in rest if "=" in item)
    lowercase = "lc" in rest
    if name == "chrf":
        return CHRF(lowercase=lowercase, word_order=int(values.get("nw", 0)), char_order=int(values.get("nc", 6)),
                    beta=int(values.get("beta", 2)), whitespace="space" in rest, eps_smoothing="eps" in rest)
    if name == "ter":
        return TER(normalized="norm" in rest, no_punct="nopunct" in rest, asian_support="asian" in rest,
                   case_sensitive="case" in rest)
    value = float(values["value"]) if "value" in values else None
    return BLEU(lowercase=lowercase, effective_order="eff" in rest, tokenize=values.get("tok", "13a"),
                smooth_method=values.get("smooth", "exp"), smooth_value=value, force=True)


def score_line(kind, options, hypotheses, references):
    metric = make_metric(options)
    resamples = [int(option[2:]) for option in options.split() if option.startswith("n=")]
    score = metric.corpus_score(hypotheses, references, n_bootstrap=resamples[0] if resamples else 1)
    signature = metric.get_signature()
    if kind.endswith("json"):
        expected = score.format(4, False, signature.format(), True).replace("\n", "\\n")
    else:
        expected = score.format(2 if kind == "short" else 8, False, signature.format(kind == "short"))
    return "\t".join([kind, options, expected, " ||| ".join(hypotheses), *(" ||| ".join(r) for r in references)])


def table(kind, options, systems, references):
    """The grid and the signatures, or JSON; not the words between them, which explain p."""
    names = [f"system {i}" for i in range(1, len(systems) + 1)]
    values = dict(item.split("=") for item in options.split() if "=" in item)
    test, trials = next(((t, int(values[t])) for t in ("bs", "ar") if t in values), ("", 0))
    metrics = {name.upper(): make_metric(name) for name in ("bleu", "chrf", "ter")}
    for metric in metrics.values():
        metric._ref_cache = metric._cache_references(references)
    if test:
        signatures, scores = PairedTest([(f"Baseline: {names[0]}" if i == 0 else names[i], system) for i, system in enumerate(systems)],
                                        metrics, None, test, trials)()
    else:
        scores, signatures = {"System": names}, {}
        for metric in metrics.values():
            for system in systems:
                score = metric.corpus_score(system, None)
                signatures[score.name] = metric.get_signature()
                scores.setdefault(score.name, []).append(score.format(2, True))
    if kind == "table-json":  # float: sacreBLEU fails at NumPy's 32-bit floats
        objects = [{"system": name, **{n: vars(scores[n][i]) if test else scores[n][i] for n in list(scores)[1:]}}
                   for i, name in enumerate(scores["System"])]
        expected = json.dumps(objects, indent=4, default=float) + "\n"
    else:
        args = argparse.Namespace(format="text", width=2, paired_bs=test == "bs", paired_ar=test == "ar", paired_bs_n=trials,
                                  paired_ar_n=trials)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            print_results_table(scores, {name: signature.format() for name, signature in signatures.items()}, args)
        text = printed.getvalue()
        expected = text.split("\n\n")[0] + text[text.find("-----------------\nMetric signatures"):]
    fields = [" ||| ".join(lines) for lines in [*systems, *references]]
    return "\t".join([kind, options, expected.replace("\n", "\\n"), str(len(systems)), *fields])


def resampled_rows():
    rows = []
    corpora = [c for c in random_corpora(400, 30) if len(c[0]) > 12][:8]
    for number, (hypotheses, references) in enumerate(corpora):
        n = [2, 39, 40, 100, 200, 1000, 333, 129][number]
        for options in ["bleu", "bleu smooth=add-k value=0.3", "chrf nw=2", "chrf eps beta=3", "ter", "ter norm"]:
            rows.append(score_line("confidence", f"{options} n={n}", hypotheses, references))
        rows.append(score_line("confidence-json", f"chrf n={n}", hypotheses, references))
        rng = random.Random(number)
        systems = [hypotheses] + [[" ".join(w for w in line.split(" ") if rng.random() > 0.02 * s) for line in hypotheses]
                                  for s in (1, 9)]
        for test in ["", f"bs={n}", f"ar={n}"]:
            rows += [table("table", test, systems, references), table("table-json", test, systems, references)]
    rows.append(score_line("confidence", "bleu n=20", ["a b", "c d", "e"], [["x", "y", "z"]]))  # 0 has no interval
    return rows


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    Color.ENABLE_COLORS = False
    rows = []
    for tokenizer in ["13a", "intl", "char", "zh", "none"]:
        tokenize = BLEU(tokenize=tokenizer).tokenizer
        rows += ["\t".join(["tokens", tokenizer, " ".join(tokenize(line.rstrip()).split()), line]) for line in LINES]
    for options in TER_OPTIONS:
        tokenize = make_metric(f"ter {options}").tokenizer
        rows += ["\t".join(["tokens", f"ter {options}".strip(), tokenize(line.rstrip()), line]) for line in LINES]
    for hypotheses, references in CORPORA:
        rows += [score_line("score", f"bleu {o}".strip(), hypotheses, references) for o in BLEU_OPTIONS]
        rows += [score_line("score", f"chrf {o}".strip(), hypotheses, references) for o in CHRF_OPTIONS]
        rows += [score_line("score", f"ter {o}".strip(), hypotheses, references) for o in TER_OPTIONS]
    for hypotheses, references in [ALL_LINES, *random_corpora(50)]:
        rows += [score_line("score", o, hypotheses, references) for o in ["bleu", "bleu lc eff", "bleu tok=intl", "bleu tok=zh", "chrf lc nw=2",
                                                                             "chrf space eps", "ter", "ter norm asian"]]
    for hypotheses, references in shifted_corpora(40):
        rows += [score_line("score", o, hypotheses, references) for o in ["ter", "ter norm nopunct"]]
    for kind in ["short", "json"]:
        rows += [score_line(kind, o, *CORPORA[0]) for o in ["bleu lc", "chrf", "bleu smooth=add-k", "chrf nw=2", "ter", "ter norm"]]
    rows += resampled_rows()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scores.tsv")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.write("".join(row + "\n" for row in rows))


if __name__ == "__main__":
    main()
