#!/usr/bin/env python3
"""Translation with CTranslate2: the peer of `xformer-bench --end-to-end translate`, by lines (turns.py).

    python3 ctranslate2_translate.py --model DIR --sources FILE [--beam N] [--one] [--type T] [--threads N] [--settings]

DIR is what `xformer-export to ctranslate2` makes of our model, FILE a JSON array with the ids of each sentence, by DIR's
vocabulary. Weights are float32, or rounded to int8 when they are loaded, activations when they come. What can be set: the library of the
products, the allocator, how the threads are divided into replicas, and the size of a batch in padded source tokens,
sorted by length as ours. --one: a sentence at a time, the next one when it is done, so that there is one replica.
Length penalty 1 and no unknown word, as ours; a hypothesis ends at the length at which the longest sentence's would
in ours. The work is the whole text, from pieces to pieces: neither loading nor tokenisation counts; the sample is
lines from all over it.
"""
import argparse
import json
import os

import ctranslate2

from turns import HUGE_PAGES, allocators, answer, print_offer, setting, thread_counts

# The library of the products; these variables are read when CTranslate2 is loaded.
BACKENDS = {"oneDNN": {"CT2_USE_MKL": "0"}, "MKL": {"CT2_USE_MKL": "1"}}
SAMPLE, SAMPLE_OF_ONE = 128, 64  # lines
BATCHES_OF_SAMPLE = 4  # for each replica: then none is idle long
BATCH_TOKENS = (512, 1024, 2048, 4096, 8192)
KEPT = 2
LONGEST, LENGTH_FACTOR, LENGTH_MORE = 256, 3, 10  # a hypothesis has at most min(256, 3 source + 10) tokens in ours


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True, metavar="DIR")
    parser.add_argument("--sources", required=True, metavar="FILE")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--one", action="store_true", help="a sentence at a time")
    parser.add_argument("--type", choices=("float32", "int8"), default="float32")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--settings", action="store_true", help="print what can be set")
    return parser.parse_args()


def environments():
    """Name and environment: both libraries with each allocator; and CTranslate2's own kernels, which are AVX2's on some
    processors that have AVX-512, in either."""
    memory = allocators()
    del memory["malloc keeps its blocks"]  # every environment is a process, and huge pages keep theirs too
    found = {f"{backend}, {allocator}": of_backend | of_allocator for backend, of_backend in BACKENDS.items()
             for allocator, of_allocator in memory.items()}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if " avx512f " in file.read():
            found |= {f"{backend}, huge pages, own kernels in {isa}": of_backend | HUGE_PAGES | {"CT2_FORCE_CPU_ISA": isa}
                      for backend, of_backend in BACKENDS.items() for isa in ("AVX2", "AVX512")}
    return found


def splits(threads, one):
    """(replicas, threads of each)"""
    if one:
        return [(1, count) for count in thread_counts(threads)]
    return [(replicas, threads // replicas) for replicas in range(1, threads + 1) if threads % replicas == 0]


def offer(options):
    settings = [
        setting(f"{name}, {replicas} x {threads} threads", environment, replicas=replicas, threads=threads)
        for name, environment in environments().items() for replicas, threads in splits(options.threads, options.one)]
    refinements = [] if options.one else [
        setting(f"batches of {tokens} tokens", batch_tokens=tokens) for tokens in BATCH_TOKENS]
    print_offer(settings, refinements, kept=KEPT)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def vocabulary(folder, side):
    shared = os.path.join(folder, "shared_vocabulary.json")
    return read(shared) if os.path.exists(shared) else read(folder, f"{side}_vocabulary.json")


class Peer:
    def __init__(self, options):
        self.beam, self.one, self.type, self.folder = options.beam, options.one, options.type, options.model
        self.threads = options.threads
        pieces = vocabulary(self.folder, "source")
        self.sources = [[pieces[i] for i in ids] for ids in read(options.sources)]
        self.ids = {piece: i for i, piece in enumerate(vocabulary(self.folder, "target"))}
        self.limit = min(LONGEST, LENGTH_FACTOR * max(map(len, self.sources)) + LENGTH_MORE)
        self.split = self.translator = None

    def prepare(self, options, sample):
        split = options.get("replicas", 1), options.get("threads", self.threads)
        if split != self.split:
            self.translator = None  # its threads first
            self.translator = ctranslate2.Translator(self.folder, device="cpu", compute_type=self.type,
                                                     inter_threads=split[0], intra_threads=split[1])
            self.split = split
        lines = SAMPLE_OF_ONE if self.one else SAMPLE
        work = self.sources[::max(1, len(self.sources) // lines)][:lines] if sample else self.sources
        if self.one:
            batching = dict(max_batch_size=1, batch_type="examples")
        else:
            spread = max(64, sum(map(len, work)) // (BATCHES_OF_SAMPLE * split[0]))
            batching = dict(max_batch_size=options.get("batch_tokens", spread), batch_type="tokens")
        results = []

        def run():
            results[:] = self.translator.translate_batch(
                work, beam_size=self.beam, length_penalty=1, disable_unk=True, max_decoding_length=self.limit,
                **batching)

        def hypotheses():
            return [result.hypotheses[0] for result in results]

        def about():
            return {"version": ctranslate2.__version__, "on": f"{len(work)} lines",
                    "tokens": sum(len(tokens) + (len(tokens) < self.limit) for tokens in hypotheses())}

        return about, run, lambda: [[self.ids[token] for token in tokens] for tokens in hypotheses()]


def main():
    options = arguments()
    if options.settings:
        offer(options)
        return
    answer(Peer(options).prepare)


if __name__ == "__main__":
    main()
