"""Scores: the program's, and numbers of sacreBLEU's own documentation."""
import pytest

import xformer
from conftest import program

HYPOTHESES = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
REFERENCES = [["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
              ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]]


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, lines in zip(("hypotheses", "first", "second"), (HYPOTHESES, *REFERENCES)):
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
        paths.append(tmp_path / name)
    return paths


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
@pytest.mark.parametrize("options", [{}, {"lowercase": True, "width": 4}, {"confidence": True, "confidence_n": 20}], ids=str)
def test_a_score_is_what_the_program_prints(files, metric, options):
    flags = [f"--{name.replace('_', '-')}={str(value).lower()}" for name, value in options.items()]
    printed = program("xformer-score", metric, files[1], files[2], "-i", files[0], "-f", "text", *flags).strip()
    score = getattr(xformer, metric)(HYPOTHESES, REFERENCES, **options)
    assert str(score) == score.text == printed
    assert score.signature in printed and float(score) == score.score
    assert score.name == {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER"}[metric]


def test_one_reference_is_a_list_of_lines(files):
    assert xformer.bleu(HYPOTHESES, REFERENCES[0]).score == pytest.approx(100)
    assert xformer.bleu(HYPOTHESES, REFERENCES[1]) == xformer.bleu(HYPOTHESES, [REFERENCES[1]])
    assert xformer.bleu(HYPOTHESES, REFERENCES[1], tokenize="char").score > xformer.bleu(HYPOTHESES, REFERENCES[1]).score


def test_what_does_not_fit_together_is_an_error():
    with pytest.raises(xformer.Error, match="lines|segments|hypotheses"):
        xformer.bleu(HYPOTHESES, REFERENCES[0][:2])
    with pytest.raises(xformer.Error, match="tokenize"):
        xformer.bleu(HYPOTHESES, REFERENCES, tokenize="word")
    with pytest.raises(xformer.Error, match="--sentence-level is for the program"):
        xformer.chrf(HYPOTHESES, REFERENCES, sentence_level=True)
    with pytest.raises(TypeError, match="references: expected a list of lines, got one str"):
        xformer.ter(HYPOTHESES, "The dog")
    with pytest.raises(xformer.Error):
        xformer.bleu([], [])
