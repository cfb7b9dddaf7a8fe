"""Keyword arguments as words of a command line."""

import pathlib

import pytest

from xformer.options import words


def test_words_numbers_and_lists_of_them():
    assert words({"beam_size": 2, "quiet": True, "model": pathlib.Path("run"), "seed": None}) == [
        "--beam-size=2", "--quiet=true", "--model=run"]
    assert words({"train_sets": ["a.en", pathlib.Path("a.de")], "train_weights": (0.5, 1)}) == [
        "--train-sets", "a.en", "a.de", "--train-weights", "0.5", "1"]


def test_numbers_of_numpy():
    np = pytest.importorskip("numpy")
    assert words({"beam_size": np.int64(2), "learn_rate": np.float32(0.1)}) == ["--beam-size=2", "--learn-rate=0.1"]
    assert words({"train_weights": np.array([1, 2])}) == ["--train-weights", "1", "2"]


@pytest.mark.parametrize("value", [b"ab", {"a": 1}, object(), ["a", None], [b"ab"], [["a"]], 1j])
def test_anything_else_is_refused_by_the_options_name(value):
    with pytest.raises(TypeError, match="^x_y: expected words or numbers, got "):
        words({"x_y": value})
