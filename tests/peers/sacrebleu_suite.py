#!/usr/bin/env python3
"""sacreBLEU's own tests, where xformer-score computes what sacreBLEU would: python sacrebleu_suite.py PROGRAM TESTS

TESTS is the folder of that name in sacreBLEU's source package; its files are taken as they are. The methods that score are
replaced by ones that write files, call PROGRAM, and read its JSON. Prints how many tests the program can be asked, how many
of those passed, and why it cannot be asked the others; exits with 1 if one failed, or passed without a call.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter

import pytest
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest, Result
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

DOWNLOADS = "sacreBLEU's catalogue and downloads of test sets"
COUNTS = "a score from counts of n-grams, without a text"
ORDERS = "BLEU of another order than 4, which no program of sacreBLEU's asks for either"

program = ""
calls = 0


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def ask(systems, references, options):
    """What the program prints of `systems`, (name, lines) each: its JSON."""
    global calls
    calls += 1
    with tempfile.TemporaryDirectory() as folder:
        files = [write(folder, f"reference{i}", lines) for i, lines in enumerate(references)]
        inputs = [write(folder, name, lines) for name, lines in systems]
        command = [program, *files, "-i", *inputs, "-f", "json", "-w", "12", *options]
        result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode == 0, f"{' '.join(command)}: {result.stderr}"
    return json.loads(result.stdout)


def bleu_options(metric):
    if metric.max_ngram_order != 4:
        pytest.skip(ORDERS)
    options = ["-m", "bleu", "-tok", metric.tokenizer_signature, "-s", metric.smooth_method]
    if metric.smooth_value is not None:
        options += ["-sv", str(metric.smooth_value)]
    return options + ["-lc"] * metric.lowercase


def chrf_options(metric):
    options = ["-m", "chrf", "-cc", str(metric.char_order), "-cw", str(metric.word_order), "--chrf-beta", str(metric.beta)]
    flags = {"--chrf-lowercase": metric.lowercase, "--chrf-whitespace": metric.whitespace,
             "--chrf-eps-smoothing": metric.eps_smoothing}
    return options + [name for name, wanted in flags.items() if wanted]


def ter_options(metric):
    flags = {"--ter-normalized": metric._normalized, "--ter-no-punct": metric._no_punct,
             "--ter-asian-support": metric._asian_support, "--ter-case-sensitive": metric._case_sensitive}
    return ["-m", "ter"] + [name for name, wanted in flags.items() if wanted]


class Score:
    """A score with its digits; of one line's BLEU also the counts, from the precisions and the length that are printed."""

    def __init__(self, hypotheses, references, options):
        self.asked = hypotheses, references, options
        self.score = float(ask([("hypothesis", hypotheses)], references, options)["score"])

    @property
    def totals(self):
        hypotheses, references, options = self.asked
        assert len(hypotheses) == 1
        words = ask([("hypothesis", hypotheses)], references, options)["verbose_score"].split("hyp_len = ")[1].split()[0]
        return [max(0, int(words) - order) for order in range(4)]

    @property
    def counts(self):
        hypotheses, references, options = self.asked
        plain = options[:options.index("-s")] + ["-s", "none"]
        precisions = ask([("hypothesis", hypotheses)], references, plain)["verbose_score"].split()[0].split("/")
        return [round(float(precision) * total / 100) for precision, total in zip(precisions, self.totals)]


def corpus_score(options_of):
    def score(metric, hypotheses, references, n_bootstrap=1):
        options = options_of(metric)
        # The order of a line's BLEU is that of its longest n-grams; the programs ask for it line by line alone.
        effective = getattr(metric, "effective_order", False) and len(hypotheses) == 1
        return Score(list(hypotheses), references, options + ["-sl"] * effective)
    return score


def sentence_score(options_of):
    def score(metric, hypothesis, references):
        return Score([hypothesis], [[line] for line in references], options_of(metric) + ["-sl"])
    return score


class Tokens(str):
    """A line as TER sees it: equal to that with which it has no edit, of as many words; one word more is one edit of them."""
    __hash__ = str.__hash__
    tokenizer = None

    def __eq__(self, expected):
        def ter(hypothesis, reference):
            return Score([hypothesis], [[reference]], ter_options(self.tokenizer)).score

        words = len(expected.split()) + 1
        return (ter(self, expected) == 0 and ter(expected, self) == 0 and
                math.isclose(ter(self, expected + " more"), 100 / words))


def tokenize(tokenizer, line):
    tokens = Tokens(line)
    tokens.tokenizer = tokenizer
    return tokens


def paired_test(test):
    (metric,) = test.metrics.values()
    kind = f"--paired-{test.test_type}"
    answers = ask(test.named_systems, metric._ref_cache, bleu_options(metric) + [kind, f"{kind}-n", str(test.n_samples)])
    results = [Result(**{key: answer["BLEU"][key] for key in ("score", "p_value", "mean", "ci")}) for answer in answers]
    return {}, {"System": [name for name, _ in test.named_systems], "BLEU": results}


def start_paired_test(test, named_systems, metrics, references, test_type, n_samples):
    test.named_systems, test.metrics, test.test_type, test.n_samples = named_systems, metrics, test_type, n_samples


def ask_the_program():
    """Puts the program in sacreBLEU's place."""
    for metric, options_of in ((BLEU, bleu_options), (CHRF, chrf_options), (TER, lambda metric: ter_options(metric.tokenizer))):
        metric.corpus_score = corpus_score(options_of)
        metric.sentence_score = sentence_score(options_of)
        metric._cache_references = lambda metric, references: references
    BLEU.compute_bleu = staticmethod(lambda *_, **__: pytest.skip(COUNTS))
    TercomTokenizer.__call__ = tokenize
    PairedTest.__init__, PairedTest.__call__ = start_paired_test, paired_test


class Tally:
    """pytest's plugin: what became of each test."""

    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], Counter()
        self.asked_at_import = set()

    def pytest_collectstart(self, collector):
        self.calls_before = calls

    def pytest_collectreport(self, report):
        if calls > self.calls_before:
            self.asked_at_import.add(os.path.basename(report.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        before = calls
        result = yield
        if calls == before and pyfuncitem.path.name not in self.asked_at_import:
            pytest.fail("it passed without a call of the program")
        return result

    def pytest_runtest_setup(self, item):
        if item.path.name in ("test_api.py", "test_dataset.py"):
            pytest.skip(DOWNLOADS)

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            self.skipped[report.longrepr[2].removeprefix("Skipped: ")] += 1
        elif report.failed:
            self.failed.append(report.nodeid)
        elif report.when == "call":
            self.passed.append(report.nodeid)


def main():
    global program
    program = os.path.abspath(sys.argv[1])
    tests = os.path.abspath(sys.argv[2])
    os.chdir(os.path.dirname(tests))  # from which they open their files
    ask_the_program()
    tally = Tally()
    code = pytest.main(["-q", "--tb=short", "--no-header", "-p", "no:cacheprovider", "-o", "addopts=", tests], plugins=[tally])
    for reason, count in tally.skipped.items():
        print(f"not applicable: {count} tests of {reason}")
    passed, failed = len(tally.passed), len(tally.failed)
    print(f"sacreBLEU {sacrebleu.__version__}: {passed + failed} tests that xformer-score can be asked, "
          f"{passed} passed, {failed} failed")
    sys.exit(1 if code or failed or not passed else 0)


if __name__ == "__main__":
    main()
