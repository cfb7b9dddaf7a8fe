#!/usr/bin/env python3
"""Leaves out each barrier and wait of the CUDA backend in turn, and sees whether the tests notice.

    mutate.py [--plain PROGRAM ...] [--race PROGRAM ...] [--args '[device]'] [--jobs 2] [--only TEXT]

PROGRAM: tests, built for the software GPU (docs/software_gpu.md). A site is a __syncthreads(), __syncwarp(),
copy_async_wait<N>() or wait for a stream in kernels/cuda/ and core/cuda*. First the tests run once as they are and list
the sites that they reach: each must be reached. Then they run without one site at a time, under the race check, and under
the schedules and lazy streams, until one run fails. A site that nobody misses must stand in needed_all_the_same.txt, one
a line, `file:line reason`; at most 5 % may. Ends with `caught N of N, listed K`; exit 0 only if that is all of them."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SITE = re.compile(r"\b(__syncthreads|__syncwarp|copy_async_wait<[^>]*>|cudaStreamWaitEvent|cudaStreamSynchronize|"
                  r"cudaEventSynchronize|cudaDeviceSynchronize)\s*\(")
DEFINED_IN = {"kernels/cuda/portable.cuh"}  # not used there
LISTED_AT_MOST = 0.05
TIMEOUT = 600

# What each mutant goes through, the most telling first. "race" and "plain" name the program.
PASSES = [("race", "forward", "lazy"), ("plain", "reverse", "lazy"), ("plain", "forward", "lazy"),
          ("race", "reverse", "lazy"), ("plain", "random:1", "lazy"), ("plain", "random:2", "lazy")]


def sites():
    """{'kernels/cuda/foo.cu:37'} of the sources."""
    found = set()
    for pattern in ("kernels/cuda/*", "core/cuda*"):
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cu", ".cuh", ".cpp", ".h") or name in DEFINED_IN:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if SITE.search(re.sub(r"//.*", "", line)):
                    found.add(f"{name}:{number}")
    return found


def run(programs, args, schedule, streams, **extra):
    """Whether all of the programs' tests pass, and the line that says why not."""
    for program in programs:
        passed, why = run_one(program, args, schedule, streams, **extra)
        if not passed:
            return False, why
    return True, ""


def run_one(program, args, schedule, streams, **extra):
    environment = dict(os.environ, XF_TEST_DEVICE="cuda", XF_SIM_SCHEDULE=schedule, XF_SIM_STREAMS=streams, **extra)
    try:
        done = subprocess.run([program, *args], env=environment, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return False, f"no end after {TIMEOUT} s"
    why = next((line.strip() for line in (done.stdout + done.stderr).splitlines() if "sim:" in line), "wrong values")
    return done.returncode == 0, why


def reached(programs, args):
    """The sites that the unchanged tests reach; ends the program if they fail."""
    places = set()
    for variant in ("race", "plain"):
        with tempfile.NamedTemporaryFile("r") as file:
            passed, why = run(programs[variant], args, "forward", "lazy", XF_SIM_LIST=file.name)
            if not passed:
                sys.exit(f"the unchanged {variant} tests fail: {why}")
            for line in file:
                path, number = line.split()[-1].rsplit(":", 1)
                path = os.path.realpath(os.path.join(ROOT, path))
                if path.startswith(str(ROOT) + "/"):
                    places.add(f"{os.path.relpath(path, ROOT)}:{number}")
    return places


def try_one(site, programs, args):
    for variant, schedule, streams in PASSES:
        passed, why = run(programs[variant], args, schedule, streams, XF_SIM_SKIP=site)
        if not passed:
            return f"{variant}, {schedule}: {why}"
    return None


def read_listed():
    listed = {}
    for line in (HERE / "needed_all_the_same.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            site, _, reason = line.partition(" ")
            if not reason.strip():
                sys.exit(f"needed_all_the_same.txt: {site} has no reason")
            listed[site] = reason
    return listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", nargs="+", default=[str(ROOT / "build/bin/sim_kernels_tests_plain")])
    parser.add_argument("--race", nargs="+", default=[str(ROOT / "build/bin/sim_kernels_tests_race")])
    parser.add_argument("--args", default="[device]", help="for the tests, split at spaces")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="sites that contain this")
    options = parser.parse_args()
    programs, args = {"plain": options.plain, "race": options.race}, options.args.split()
    start, listed = time.time(), read_listed()
    wanted = {site for site in sites() if options.only in site}
    places = reached(programs, args)
    problems = [f"{site}: no test reaches it" for site in sorted(wanted - places)]
    problems += [f"needed_all_the_same.txt: there is no {site}" for site in sorted(set(listed) - sites())]
    candidates = sorted(wanted & places)
    caught, kept = 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for site, why in zip(candidates, pool.map(lambda s: try_one(s, programs, args), candidates)):
            print(f"{site}: {why[:160] if why else 'NOT caught'}", flush=True)
            caught += why is not None
            if why is None and site in listed:
                kept += 1
            elif why is None:
                problems.append(f"{site}: left out, and nothing noticed; delete it, or say in needed_all_the_same.txt why "
                                "it is needed")
            elif site in listed:
                problems.append(f"{site}: stands in needed_all_the_same.txt, and is caught")
    if kept > LISTED_AT_MOST * len(wanted):
        problems.append(f"{kept} of {len(wanted)} sites are listed; {LISTED_AT_MOST:.0%} may be")
    for problem in problems:
        print(problem)
    print(f"{time.time() - start:.0f} s")
    print(f"caught {caught} of {len(wanted) - kept}, listed {kept}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
