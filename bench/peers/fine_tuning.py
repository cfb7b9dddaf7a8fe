#!/usr/bin/env python3
"""Fine-tuning of a MarianMT model: xformer-train against transformers on the same cores, with the same batches, in turn.

    python3 fine_tuning.py MODEL SOURCE TARGET [--trainer build/bin/xformer-train] [--updates 20] [--words 1000]
                           [--threads N] [--rounds 3] [--seed 1]

MODEL is a folder as transformers saves it, OPUS-MT's for example; `random` makes one of that size with random weights, which is
as fast, and with the pieces of tests/fixtures/marian/opus, filled up to 32,000. Both sides cut the text with the model's own
vocabulary, leave out pairs over 100 tokens, make batches of as many target tokens as --words (transformers, which pads, of
sentences sorted by length, with which it is better off) and train with Adam, label smoothing 0.1, the model's dropout and
clipping at 1, in f32. Timed are the updates behind the first ones, without reading and saving: ours by metrics.jsonl,
theirs by the clock. Needs torch, transformers and sentencepiece.

Ends with "ratio: 1.43 (ours 912 words/s, transformers 638 words/s, ...)"; words are target tokens with </s>; above 1 ours is faster.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURE = ROOT / "tests/fixtures/marian/opus"
MOST_TOKENS, WARM_UPS, PIECES = 100, 3, 32000
SIZES = dict(d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8,
             encoder_ffn_dim=2048, decoder_ffn_dim=2048)  # of OPUS-MT


def random_model(folder):
    import torch
    from transformers import MarianConfig, MarianMTModel

    torch.manual_seed(1)
    config = MarianConfig.from_pretrained(FIXTURE, **SIZES, max_position_embeddings=512, vocab_size=PIECES,
                                          decoder_vocab_size=PIECES)
    MarianMTModel(config).save_pretrained(folder)
    for name in ("source.spm", "target.spm", "tokenizer_config.json"):
        shutil.copy(FIXTURE / name, folder)
    ids = json.loads((FIXTURE / "vocab.json").read_text(encoding="utf-8"))
    ids |= {f"piece {i}": i for i in range(len(ids), PIECES)}
    (pathlib.Path(folder) / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False), encoding="utf-8")


def batches_of(tokenizer, source, target, longest, words, seed):
    """Of pairs sorted by length as many as have `words` target tokens, in a drawn order."""
    texts = (pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in (source, target))
    pairs = [(tokenizer(s)["input_ids"], tokenizer(text_target=t)["input_ids"]) for s, t in zip(*texts)]
    pairs = sorted((p for p in pairs if max(map(len, p)) <= longest), key=lambda p: (len(p[1]), len(p[0])))
    batches, batch, count = [], [], 0
    for pair in pairs:
        if count + len(pair[1]) > words and batch:
            batches.append(batch)
            batch, count = [], 0
        batch.append(pair)
        count += len(pair[1])
    batches.append(batch)
    random.Random(seed).shuffle(batches)
    return batches


class Theirs:
    """A training loop as transformers' own examples have it, without what they log."""

    def __init__(self, folder, arguments):
        import torch
        from transformers import MarianMTModel, MarianTokenizer

        self.torch = torch
        torch.set_num_threads(arguments.threads)
        torch.manual_seed(arguments.seed)
        self.model = MarianMTModel.from_pretrained(folder, dtype=torch.float32).train()
        self.pad = self.model.config.pad_token_id
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-5, betas=(0.9, 0.98), weight_decay=0, fused=True)
        tokenizer = MarianTokenizer.from_pretrained(folder)
        longest = min(MOST_TOKENS + 1, self.model.config.max_position_embeddings)
        self.batches = batches_of(tokenizer, arguments.source, arguments.target, longest, arguments.words, arguments.seed)
        self.next = 0

    def padded(self, rows, filler):
        longest = max(map(len, rows))
        return self.torch.tensor([row + [filler] * (longest - len(row)) for row in rows])

    def update(self):
        """-> target tokens."""
        torch, batch = self.torch, self.batches[self.next % len(self.batches)]
        self.next += 1
        source, labels = self.padded([s for s, _ in batch], self.pad), self.padded([t for _, t in batch], -100)
        logits = self.model(input_ids=source, attention_mask=source != self.pad, labels=labels).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return int((labels != -100).sum())

    def words_per_second(self, updates):
        began = time.monotonic()
        words = sum(self.update() for _ in range(updates))
        return words / (time.monotonic() - began)


def ours(folder, arguments, scratch):
    """-> words per second of the updates behind the first ones."""
    run = pathlib.Path(scratch) / "run"
    shutil.rmtree(run, ignore_errors=True)
    subprocess.run(
        [arguments.trainer, "--pretrained-model", folder, "-t", arguments.source, arguments.target, "-m", run,
         "--after", f"{WARM_UPS + arguments.updates}u", "--mini-batch-words", str(arguments.words), "--optimizer-delay", "1",
         "--learn-rate", "1e-5", "--lr-schedule", "constant", "--lr-warmup", "0u", "--label-smoothing", "0.1", "--clip-norm", "1",
         "--optimizer", "adamw", "--optimizer-params", "0.9", "0.98", "1e-8", "--max-length", str(MOST_TOKENS),
         "--seed", str(arguments.seed), "--cpu-threads", str(arguments.threads), "--disp-freq", "1u", "--save-freq", "1000000u",
         "--report=false", "--quiet"], check=True)
    records = (json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines())
    updates = {r["update"]: r for r in records if r["event"] == "train"}
    words = seconds = 0
    for u in range(WARM_UPS + 1, WARM_UPS + arguments.updates + 1):
        took = updates[u]["seconds"] - updates[u - 1]["seconds"]
        words += took * updates[u]["tok_per_s"]
        seconds += took
    return words / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--trainer", default=str(ROOT / "build/bin/xformer-train"))
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    import torch
    import transformers

    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.model
        if folder == "random":
            folder = scratch + "/model"
            random_model(folder)
        theirs = Theirs(folder, arguments)
        theirs.words_per_second(WARM_UPS)
        rates = []
        for number in range(arguments.rounds):
            rates.append((ours(folder, arguments, scratch), theirs.words_per_second(arguments.updates)))
            print("round {}: ours {:.0f} words/s, transformers {:.0f} words/s".format(number + 1, *rates[-1]), flush=True)
        ratio = statistics.median(mine / other for mine, other in rates)
        mine, other = (statistics.median(column) for column in zip(*rates))
        print(f"ratio: {ratio:.2f} (ours {mine:.0f} words/s, transformers {other:.0f} words/s, torch {torch.__version__}, "
              f"transformers {transformers.__version__}, {arguments.threads} threads)")


if __name__ == "__main__":
    main()
