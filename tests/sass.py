#!/usr/bin/env python3
"""Reads the kernels' machine code, as tests/cuda_build.sh 90 leaves it in build-cuda, and compares it with tests/sass.tsv:
a kernel that has become larger, takes more registers, keeps fewer loads in flight or has begun to spill is worse.

    sass.py                       compares; the last line is "N kernels, 0 worse". Exit code 1: one is worse, or not in the table
    sass.py --update --because TEXT    writes the table anew; TEXT stands beside each kernel whose figures have changed

What a line of the table says of a kernel, for sm_90:
  instructions   all of its code, however often it runs
  registers      of a thread
  local          instructions that read or write a thread's own memory: spills
  in_flight      bytes of loads from global memory that a thread has asked for before it waits for the first of them, at most.
                 Followed through the code as it stands, a load until the first instruction that reads what it brings.

cuobjdump and nvdisasm are the toolkit's, or those that tests/cuda_build.sh takes from PyPI with it."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "sass.tsv"
OBJECTS = ROOT / "build-cuda" / "kernels" / "CMakeFiles" / "xf_kernels.dir" / "cuda"
COLUMNS = ["instructions", "registers", "local", "in_flight"]
SLACK = 1.02  # of instructions: schedules differ by a few

FUNCTION = re.compile(r"^\s*Function : (\S+)")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
REGISTER = re.compile(r"\bR(\d+)(?:\.(64|128))?")
RESOURCES = re.compile(r"Function (\S+):\s+REG:(\d+)")
LOAD_BYTES = {"128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}


def disassembler():
    """The folder of cuobjdump and nvdisasm."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for folder in [pathlib.Path(home) / "bin", pathlib.Path(shutil.which("cuobjdump") or "/").parent,
                   *(ROOT / "build-cuda" / "toolkit").glob("lib/python3*/site-packages/nvidia/cu13/bin")]:
        if (folder / "cuobjdump").exists() and (folder / "nvdisasm").exists():
            return folder
    sys.exit("error: sass.py: no cuobjdump and nvdisasm; set CUDA_HOME to a CUDA toolkit that has them")


def registers(operands):
    """Numbers of the registers that the operands name."""
    found = set()
    for number, width in REGISTER.findall(operands):
        count = {"": 1, "64": 2, "128": 4}[width]
        found.update(range(int(number), int(number) + count))
    return found


def bytes_of_load(opcode):
    for suffix in opcode.split("."):
        if suffix in LOAD_BYTES:
            return LOAD_BYTES[suffix]
    return 4


def most_in_flight(code):
    """Of (opcode, operands) in their order."""
    flying, most = [], 0  # (registers that a load writes, its bytes)
    for opcode, operands in code:
        if opcode.startswith("LDG.") or opcode == "LDG":
            target, _, address = operands.partition(",")
            size = bytes_of_load(opcode)
            first = int(REGISTER.search(target)[1]) if REGISTER.search(target) else None
            touched = registers(address)
            flying = [load for load in flying if not load[0] & touched]
            if first is not None:
                flying.append((set(range(first, first + max(1, size // 4))), size))
            most = max(most, sum(size for _, size in flying))
        elif opcode in ("BRA", "EXIT", "RET.REL.NODEC"):  # what follows is another path
            flying = []
        else:
            touched = registers(operands)
            flying = [load for load in flying if not load[0] & touched]
    return most


def kernels_of(tools, path):
    """{mangled name: figures} of one object."""
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")

    def cuobjdump(what):
        return subprocess.run([tools / "cuobjdump", "-arch", "sm_90", what, path], capture_output=True, text=True, check=True,
                              env=environment).stdout

    code, name = {}, None
    for line in cuobjdump("-sass").splitlines():
        if match := FUNCTION.match(line):
            name = match[1]
            code[name] = []
        elif name and (match := INSTRUCTION.match(line)):
            code[name].append((match[1], match[2]))
    used = {match[1]: int(match[2]) for match in RESOURCES.finditer(cuobjdump("-res-usage"))}
    return {
        name: {
            "instructions": sum(opcode != "NOP" for opcode, _ in lines),
            "registers": used[name],
            "local": sum(opcode.startswith(("LDL", "STL")) for opcode, _ in lines),
            "in_flight": most_in_flight(lines),
        }
        for name, lines in code.items()
    }


def short(name):
    """Without what is the same in all, and without parameters."""
    for long, plain in [("(anonymous namespace)::", ""), ("xf::kernels::", ""), ("xf::", ""),
                        ("std::integral_constant<bool, true>", "Aligned"),
                        ("std::integral_constant<bool, false>", "Unaligned")]:
        name = name.replace(long, plain)
    name = name.removeprefix("void ")
    depth = 0
    for at, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and depth == 0:
            return name[:at]
    return name


def read_kernels():
    objects = sorted(OBJECTS.glob("*.cu.o"))
    if not objects:
        sys.exit("error: sass.py: no kernels in build-cuda; run tests/cuda_build.sh 90 first")
    tools = disassembler()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda path: kernels_of(tools, path), objects))
    mangled = [name for kernels in found for name in kernels]
    plain = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout.splitlines()
    names = dict(zip(mangled, plain))
    return {f"{path.name.removesuffix('.cu.o')}: {short(names[name])}": figures
            for path, kernels in zip(objects, found) for name, figures in kernels.items()
            if "cub::" not in names[name]}  # a library's


def read_table():
    if not TABLE.exists():
        return {}
    lines = [line.rstrip("\n").split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {line[0]: {**{column: int(line[1 + i]) for i, column in enumerate(COLUMNS)}, "because": line[5]}
            for line in lines[1:]}


def write_table(kernels, table, because):
    lines = ["# Machine code of the CUDA kernels, sm_90, nvcc 13.0 (tests/sass.py)",
             "\t".join(["kernel", *COLUMNS, "because"])]
    for name in sorted(kernels):
        old, new = table.get(name), kernels[name]
        same = old and all(old[column] == new[column] for column in COLUMNS)
        reason = old["because"] if same else because
        lines.append("\t".join([name, *(str(new[column]) for column in COLUMNS), reason]))
    TABLE.write_text("\n".join(lines) + "\n")


def worse(old, new):
    """What is, in words."""
    found = []
    if new["instructions"] > old["instructions"] * SLACK:
        found.append(f"{old['instructions']} instructions have become {new['instructions']}")
    if new["registers"] > old["registers"]:
        found.append(f"{old['registers']} registers have become {new['registers']}")
    if new["local"] > old["local"]:
        found.append(f"{new['local']} instructions of local memory, {old['local']} before")
    if new["in_flight"] < old["in_flight"]:
        found.append(f"{old['in_flight']} bytes in flight have become {new['in_flight']}")
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--update", action="store_true")
    arguments.add_argument("--because", metavar="TEXT")
    options = arguments.parse_args()
    if options.update != bool(options.because):
        arguments.error("--update and --because go together")
    kernels, table = read_kernels(), read_table()
    if options.update:
        write_table(kernels, table, options.because)
    failures = 0
    for name, figures in sorted(kernels.items()):
        if name not in table:
            print(f"{'new' if options.update else 'NOT IN THE TABLE'}: {name}: {figures}")
            failures += not options.update
        elif reasons := worse(table[name], figures):
            print(f"worse: {name}: {'; '.join(reasons)}")
            failures += 1
    for name in sorted(set(table) - set(kernels)):
        print(f"gone: {name}{'' if options.update else '; sass.py --update'}")
        failures += not options.update
    print(f"{len(kernels)} kernels, {failures} worse")
    return 1 if failures and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
