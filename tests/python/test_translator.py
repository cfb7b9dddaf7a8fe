"""Translator against the programs on the same model."""
import gzip
import math
import warnings

import numpy
import pytest

import xformer
from conftest import PROGRAMS, program


@pytest.mark.parametrize("options", [{}, {"beam_size": 1}, {"beam_size": 3, "normalize": 0.6, "precision": "int8"}],
                         ids=str)
def test_a_thousand_lines_are_those_of_the_program_byte_by_byte(run, lines, tmp_path, options):
    check_bytes(run, lines, tmp_path, options)


def test_and_so_they_are_of_the_trained_demo(lines, tmp_path):
    demo = PROGRAMS.parent / "demo/run"  # where tools/demo.sh leaves it
    if not (demo / "averaged").exists():
        pytest.skip(f"no {demo}")
    check_bytes(demo, lines, tmp_path, {})


def check_bytes(run, lines, tmp_path, options):
    assert len(lines) == 1000
    (tmp_path / "in").write_text("".join(line + "\n" for line in lines))
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    program("xformer-translate", "-m", run, "-i", tmp_path / "in", "-o", tmp_path / "out", "--quiet", *flags)
    translated = xformer.Translator(run, **options).translate(lines)
    assert "".join(line + "\n" for line in translated).encode() == (tmp_path / "out").read_bytes()
    assert len(set(translated)) > 300


def test_batches_and_threads_change_no_translation(run, lines):
    expected = xformer.Translator(run).translate(lines[:100])
    assert xformer.Translator(run, mini_batch=1, cpu_threads=1).translate(lines[:100]) == expected
    translator = xformer.Translator(str(run), cpu_threads=2)
    assert [translator.translate([line])[0] for line in lines[:100]] == expected


def test_lines_may_be_empty_and_come_from_any_iterable(run):
    translator = xformer.Translator(run)
    assert translator.translate([]) == []
    assert translator.translate(line for line in ["", "the house", ""])[::2] == ["", ""]


def test_hypotheses_are_those_of_the_program(run, lines, tmp_path):
    (tmp_path / "in").write_text("".join(line + "\n" for line in lines[:20]))
    printed = program("xformer-translate", "-m", run, "-i", tmp_path / "in", "--n-best", "-b", 3, "--quiet")
    expected = [line.split(" ||| ") for line in printed.splitlines()]
    found = xformer.Translator(run, n_best=True, beam_size=3).hypotheses(lines[:20])
    flat = [(i, one) for i, of_line in enumerate(found) for one in of_line]
    assert [(str(i), one.text) for i, one in flat] == [(row[0], row[1]) for row in expected]
    for (_, one), row in zip(flat, expected):
        assert one.log_probability == pytest.approx(float(row[2].split()[1]), abs=1e-6)
        assert one.score == pytest.approx(float(row[3]), abs=1e-6)


def test_perplexity_is_that_of_the_program(run, corpus):
    sources, targets = ((corpus / f"valid.{side}").read_text().splitlines() for side in ("en", "de"))
    scores = xformer.Translator(run).score(sources, targets)
    tokens = [value for line in scores for value in line]
    printed = dict(line.split() for line in
                   program("xformer-score", "lm", "-m", run, "-t", corpus / "valid.en", corpus / "valid.de").splitlines())
    assert len(scores) == int(printed["lines"]) and len(tokens) == int(printed["tokens"])
    assert math.exp(-numpy.mean(tokens)) == pytest.approx(float(printed["perplexity"]), rel=1e-4)


def test_two_runs_are_an_ensemble(run, lines, tmp_path):
    (tmp_path / "in").write_text("".join(line + "\n" for line in lines[:50]))
    other = run / "latest"
    program("xformer-translate", "-m", run, other, "--weights", 1, 2, "-i", tmp_path / "in", "-o", tmp_path / "out", "--quiet")
    found = xformer.Translator([run, other], weights=[1, 2]).translate(lines[:50])
    assert found == (tmp_path / "out").read_text().splitlines()


@pytest.mark.parametrize("options, message, kind", [
    ({"beam_sise": 3}, "unknown option '--beam-sise'", "usage"),
    ({"beam_size": 0}, "beam-size", "usage"),
    ({"beam_size": "wide"}, "beam-size", "usage"),
    ({"input": "file"}, "--input is for the program xformer-translate", "usage"),
    ({"help": True}, "are for the program xformer-translate", "usage"),
], ids=str)
def test_an_option_that_makes_no_sense_is_an_error(run, options, message, kind):
    with pytest.raises(xformer.Error, match=message) as error:
        xformer.Translator(run, **options)
    assert error.value.kind == kind


def test_a_run_that_is_not_there_is_an_error_of_data(tmp_path):
    with pytest.raises(xformer.Error, match="nowhere") as error:
        xformer.Translator(tmp_path / "nowhere")
    assert error.value.kind == "data" and isinstance(error.value, RuntimeError)


def test_a_line_is_cropped_and_a_translation_cut_with_a_warning(run):
    short = xformer.Translator(run, max_length=2, beam_size=1)
    with pytest.warns(xformer.TranslationWarning, match=r"1 translation cut at the length limit \(line 2 of") as warned:
        assert len(short.translate(["", "the old man sees the house"])) == 2
    assert warned[0].filename == __file__
    with pytest.warns(xformer.TranslationWarning):
        assert short.hypotheses(["the old man sees the house"])[0][0].cut
    with pytest.warns(xformer.TranslationWarning, match=r"1 line cropped: too long to read \(line 1 of"):
        found = short.hypotheses(["the " * 5000])[0][0]
    assert found.cropped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not xformer.Translator(run, max_length=300).hypotheses(["the house"])[0][0].cropped


def test_read_lines_ends_a_line_where_the_programs_do(run, tmp_path):
    odd = ["a\u2028b", "c\x0b\x0cd", "e\x85\x1c", "", "f"]
    (tmp_path / "odd").write_bytes("\ufeff{}\r\n{}\n{}\n{}\n{}".format(*odd).encode())
    assert xformer.read_lines(tmp_path / "odd") == odd
    with gzip.open(tmp_path / "odd.gz", "wb") as file:
        file.write((tmp_path / "odd").read_bytes())
    assert xformer.read_lines(tmp_path / "odd.gz") == odd
    with pytest.raises(xformer.Error, match="nowhere"):
        xformer.read_lines(tmp_path / "nowhere")
    translator = xformer.Translator(run)
    assert translator.translate(["\ufeffthe house\r"]) == translator.translate(["the house"])


def test_texts_that_are_no_lines_are_refused(run):
    translator = xformer.Translator(run)
    with pytest.raises(TypeError, match="expected a list of lines, got one str"):
        translator.translate("the house")
    with pytest.raises(TypeError, match=r"translate\[1\]: expected str, got int"):
        translator.translate(["the house", 7])
    with pytest.raises(UnicodeEncodeError):
        translator.translate(["\ud800"])
    with pytest.raises(xformer.Error, match="translate:2: .*line end"):
        translator.translate(["the house", "two\nlines"])
    with pytest.raises(xformer.Error, match="score: 2 sources, but 1 targets"):
        translator.score(["a", "b"], ["c"])
    assert translator.translate(["the house"])  # goes on after an error
