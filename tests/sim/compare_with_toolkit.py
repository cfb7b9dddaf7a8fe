#!/usr/bin/env python3
"""Compares every declaration of tests/sim/include/ with the CUDA toolkit's headers, by having the compiler check a
source in which both stand side by side: values of enumerators and macros, types of functions, members of structs.

    compare_with_toolkit.py [--toolkit DIR] [--compiler g++] [--keep FILE]
tests/cuda_build.sh runs it; needs the toolkit of $CUDA_HOME or /usr/local/cuda, and nothing compiled."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parent / "include"
HEADERS = ["vector_types.h", "cuda_runtime_api.h", "cublasLt.h"]

PREAMBLE = """
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <cuda_runtime_api.h>
#include <cublasLt.h>
#define XF_SIM_COMPARE
#define XF_SIM_API
#undef CUDART_VERSION
%s
namespace shim {
#include "%s/vector_types.h"
#include "%s/cuda_runtime_api.h"
#include "%s/cublasLt.h"
}

// A type's name without "shim::": our types are equal to the toolkit's when they have the same names all the way down.
template <typename T> constexpr std::string_view name_of() { return __PRETTY_FUNCTION__; }
constexpr bool same(std::string_view ours, std::string_view toolkit) {
  constexpr std::string_view kPrefix = "shim::";
  size_t j = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours.substr(i, kPrefix.size()) == kPrefix) { i += kPrefix.size() - 1; continue; }
    if (j >= toolkit.size() || ours[i] != toolkit[j++]) return false;
  }
  return j == toolkit.size();
}
"""


def find_toolkit(given):
    for place in [given, os.environ.get("CUDA_HOME"), "/usr/local/cuda", "/usr"]:
        if place and all((pathlib.Path(place) / "include" / h).exists() for h in ("cuda_runtime_api.h", "cublasLt.h")):
            return pathlib.Path(place) / "include"
    return None


def declarations(text):
    """Enumerators, functions, {struct: members}, macros of one of our headers."""
    text = re.sub(r"//.*", "", text)
    enumerators = [name for body in re.findall(r"enum\s*\w*\s*\{(.*?)\}", text, re.S)
                   for name in re.findall(r"(\w+)\s*=", body)]
    functions = re.findall(r"XF_SIM_API\s+[\w\s\*]*?(\w+)\(", text)
    structs = {}
    for name, body in re.findall(r"struct\s+(?:alignas\(\d+\)\s+)?(\w+)\s*\{(.*?)\n\}", text, re.S):
        body = re.sub(r".*\(.*", "", body)
        structs[name] = [m for line in body.split(";") for m in re.findall(r"(\w+)\s*(?:\[\d+\])?\s*(?:,|$)", line)]
    for body, name in re.findall(r"typedef struct \{(.*?)\}\s*(\w+);", text, re.S):
        structs[name] = re.findall(r"(\w+)\s*(?:\[\d+\])?;", body)
    macros = re.findall(r"#define (cuda\w+) 0x", text)
    return enumerators, functions, structs, macros


def checks():
    lines = []
    for header in HEADERS:
        enumerators, functions, structs, macros = declarations((INCLUDE / header).read_text())
        for name in enumerators:
            lines.append(f"static_assert(int(shim::{name}) == int(::{name}));")
        for name in functions:
            lines.append(f"static_assert(same(name_of<decltype(&shim::{name})>(), name_of<decltype(&::{name})>()));")
        for name, members in structs.items():
            if name != "cudaDeviceProp":  # a subset of the toolkit's
                lines.append(f"static_assert(sizeof(shim::{name}) == sizeof(::{name}) && alignof(shim::{name}) == "
                             f"alignof(::{name}));")
            for member in members:
                lines.append(f"static_assert(same(name_of<decltype(shim::{name}::{member})>(), "
                             f"name_of<decltype(::{name}::{member})>()));")
        for name in macros:
            lines.append(f"static_assert({name} == toolkit_{name});")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toolkit")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--keep", help="write the source here")
    args = parser.parse_args()
    include = find_toolkit(args.toolkit)
    if not include:
        sys.exit("error: no CUDA toolkit's headers here; name its folder by --toolkit DIR")
    lines = checks()
    macros = [name for header in HEADERS for name in declarations((INCLUDE / header).read_text())[3]]
    kept = "".join(f"constexpr auto toolkit_{name} = {name};\n#undef {name}\n" for name in macros)
    source = PREAMBLE % (kept, INCLUDE, INCLUDE, INCLUDE) + "\n".join(lines) + "\n"
    if args.keep:
        pathlib.Path(args.keep).write_text(source)
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(source)
        file.flush()
        done = subprocess.run([args.compiler, "-std=c++20", "-fsyntax-only", f"-I{include}", file.name])
    print(f"{len(lines)} declarations compared with {include}: {'equal' if done.returncode == 0 else 'NOT equal'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
