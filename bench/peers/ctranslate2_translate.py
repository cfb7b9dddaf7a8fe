#!/usr/bin/env python3
"""Translation with CTranslate2, timed: the peer of `xformer-bench --end-to-end translate`.

    python3 ctranslate2_translate.py --model RUN --input FILE [--beam N] [--batch-size N] [--threads N] [--turns]

The weights are those of RUN, our run folder (ctranslate2_model.py). One replica in float32 with N threads; batches of
padded source tokens, sorted by length, of the size among BATCH_WORDS that is fastest; or of --batch-size sentences, 1
for latency. Length penalty 1 as ours; at most 256 tokens (ours: also 3 source + 10, which a trained model does not reach).
A sample is the whole file, from pieces to pieces: neither loading nor SentencePiece counts. Prints one JSON line;
`tokens` counts the generated ones with </s>, `cpu_s` is processor time. With --expect OURS also `different_lines`:
how many translations are not those of that file. With --turns the line comes without times; then each line read is
answered, after another pass, with its seconds.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import ctranslate2

from ctranslate2_model import Run, convert

MAX_LENGTH = 256
BATCH_WORDS = (512, 1024, 2048, 4096, 8192)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, metavar="RUN")
    parser.add_argument("--input", required=True, metavar="FILE")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=0, help="sentences of a batch")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--expect", metavar="FILE", help="our translations of --input with the same beam")
    parser.add_argument("--turns", action="store_true", help="a pass for each line of standard input")
    return parser.parse_args()


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().removesuffix("\n").split("\n")


def main():
    options = arguments()
    run = Run(options.model)
    sources = [run.encode(line) for line in read_lines(options.input)]
    with tempfile.TemporaryDirectory() as temporary:
        convert(run, temporary)
        translator = ctranslate2.Translator(temporary, device="cpu", compute_type="float32", inter_threads=1,
                                            intra_threads=options.threads)
    batchings = ([dict(max_batch_size=options.batch_size, batch_type="examples")] if options.batch_size else
                 [dict(max_batch_size=words, batch_type="tokens") for words in BATCH_WORDS])

    def translate(batching):
        return translator.translate_batch(sources, beam_size=options.beam, length_penalty=1, disable_unk=True,
                                          max_decoding_length=MAX_LENGTH, **batching)

    def seconds_of(batching):
        start = time.monotonic()
        translate(batching)
        return time.monotonic() - start

    hypotheses = [result.hypotheses[0] for result in translate(batchings[-1])]  # and a warm-up
    batching = min(batchings, key=seconds_of)
    report = {
        "tokens": sum(len(tokens) + (len(tokens) < MAX_LENGTH) for tokens in hypotheses), "sentences": len(sources),
        "variant": f"batches of {batching['max_batch_size']} {batching['batch_type']}", "threads": options.threads,
        "version": ctranslate2.__version__,
    }
    if options.turns:
        print(json.dumps(report), flush=True)
        for _ in sys.stdin:
            print(seconds_of(batching), flush=True)
        return
    seconds, processor_seconds = [], []
    for _ in range(options.samples):
        processor_start = time.process_time()
        seconds.append(seconds_of(batching))
        processor_seconds.append(time.process_time() - processor_start)
    tenths = statistics.quantiles(seconds, n=10, method="inclusive") if len(seconds) > 1 else seconds
    report |= {"median_s": statistics.median(seconds), "p10_s": tenths[0], "p90_s": tenths[-1], "n": len(seconds),
               "cpu_s": statistics.median(processor_seconds)}
    if options.expect:
        ours = read_lines(options.expect)
        if len(ours) != len(hypotheses):
            raise SystemExit(f"{options.expect} has {len(ours)} lines, {options.input} has {len(hypotheses)}")
        report["different_lines"] = sum(run.decode(theirs) != line for theirs, line in zip(hypotheses, ours))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
