"""What the tests of the Python package share: a small run trained on the demo corpus, and the programs to compare with.

The package is the one that is installed; $XFORMER_PROGRAMS is the folder of the programs."""
import os
import pathlib
import subprocess

import pytest

import xformer

PROGRAMS = pathlib.Path(os.environ["XFORMER_PROGRAMS"])
OPTIONS = {"task": "demo", "vocab_size": 400, "dim_emb": 32, "transformer_dim_ffn": 64, "transformer_heads": 2,
           "lr_warmup": "40u", "cpu_threads": 2, "quiet": True}


def program(name, *arguments, **options):
    """What a program prints on its standard output."""
    return subprocess.run([PROGRAMS / name, *map(str, arguments)], check=True, capture_output=True, text=True,
                          **options).stdout


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """The demo's corpus: train, valid and test in .en and .de; of train also the first 2,000 lines, as some."""
    folder = tmp_path_factory.mktemp("corpus")
    program("xformer-vocab", "demo-corpus", "--quiet", "-o", folder / "demo")
    folder /= "demo"
    for side in ("en", "de"):
        head = (folder / f"train.{side}").read_text().splitlines(keepends=True)[:2000]
        (folder / f"some.{side}").write_text("".join(head))
    return folder


@pytest.fixture(scope="session")
def training(corpus):
    """Options of a training, but for its length and its run folder."""
    return {**OPTIONS, "train_sets": [corpus / "some.en", corpus / "some.de"]}


@pytest.fixture(scope="session")
def brief(training, tmp_path_factory):
    """A run of 60 updates, by the package."""
    folder = tmp_path_factory.mktemp("runs") / "brief"
    xformer.train(training, after="60u", model=folder)
    return folder


@pytest.fixture(scope="session")
def run(corpus, tmp_path_factory):
    """A model that was trained for some seconds: it says many different things, few of them right."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    xformer.train(OPTIONS, train_sets=[corpus / "train.en", corpus / "train.de"], after="300u", model=folder)
    return folder


@pytest.fixture(scope="session")
def lines(corpus):
    """1,000 lines: the corpus's test and validation text."""
    return (corpus / "test.en").read_text().splitlines() + (corpus / "valid.en").read_text().splitlines()
