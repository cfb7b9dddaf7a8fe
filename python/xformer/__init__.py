"""xformer: train Transformers, translate with them, score translations, and call the engine's kernels.

    import xformer

    xformer.train(task="demo", train_sets=["train.en", "train.de"], model="run")
    translator = xformer.Translator("run", beam_size=5)
    german = translator.translate(["I closed a green door."])
    print(xformer.bleu(german, ["Ich habe eine grüne Tür zugemacht."]))

Options are those of the programs, with _ for -; errors are xformer.Error. Guide: docs/python.md.
"""

from __future__ import annotations

from ._load import load as _load

_load()

from . import kernels  # noqa: E402
from ._xformer import set_threads, stop, version as __version__  # noqa: E402
from .errors import Error, Stopped, TranslationWarning  # noqa: E402
from .lines import read_lines  # noqa: E402
from .metrics import Score, bleu, chrf, ter  # noqa: E402
from .training import export, inspect, train  # noqa: E402
from .translator import Hypothesis, Translator  # noqa: E402

__all__ = [
    "Error", "Hypothesis", "Score", "Stopped", "TranslationWarning", "Translator", "__version__", "bleu", "chrf", "export",
    "inspect", "kernels", "read_lines", "set_threads", "stop", "ter", "train",
]
