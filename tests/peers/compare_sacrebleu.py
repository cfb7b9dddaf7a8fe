#!/usr/bin/env python3
"""Compares xformer-score with sacreBLEU on made-up texts that no tokeniser likes: python compare_sacrebleu.py PROGRAM

Every metric, tokeniser and smoothing, several references, single lines, confidence intervals, several systems, paired
tests: all printed digits must be the same. Prints how many numbers or tables were compared and how many differ, then the
first differences; exits with 1 if there are any, and prints "[skipped] why" where there is no sacreBLEU 2.6.0.
"""
import argparse
import contextlib
import io
import itertools
import json
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter

try:
    import numpy
    import sacrebleu
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.significance import PairedTest
    from sacrebleu.utils import Color, print_results_table
except ImportError as error:
    print(f"[skipped] {error}; pip install sacrebleu==2.6.0")
    sys.exit(0)
if sacrebleu.__version__ != "2.6.0" or int(numpy.__version__.split(".")[0]) < 2:
    print(f"[skipped] sacreBLEU {sacrebleu.__version__} with NumPy {numpy.__version__}; 2.6.0 and 2 or later are compared")
    sys.exit(0)

WORDS = "the The cat DOG dogs' man's a is on mat ist Straße GROSS grün ΟΔΟΣ ΣΊΣΥΦΟΣ Σ İstanbul ıI ẞ ſ ǅ Ĳ ﬁn x y z e.g. U.S.A.".split()
MARKS = list(".,:;!?-'\"()[]{}<>|~^`@#$%&*+/\\=_") + ["--", "...", "''", "„", "“", "”", "«", "»", "…", "–", "—", "·", "€", "£", "™",
                                                     "±", "→", "∑", "×", "¿", "¡", "‘", "’"]
NUMBERS = ["1", "2.5", "3,14", "1.000,5", "10-12", "5.", ".5", ",7", "7,", "90-", "-90", "²", "½", "٣٤", "Ⅷ", "1.2.3.4", "৩"]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;amp;", "&apos;", "&#39;", "&nbsp;", "&", "<skipped>", "&QUOT;"]
EAST_ASIAN = list("日本語のテキスト中文标点漢字ひらがなカタカナーｶﾅ한국어㐀㌔㈱⺀㇀豈︰、。「」『』・｡｢｣､･，．？：；！＂（）０Ａ～　") + [
    "\U00020000", "\U0002F800", "\u2a6d", "\u2a6e", "\u2001", "\u2f80", "\u2fa1", "\u3f22", "\u3f23", "\u9fa6", "\u9fbc"]
RIGHT_TO_LEFT = ["שלום", "مرحبا", "\u200fאב\u200e", "\u202babc\u202c", "ا\u064eب"]
COMBINING = ["e\u0301", "a\u0308\u0301", "\u0301", "n\u0303", "\u20dd", "\u0345", "Σ\u0301", "क्ष", "ก็"]
EMOJI = ["😀", "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "☃", "♥\ufe0f", "1\ufe0f\u20e3", "🏴\U000e0067\U000e007f"]
INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u180e", "\x00", "\x07", "\x7f", "\u0080", "\ufffd", "\uffff"]
SPACES = [" "] * 30 + ["", "", "  ", "\t", "\u00a0", "\u2028", "\u2029", "\x1c", "\x1d", "\x1e", "\x1f", "\x0b", "\x0c", "\x85", "\r",
                       "\u2003", "\u202f", "\u205f", "\u3000", "\u1680"]
KINDS = [(WORDS, 40), (MARKS, 14), (NUMBERS, 8), (ENTITIES, 4), (EAST_ASIAN, 8), (RIGHT_TO_LEFT, 2), (COMBINING, 4), (EMOJI, 3), (INVISIBLE, 2)]
POOL = [piece for pieces, weight in KINDS for piece in random.Random(1).choices(pieces, k=50 * weight)]
SEED = "12345"


def any_character(rng):
    """Assigned, not a surrogate and not for private use, where the versions of Unicode at hand agree most."""
    while True:
        c = chr(rng.choice([rng.randrange(0x20, 0x3000), rng.randrange(0x20, 0x11000), rng.randrange(0x20, 0x30000)]))
        if unicodedata.category(c) not in ("Cn", "Cs", "Co") and c != "\n":
            return c


def make_line(rng, longest):
    if rng.random() < 0.06:
        return rng.choice(["", " ", "\u00a0\u2028", ".", "'s", "-"])
    strange = rng.random() < 0.2
    pool = [rng.choice(POOL) for _ in range(rng.choice([3, 8, 40]))]
    line = ""
    for _ in range(rng.randint(0, longest)):
        line += any_character(rng) if strange and rng.random() < 0.2 else rng.choice(pool)
        line += rng.choice(SPACES) if rng.random() < 0.85 else ""
    return line


def make_reference(rng, line, longest):
    """Another wording of `line`: runs moved, pieces replaced, doubled, dropped; now and then something else altogether."""
    if rng.random() < 0.08:
        return make_line(rng, longest)
    words = line.split(" ")
    for _ in range(rng.randint(0, 2 + len(words) // 6)):
        at, to = rng.randrange(len(words)), rng.randrange(len(words))
        kind = rng.random()
        if kind < 0.4:
            run = words[at:at + rng.randint(1, 12)]
            del words[at:at + len(run)]
            words[to:to] = run
        elif kind < 0.6:
            words[at] = rng.choice(POOL)
        elif kind < 0.75:
            words.insert(to, words[at])
        elif kind < 0.9 and len(words) > 1:
            del words[at]
        else:
            words[at] = words[at].swapcase()
    return " ".join(words)


def make_corpus(rng, systems, limit):
    """`systems` files and some references, of the same lines."""
    size = rng.choice([1, 1, 2, 3, 5, 8, 20])
    longest = rng.choice([6, 15, 15, 30, 60]) if size < 20 else 12
    if rng.random() < 0.02:
        size, longest = 1, 250
    longest = min(longest, limit)
    sources = [make_line(rng, longest) for _ in range(size)]
    if rng.random() < 0.02:
        sources = [""] * size
    return [[make_reference(rng, line, longest) for line in sources] for _ in range(systems + rng.choice([1, 1, 2, 3]))]


def draw_options(rng):
    """Our options, and the metrics that they ask sacreBLEU for."""
    ours = ["-m", "bleu", "chrf", "ter"]
    bleu, chrf, ter = {"force": True}, {}, {}

    def flag(name, where, key, chance=0.3):
        if rng.random() < chance:
            ours.append(name)
            where[key] = True

    def value(names, where, key, choices, chance=0.3):
        if rng.random() < chance:
            where[key] = rng.choice(choices)
            ours.extend([names, str(where[key])])

    flag("-lc", bleu, "lowercase")
    chrf["lowercase"] = bleu.get("lowercase", False)
    flag("--chrf-lowercase", chrf, "lowercase", 0.1)
    value("-tok", bleu, "tokenize", ["13a", "intl", "char", "zh", "none"], 0.9)
    value("-s", bleu, "smooth_method", ["exp", "floor", "add-k", "none"], 0.7)
    if bleu.get("smooth_method") in ("floor", "add-k"):
        value("-sv", bleu, "smooth_value", [0.01, 0.1, 1.0, 2.0, 0.37], 0.5)
    value("-cc", chrf, "char_order", [1, 2, 4, 6, 9])
    value("-cw", chrf, "word_order", [0, 1, 2, 2, 3], 0.5)
    value("--chrf-beta", chrf, "beta", [0, 1, 2, 3, 7])
    flag("--chrf-whitespace", chrf, "whitespace")
    flag("--chrf-eps-smoothing", chrf, "eps_smoothing")
    for key in ["case_sensitive", "normalized", "no_punct", "asian_support"]:
        flag("--ter-" + key.replace("_", "-"), ter, key, 0.4)
    return ours, bleu, chrf, ter


def make_metrics(bleu, chrf, ter, references):
    return {"BLEU": BLEU(references=references, **bleu), "CHRF": CHRF(references=references, **chrf),
            "TER": TER(references=references, **ter)}


class Comparison:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.compared, self.different, self.examples = Counter(), Counter(), []
        self.failed = Counter()

    def write(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write("".join(line + "\n" for line in lines))
        return path

    def run(self, arguments):
        result = subprocess.run([self.program, *arguments], capture_output=True, text=True, encoding="utf-8",
                                env={**os.environ, "SACREBLEU_SEED": SEED, "SACREBLEU_FORMAT": "text"})
        output = re.sub(r"2\.6\.0\+xformer-[0-9.]+", "2.6.0", result.stdout + result.stderr)
        output = re.sub(r"^warning: (bleu|ter): .*most lines of the reference are one token.*\n", "", output, flags=re.MULTILINE)
        if "|version:" in output:
            self.check("the signature tells of form C", self.composes(), "|nfc:yes|version:" in output, arguments)
        return output.replace("|nfc:yes", "")

    def composes(self):
        """Whether we read a line of the files otherwise than it stands there. sacreBLEU does not, so it gets what we read."""
        lines = [open(path, encoding="utf-8", newline="").read().split("\n") for path in os.scandir(self.folder)]
        return given_to_sacrebleu(lines) != [[line.rstrip() for line in text] for text in lines]

    def check(self, kind, theirs, ours, command):
        self.compared[kind] += 1
        if theirs == ours:
            return
        self.different[kind] += 1
        self.examples.append((kind, " ".join(command), theirs, ours, {
            name: open(os.path.join(self.folder, name), encoding="utf-8", newline="").read() for name in os.listdir(self.folder)}))

    def corpus(self, rng, hypotheses, references, files):
        options, *metric_options = draw_options(rng)
        resamples = rng.choice([0, 0, 2, 39, 150])
        command = [*files, *options, "-w", "12"] + (["--confidence", "-cin", str(resamples)] if resamples else [])
        ours = self.run(command).split("\n")
        for name, metric in make_metrics(*metric_options, references).items():
            kind = f"{name}{' with confidence' if resamples else ''}"
            try:
                score = metric.corpus_score(hypotheses, None, n_bootstrap=max(1, resamples))
            except TypeError:  # Python's mean of 32-bit and 64-bit floats together
                self.failed[kind] += 1
                continue
            theirs = score.format(12, False, metric.get_signature().format())
            self.check(kind, theirs, next((line.strip() for line in ours if line.startswith(score.name + "|") or
                                           line.lstrip().startswith(score.name + "|")), "\n".join(ours)), command)

    def sentences(self, rng, hypotheses, references, files):
        options, bleu, chrf, ter = draw_options(rng)
        name, metric = rng.choice([("bleu", BLEU(effective_order=True, **bleu)), ("chrf", CHRF(**chrf)), ("ter", TER(**ter))])
        command = [*files, "-m", name, *options[4:], "-sl", "-w", "10"]
        theirs = []
        for hypothesis, *lines in zip(hypotheses, *references):
            score = metric.sentence_score(hypothesis, lines)
            theirs.append(score.format(10, False, metric.get_signature().format()))
        self.check("lines of a text", "\n".join(theirs) + "\n", self.run(command), command)

    def systems(self, rng, systems, references, reference_files):
        options, *metric_options = draw_options(rng)
        names = [f"system {i}é" if rng.random() < 0.1 else f"system{i}" for i in range(len(systems))]
        paths = [self.write(name, lines) for name, lines in zip(names, systems)]
        metrics = make_metrics(*metric_options, references)
        paired = rng.choice(["", "bs", "ar"])
        trials = rng.choice([1, 20, 130, 300])
        width = rng.choice([0, 1, 2, 4])
        command = [*reference_files, "-i", *paths, *options, "-w", str(width)]
        args = argparse.Namespace(format="text", width=width, paired_bs=paired == "bs", paired_ar=paired == "ar",
                                  paired_bs_n=trials, paired_ar_n=trials)
        if paired:
            command += [f"--paired-{paired}", f"--paired-{paired}-n", str(trials)]
            paths[0] = f"Baseline: {paths[0]}"
            signatures, scores = PairedTest(list(zip(paths, systems)), metrics, None, paired, trials)()
        else:
            scores, signatures = {"System": paths}, {}
            for metric in metrics.values():
                for system in systems:
                    score = metric.corpus_score(system, None)
                    signatures[score.name] = metric.get_signature()
                    scores.setdefault(score.name, []).append(score.format(width, True))
        signatures = {name: signature.format() for name, signature in signatures.items()}
        # The JSON first: printing the table takes the scores apart. sacreBLEU cannot write 32-bit floats, so not by it.
        names = [name for name in scores if name != "System"]
        objects = [{"system": path, **{n: vars(scores[n][i]) if paired else scores[n][i] for n in names}} for i, path in enumerate(paths)]
        theirs = json.dumps(objects, indent=4, default=float) + "\n"
        kind = {"": "table of systems", "bs": "paired bootstrap", "ar": "paired randomisation"}[paired]
        self.check(kind + ", JSON", theirs, self.run([*command, "-f", "json"]), command)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            print_results_table(scores, signatures, args)
        self.check(kind, *(without_explanation(text) for text in (printed.getvalue(), self.run(command))), command)


def without_explanation(text):
    """The grid and the signatures; how to read p is ours in words."""
    return text.split("\n\n")[0] + text[text.find("-----------------\nMetric signatures"):]


def given_to_sacrebleu(corpus):
    """In form C, and empty where nothing of a line shows."""
    def shows(line):
        return any(unicodedata.category(character) not in ("Zs", "Zl", "Zp", "Cc", "Cf") for character in line)

    return [[unicodedata.normalize("NFC", line.rstrip()) if shows(line) else "" for line in lines] for lines in corpus]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=250, help="pieces of a line; sacreBLEU's TER takes its time")
    parser.add_argument("--show", type=int, default=3, help="differences")
    arguments = parser.parse_args()
    os.environ["SACREBLEU_SEED"] = SEED
    logging.disable(logging.CRITICAL)
    Color.ENABLE_COLORS = False
    comparison = None
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(os.path.abspath(arguments.program), folder)
        for number in itertools.count():
            if number == arguments.pairs:
                break
            rng = random.Random(f"{arguments.seed} {number}")
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
            count = rng.choice([2, 3]) if number % 5 == 0 else 1
            corpus = make_corpus(rng, count, arguments.longest)
            for lines in corpus:
                lines[0] = lines[0].lstrip("\ufeff")  # at the start of a file a byte order mark, which we drop
            references = given_to_sacrebleu(corpus[count:])
            reference_files = [comparison.write(f"reference{i}", lines) for i, lines in enumerate(corpus[count:])]
            if count > 1:
                comparison.systems(rng, given_to_sacrebleu(corpus[:count]), references, reference_files)
            files = [*reference_files, "-i", comparison.write("hypothesis", corpus[0])]
            for _ in range(3):
                comparison.corpus(rng, given_to_sacrebleu(corpus)[0], references, files)
            comparison.sentences(rng, given_to_sacrebleu(corpus)[0], references, files)
    for kind, count in sorted(comparison.compared.items()):
        failed = f", {comparison.failed[kind]} where sacreBLEU fails" if comparison.failed[kind] else ""
        print(f"{kind}: {count} compared, {comparison.different[kind]} differ{failed}")
    print(f"{arguments.pairs} pairs of files, {sum(comparison.compared.values())} comparisons, "
          f"{sum(comparison.different.values())} differences")
    for kind, command, theirs, ours, files in comparison.examples[:arguments.show]:
        print(f"---- {kind}: {command}\nsacreBLEU: {theirs!r}\nxformer:   {ours!r}\nfiles: {str(files)[:3000]}")
    sys.exit(1 if comparison.examples else 0)


if __name__ == "__main__":
    main()
