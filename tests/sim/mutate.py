#!/usr/bin/env python3
"""Leaves out each barrier and wait of the CUDA backend in turn, and sees whether the tests notice.

    mutate.py [--plain PROGRAM] [--race PROGRAM] [--tests '[device],[cuda]'] [--jobs 2] [--only TEXT]

PROGRAM: the engine's tests, built for the software GPU (docs/software_gpu.md). A site is a __syncthreads(), __syncwarp(),
copy_async_wait<N>() or wait for a stream in kernels/cuda/ and core/cuda*. First each test runs once as it is and lists the
sites that it reaches: each site must be reached. Then, without one site at a time, the tests that reach it run under the
race check and under several schedules with lazy streams, the quickest first, until one fails that passes as it is. A site
that nobody misses must stand in needed_all_the_same.txt, one a line, `file:line reason`; at most 5 % may. Ends with
`caught N of N, listed K`; exit 0 only if that is all of them."""
import argparse
import concurrent.futures
import dataclasses
import functools
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
TIMEOUT = 300  # seconds for one test

# What each mutant goes through. "race" and "plain" name the program; the first finds most.
PASSES = [("race", "forward"), ("plain", "reverse"), ("plain", "forward"), ("plain", "random:1"), ("race", "random:2")]


@dataclasses.dataclass
class Test:
    name: str
    seconds: float
    sites: set


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


def run(program, test, schedule, **extra):
    """Whether the test passes, and the line that says why not."""
    environment = dict(os.environ, XF_TEST_DEVICE="cuda", XF_REQUIRE_CUDA="1", XF_SIM_SCHEDULE=schedule,
                       XF_SIM_STREAMS="lazy", **extra)
    try:
        done = subprocess.run([program, test], env=environment, capture_output=True, text=True, errors="replace",
                              timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return False, f"no end after {TIMEOUT} s"
    why = next((line.strip() for line in (done.stdout + done.stderr).splitlines() if "sim:" in line), "wrong values")
    return done.returncode == 0, why


def test_names(program, pattern):
    for options in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):  # Catch2's major 2, and 3
        # 2 exits with the number of tests; 3 refuses the option of 2 on stderr.
        listing = subprocess.run([program, *options, pattern], capture_output=True, text=True, check=False)
        names = [line.strip() for line in listing.stdout.splitlines() if line.strip()]
        if names:
            return [name.replace(",", "\\,") for name in names]  # it would separate two patterns
    sys.exit(f"{program} lists no tests")


def observe(program, name):
    """The unchanged test: its time, and the sites that it reaches."""
    with tempfile.NamedTemporaryFile("r") as file:
        start = time.time()
        passed, why = run(program, name, "forward", XF_SIM_LIST=file.name)
        if not passed:
            sys.exit(f"the unchanged test fails: {name}: {why}")
        places = set()
        build = pathlib.Path(program).resolve().parent.parent  # where relative names of sources begin
        for line in file:
            path, number = line.split()[-1].rsplit(":", 1)
            path = os.path.relpath(os.path.realpath(os.path.join(build, path)), ROOT)
            places.add(f"{path}:{number}")
        return Test(name, time.time() - start, places)


@functools.cache
def check_unchanged(program, test, schedule):
    """What fails without a site must pass with it."""
    passed, why = run(program, test, schedule)
    if not passed:
        sys.exit(f"the unchanged test fails: {test}, {schedule}: {why}")


def try_one(site, programs, tests):
    """What noticed that the site was left out, or None. `tests`: those that reach it, the quickest first."""
    for variant, schedule in PASSES:
        for test in tests:
            passed, why = run(programs[variant], test.name, schedule, XF_SIM_SKIP=site)
            if not passed:
                check_unchanged(programs[variant], test.name, schedule)
                return f"{variant}, {schedule}: {test.name}: {why}"
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


def judge(site, why, listed):
    """What is wrong with this outcome, or None."""
    if why is None and site not in listed:
        return f"{site}: left out, and nothing noticed; delete it, or say in needed_all_the_same.txt why it is needed"
    if why is not None and site in listed:
        return f"{site}: stands in needed_all_the_same.txt, and is caught"
    return None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", default=str(ROOT / "build/bin/sim_engine_tests_plain"))
    parser.add_argument("--race", default=str(ROOT / "build/bin/sim_engine_tests_race"))
    parser.add_argument("--tests", default="[device],[cuda]", help="names or tags, as Catch2 takes them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="sites that contain this")
    return parser.parse_args()


def main():
    options = parse_arguments()
    programs = {"plain": options.plain, "race": options.race}
    start, listed = time.time(), read_listed()
    wanted = sorted(site for site in sites() if options.only in site)
    if not wanted:
        sys.exit(f"no barrier and no wait stands at a place that contains '{options.only}'")
    problems = [f"needed_all_the_same.txt: there is no {site}" for site in sorted(set(listed) - sites())]
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests = list(pool.map(lambda name: observe(options.plain, name), test_names(options.plain, options.tests)))
        tests.sort(key=lambda test: test.seconds)
        print(f"{len(tests)} tests observed after {time.time() - start:.0f} s", flush=True)
        reaching = {site: [test for test in tests if site in test.sites] for site in wanted}
        problems += [f"{site}: no test reaches it" for site in wanted if not reaching[site]]
        candidates = [site for site in wanted if reaching[site]]
        for site, why in zip(candidates, pool.map(lambda s: try_one(s, programs, reaching[s]), candidates)):
            print(f"{site}: {why[:200] if why else 'NOT caught'}", flush=True)
            outcomes[site] = why
    problems += filter(None, (judge(site, why, listed) for site, why in outcomes.items()))
    caught = sum(why is not None for why in outcomes.values())
    kept = sum(why is None and site in listed for site, why in outcomes.items())
    if kept > LISTED_AT_MOST * len(wanted):
        problems.append(f"{kept} of {len(wanted)} sites are listed; {LISTED_AT_MOST:.0%} may be")
    for problem in problems:
        print(problem)
    print(f"{time.time() - start:.0f} s")
    print(f"caught {caught} of {len(wanted) - kept}, listed {kept}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
