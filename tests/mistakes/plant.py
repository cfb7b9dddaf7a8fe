#!/usr/bin/env python3
"""Plants mistakes, one at a time, in the engine's ops, blocks and tape, and sees whether the tests notice.

    plant.py [--build DIR] [--jobs 2] [--only TEXT]     --only: the mistakes whose place or sentence contains this

The mistakes stand beside this program, a file for each op or block:

    tests kernels Softmax:*; nn Norm:*   which tests must notice: test programs, and names as Catch2 takes them
    file kernels/cpu/softmax.cpp         where the mistakes that follow are made

    softmax_row: one key too few         the function, and what was done wrong
    - for (int64_t j = 0; j < `visible`; ++j)    as it is; between backticks, or all of it, is what the mistake replaces
    + visible - 1                        what someone wrote instead; nothing: they forgot it
    = reason                             only where no test can notice

All of them go into one copy of the sources, as choices at run time (mistake.h), which is compiled once, for AVX2, and
linked with the objects of the tests that are there. With no mistake chosen all tests must pass. Then each mistake's tests
run, those of gradients first, the quickest first, until one fails. Exit code 0: all are noticed but those with a reason,
and no op, node or block has fewer than five."""
import argparse
import collections
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
AT_LEAST = 5     # mistakes for each op and block
TIMEOUT = 120    # seconds for one test; a mistake may make a loop endless
FOLDERS = {"kernels": ["kernels"], "autograd": ["kernels", "autograd"], "nn": ["kernels", "autograd", "nn"],
           "tutorials": ["kernels", "autograd", "nn", "tools"]}


@dataclasses.dataclass
class Mistake:
    number: int
    place: str  # in the catalogue
    op: str
    file: str
    tests: list
    function: str
    sentence: str
    right: str = ""
    wrong: str = ""
    reason: str = ""
    span: tuple = ()  # of what is replaced, in the file

    def title(self):
        return f"{self.place}: {self.function}: {self.sentence}"


@dataclasses.dataclass(frozen=True)
class Test:
    program: str
    name: str
    gradient: bool


def read_catalogue(path, first):
    """The mistakes of one file, numbered from `first` on."""
    found, file, tests = [], "", []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark, _, rest = line.partition(" ")
        if mark in ("", "#"):
            continue
        if mark == "tests":
            tests = [tuple(place.strip().split(" ", 1)) for place in rest.split(";")]
        elif mark == "file":
            file = rest
        elif mark == "-":
            found[-1].right += ("\n" if found[-1].right else "") + rest
        elif mark == "+":
            found[-1].wrong += rest + "\n"
        elif mark == "=":
            found[-1].reason += rest
        else:
            function, _, sentence = line.partition(": ")
            found.append(Mistake(first + len(found) + 1, f"{path.relative_to(ROOT)}:{number}", path.stem, file, tests,
                                 function, sentence))
    return found


def as_pattern(code):
    return r"\s+".join(re.escape(word) for word in re.split(r"\s+", code))


def definitions(text, name):
    """The function's, or struct's, definitions: from an unindented line with its name to the next unindented }."""
    for match in re.finditer(rf"^[^\s#/}}][^;\n]*\b{re.escape(name)}\b(?![^\n]*;$)", text, re.M):
        yield match.start(), text.index("\n}", match.start())


def locate(mistake, text):
    """The span that the mistake replaces; it must be there exactly once."""
    parts = mistake.right.split("`")
    pattern = f"({as_pattern(mistake.right)})" if len(parts) == 1 else "{}({}){}".format(*map(as_pattern, parts))
    spans = [match.span(1) for begin, end in definitions(text, mistake.function)
             for match in re.compile(pattern).finditer(text, begin, end)]
    if len(spans) != 1:
        sys.exit(f"{mistake.place}: this is {len(spans)} times in {mistake.function} of {mistake.file}; it must be once: "
                 f"{mistake.right}")
    return spans[0]


def plant(text, mistakes):
    """The text with each mistake as a choice: if-else around a statement, ?: around an expression."""
    edits = []
    for mistake in mistakes:
        begin, end = mistake.span = locate(mistake, text)
        statement = text[begin:end].endswith(";")
        shape = ("if (mistake({})) {{ {} }} else {{ ", " }") if statement else ("(mistake({}) ? ({}) : (", "))")
        # At one place what ends comes before what begins, and the shorter ends, or the longer begins, first.
        edits.append((begin, 1, -end, mistake.number, shape[0].format(mistake.number, mistake.wrong.strip())))
        edits.append((end, 0, -begin, -mistake.number, shape[1]))
    for one, other in itertools.permutations(mistakes, 2):
        if one.span[0] < other.span[0] < one.span[1] < other.span[1]:
            sys.exit(f"{one.place} and {other.place} overlap; one must lie inside the other")
    for place, *_, insertion in sorted(edits, reverse=True):
        text = text[:place] + insertion + text[place:]
    return text


def write_if_new(path, text):  # what did not change need not be compiled again
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build_rules(build, work, files):
    """The text of a build.ninja: the test programs from sources of `files` and all that may include their headers."""
    # A choice moves what the compiler contracts; without contraction, kernels that have equal bits keep them.
    rules = ["rule compile\n  command = $do -w -ffp-contract=off -MD -MF $out.d -o $out -c $in\n"
             "  depfile = $out.d\n  deps = gcc\n", "rule link\n  command = $do\n"]
    sources = sorted({path for path in files if path.endswith(".cpp")} |
                     {path.relative_to(ROOT).as_posix() for path in ROOT.glob("kernels/cpu/*.cpp")})
    commands = json.loads((build / "compile_commands.json").read_text())
    for source in sources:
        folder = source.split("/")[0]
        command, = [entry["command"] for entry in commands if entry["file"] == f"{ROOT}/{source}"
                    and re.search(rf" -o {folder}/(\S+/)?CMakeFiles/", entry["command"]) and "XF_CPU_LEVEL" not in entry["command"]]
        command = re.sub(r" -o \S+ -c \S+$", "", command).replace(f"-I{ROOT}", f"-I{work}/source -I{ROOT}", 1)
        path = work / "source" / source if source in files else ROOT / source
        rules.append(f"build {source}.o: compile {path}\n  do = {command.replace('$', '$$')} -include {HERE}/mistake.h\n")
    for program, folders in FOLDERS.items():
        listing = subprocess.run(["ninja", "-C", build, "-t", "commands", f"bin/{program}_tests"], capture_output=True,
                                 text=True, check=True).stdout
        compiler, rest = listing.splitlines()[-1].split(" && ")[1].split(" ", 1)
        objects = [f"{source}.o" for source in sources if source.split("/")[0] in folders]
        # The first definition of a function is the one that is linked.
        everything = f"{compiler} {' '.join(f'{work}/{name}' for name in objects)} {rest}"
        everything = everything.replace(f" -o bin/{program}_tests ", f" -o {work}/{program}_tests ")
        rules.append(f"build {program}_tests: link {' '.join(objects)} | {build}/bin/{program}_tests\n"
                     f"  do = cd {build} && {everything.replace('$', '$$')}\n")
    return "\n".join(rules)


def make_programs(build, work, mistakes):
    targets = [f"{program}_tests" for program in FOLDERS]
    subprocess.run(["cmake", "--build", build, "--target", *targets], check=True, stdout=subprocess.DEVNULL)
    by_file = collections.defaultdict(list)
    for mistake in mistakes:
        by_file[mistake.file].append(mistake)
    for file, those in by_file.items():
        write_if_new(work / "source" / file, plant((ROOT / file).read_text(), those))
    write_if_new(work / "build.ninja", build_rules(build, work, by_file))
    done = subprocess.run(["ninja", "-C", work, "-j2", "-k0"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("\n".join(line for line in done.stdout.splitlines() if "error" in line) or done.stderr)


def test_names(program, pattern):
    for option in ["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]:  # Catch2's major 2, and 3
        listing = subprocess.run([program, *option, pattern], capture_output=True, text=True, check=False)
        if not listing.stderr:  # 3 refuses the option of 2
            return {line.strip() for line in listing.stdout.splitlines() if line.strip()}
    sys.exit(f"{program} does not list its tests: {listing.stderr}")


def tests_of(work, program, pattern):
    """The tests that the pattern names, less those that are worth minutes."""
    def tagged(tag):
        return test_names(work / f"{program}_tests", ",".join(part + tag for part in pattern.split(",")))
    gradients = tagged("[grad]")
    return [Test(program, name, name in gradients) for name in tagged("") - tagged("[slow]")]


def passes(work, test, number):
    environment = dict(os.environ, XF_MISTAKE=str(number), XFORMER_CPU_LEVEL="avx2", ONEDNN_MAX_CPU_ISA="AVX2",
                       OMP_WAIT_POLICY="passive")
    name = re.sub(r"([,\[\\])", r"\\\1", test.name)  # what separates patterns, and begins a tag
    try:
        return subprocess.run([work / f"{test.program}_tests", name, "--abort"], env=environment, timeout=TIMEOUT,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def judge(mistake, test):
    """What is wrong with this outcome, or None."""
    if test is None and not mistake.reason:
        return f"not noticed: {mistake.title()}"
    if test is not None and mistake.reason:
        return f"{mistake.place}: has a reason why no test notices, and {test.name!r} does"
    return None


def report(mistakes, outcomes):
    """Prints the table, and what is listed; returns the problems."""
    print(f"\n{'':18}{'planted':>8}{'noticed':>8}{'by gradients':>14}{'listed':>8}")
    problems = [problem for mistake in mistakes if (problem := judge(mistake, outcomes[mistake.number]))]
    groups = collections.defaultdict(list)
    for mistake in mistakes:
        groups[mistake.op].append(mistake)
    groups["all"] = mistakes
    for op, those in groups.items():
        tests = [outcomes[mistake.number] for mistake in those if outcomes[mistake.number]]
        print(f"{op:18}{len(those):8}{len(tests):8}{sum(test.gradient for test in tests):14}"
              f"{sum(bool(mistake.reason) for mistake in those):8}")
    for mistake in mistakes:
        if mistake.reason:
            print(f"\n{mistake.title()}\n    no test can see it: {mistake.reason}")
    return problems


def uncovered(mistakes):
    """Ops, nodes and blocks that have fewer than five."""
    counts = collections.Counter(mistake.op for mistake in mistakes)
    nodes = [path for folder in ("autograd", "nn") for path in ROOT.glob(f"{folder}/*.cpp")
             if re.search(r"tape\.record(_root)?\(", path.read_text())]
    ops = {path.stem for path in [*ROOT.glob("kernels/*.h"), *nodes]}
    return [f"{op}: {counts[op]} mistakes are planted, and there must be {AT_LEAST}"
            for op in sorted(ops | set(counts)) if counts[op] < AT_LEAST]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    return parser.parse_args()


def seconds_without(work, test):
    start = time.time()
    if not passes(work, test, 0):
        raise SystemExit(f"without any mistake a test fails: {test.program}: {test.name}")
    return time.time() - start


def try_all(work, mistakes, jobs):
    """{number: the test that noticed, or None}, and the problems: patterns that name no test."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        places = {place for mistake in mistakes for place in mistake.tests}
        tests = {place: tests_of(work, *place) for place in places}
        problems = [f"{program}: no test is called {pattern}" for (program, pattern) in places
                    if not tests[program, pattern]]
        every = sorted({test for found in tests.values() for test in found}, key=lambda test: test.name)
        seconds = dict(zip(every, pool.map(lambda test: seconds_without(work, test), every)))

        def noticed_by(mistake):
            candidates = {test for place in mistake.tests for test in tests[place]}
            ordered = sorted(candidates, key=lambda test: (not test.gradient, seconds[test]))
            return next((test for test in ordered if not passes(work, test, mistake.number)), None)

        outcomes = {}
        for mistake, test in zip(mistakes, pool.map(noticed_by, mistakes)):
            outcomes[mistake.number] = test
            print(f"{mistake.title()}\n    {test.name if test else 'NOT noticed'}", flush=True)
    return outcomes, problems


def main():
    options, start = parse_arguments(), time.time()
    build = options.build.resolve()
    work = build / "mistakes"
    mistakes = [mistake for index, path in enumerate(sorted(HERE.glob("*.txt")))
                for mistake in read_catalogue(path, 100 * index)]
    problems = uncovered(mistakes)
    make_programs(build, work, mistakes)
    print(f"{len(mistakes)} mistakes planted after {time.time() - start:.0f} s", flush=True)
    mistakes = [mistake for mistake in mistakes if options.only in mistake.title()] or sys.exit("no mistake is called so")
    outcomes, patterns = try_all(work, mistakes, options.jobs)
    problems += patterns + report(mistakes, outcomes)
    for problem in problems:
        print(problem)
    print(f"{time.time() - start:.0f} s")
    owed = [outcomes[mistake.number] for mistake in mistakes if not mistake.reason]
    print(f"caught {sum(map(bool, owed))} of {len(owed)}, listed {len(mistakes) - len(owed)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
