"""What a type checker must understand of the installed package; mypy --strict reads it, nobody runs it."""
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import xformer


def use(run: Path, lines: list[str]) -> float:
    translator = xformer.Translator(run, beam_size=5, normalize=0.6, precision="int8", device=None)
    texts: list[str] = translator.translate(lines)
    best: str = translator.hypotheses(texts)[0][0].text
    probability: float = sum(translator.score(lines, [best])[0])
    score: xformer.Score = xformer.bleu(texts, [lines, lines], lowercase=True, width=2)
    xformer.train({"task": "demo", "train-sets": ["a", "b"]}, model=run, after="1e")
    try:
        xformer.export("quantize", model=run, output="small")
    except xformer.Error as error:
        kind: str = error.kind
        print(kind)
    y: NDArray[np.float32] = xformer.kernels.layer_norm(np.ones((2, 3)), np.ones(3), np.ones(3))[0]
    return float(score) + probability + float(y.sum())


def misuse() -> None:
    xformer.kernels.softmax("text")  # type: ignore[arg-type]
    xformer.bleu(["a"], ["a"], lowercase="yes")  # type: ignore[arg-type]
    xformer.Translator("run").translate(7)  # type: ignore[arg-type]
