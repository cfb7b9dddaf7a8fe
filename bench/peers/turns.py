"""What the peers' scripts have in common: the lines they are spoken to with (bench/peer_program.h), and allocators.

By itself it prints the allocators with which torch_ops.py is to be started. A script prints what can be set when it is started with --settings. Otherwise answer() reads one line after the other:
`set JSON` prepares a setting, `turn` does the work once, `ids` tells what came out.
"""
import ctypes.util
import json
import os
import sys
import time

KEEP_BLOCKS = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
HUGE_PAGES = KEEP_BLOCKS | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}

JEMALLOC = {"MALLOC_CONF": "thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1"}  # on huge pages, which it keeps
TCMALLOC = {"TCMALLOC_RELEASE_RATE": "0"}


def allocators():
    """What can be set of the memory: name, environment. Those of Debian's libjemalloc2 and libtcmalloc-minimal4 if present."""
    found = {"malloc as installed": {}, "malloc keeps its blocks": KEEP_BLOCKS, "huge pages": HUGE_PAGES}
    for name, environment in (("jemalloc", JEMALLOC), ("tcmalloc_minimal", TCMALLOC)):
        library = ctypes.util.find_library(name)
        if library:
            found[name] = {"LD_PRELOAD": library} | environment
    return found


def allocators_of_kernels():
    """Of a single kernel, which allocates little beyond its result: two are enough."""
    return {name: allocators()[name] for name in ("malloc as installed", "huge pages")}


def thread_counts(threads):
    """As many as may be used, and half as many again and again."""
    counts = [threads]
    while counts[-1] > 1:
        counts.append(counts[-1] // 2)
    return counts


def setting(name, environment=None, **options):
    return {"name": name, "environment": environment or {}, "options": options}


def print_offer(settings, refinements=(), **rest):
    print(json.dumps({"settings": settings, "refinements": list(refinements), **rest}))


def answer(prepare):
    """prepare(options, sample) gives three functions: what it is (once it is warm), the work, the ids that came out."""
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "set":
            request = json.loads(rest)
            run = ids = None  # what they hold goes first
            about, run, ids = prepare(request["options"], request["sample"])
            for _ in range(request["warm_ups"]):
                run()
            reply = json.dumps(about())
        elif word == "turn":
            start = time.monotonic()
            run()
            reply = str(time.monotonic() - start)
        elif word == "ids":
            reply = json.dumps(ids())
        else:
            sys.exit(f"'{line.strip()}' is no request")
        print(reply, flush=True)


if __name__ == "__main__":
    print_offer([setting(name, environment) for name, environment in allocators_of_kernels().items()])
