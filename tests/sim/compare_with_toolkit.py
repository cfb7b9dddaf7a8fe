#!/usr/bin/env python3
"""Compares every declaration of tests/sim/include/ with the CUDA toolkit's headers, by having the compiler check a
source in which both stand side by side: values of enumerators and macros, types of functions, members of structs. With
--nccl, the folder of NCCL's include/ and lib/, those of core/dist/nccl/nccl.h too; and the library must export its functions.

    compare_with_toolkit.py [--toolkit DIR] [--nccl DIR] [--compiler g++] [--keep FILE]
tests/cuda_build.sh runs it; needs the toolkit of $CUDA_HOME or /usr/local/cuda, and nothing compiled."""
import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parent / "include"
NCCL = INCLUDE.parents[2] / "core/dist/nccl/nccl.h"
HEADERS = [INCLUDE / name for name in ("vector_types.h", "cuda_runtime_api.h", "cublasLt.h")]

PREAMBLE = """
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <cuda_runtime_api.h>
#include <cublasLt.h>
%s
#define XF_SIM_COMPARE
#define XF_SIM_API
#define XF_NCCL_API
#undef CUDART_VERSION
%s
namespace shim {
%s
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


# Of cuda_runtime.h NCCL's header needs what cuda_runtime_api.h has; its templates would overload functions.
INCLUDE_NCCL = "#define __CUDA_RUNTIME_H__\n#include <nccl.h>"


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
    functions = re.findall(r"XF_(?:SIM|NCCL)_API\s+[\w\s\*]*?(\w+)\(", text)
    structs = {}
    for name, body in re.findall(r"struct\s+(?:alignas\(\d+\)\s+)?(\w+)\s*\{(.*?)\n\}", text, re.S):
        body = re.sub(r".*\(.*", "", body)
        structs[name] = [m for line in body.split(";") for m in re.findall(r"(\w+)\s*(?:\[\d+\])?\s*(?:,|$)", line)]
    for body, name in re.findall(r"typedef struct \{(.*?)\}\s*(\w+);", text, re.S):
        structs[name] = re.findall(r"(\w+)\s*(?:\[\d+\])?;", body)
    macros = re.findall(r"#define (cuda\w+) 0x", text)
    return enumerators, functions, structs, macros


def checks(headers):
    lines = []
    for header in headers:
        enumerators, functions, structs, macros = declarations(header.read_text())
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


def exported(nccl):
    """Whether NCCL's library has the functions that we declare."""
    library = next((place for folder in ("lib", "lib64") for place in [nccl / folder / "libnccl.so.2"] if place.exists()), None)
    if not library:
        sys.exit(f"error: no libnccl.so.2 in {nccl}")
    loaded, version = ctypes.CDLL(str(library)), ctypes.c_int()
    names = declarations(NCCL.read_text())[1]
    missing = [name for name in names if not hasattr(loaded, name)]
    loaded.ncclGetVersion(ctypes.byref(version))
    print(f"{len(names)} functions looked for in {library}, of version {version.value}: "
          + (f"NOT there: {missing}" if missing else "there"))
    return not missing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--toolkit")
    parser.add_argument("--nccl", help="the folder of NCCL's include/ and lib/")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--keep", help="write the source here")
    args = parser.parse_args()
    include = find_toolkit(args.toolkit)
    if not include:
        sys.exit("error: no CUDA toolkit's headers here; name its folder by --toolkit DIR")
    nccl = pathlib.Path(args.nccl) if args.nccl else None
    headers = HEADERS + ([NCCL] if nccl else [])
    lines = checks(headers)
    macros = [name for header in headers for name in declarations(header.read_text())[3]]
    kept = "".join(f"constexpr auto toolkit_{name} = {name};\n#undef {name}\n" for name in macros)
    ours = "\n".join(f'#include "{header}"' for header in headers)
    source = PREAMBLE % (INCLUDE_NCCL if nccl else "", kept, ours) + "\n".join(lines) + "\n"
    if args.keep:
        pathlib.Path(args.keep).write_text(source)
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write(source)
        file.flush()
        folders = [include] + ([nccl / "include"] if nccl else [])
        done = subprocess.run([args.compiler, "-std=c++20", "-fsyntax-only", *[f"-I{folder}" for folder in folders], file.name])
    print(f"{len(lines)} declarations compared with {include}: {'equal' if done.returncode == 0 else 'NOT equal'}")
    return done.returncode or (nccl is not None and not exported(nccl))


if __name__ == "__main__":
    sys.exit(main())
