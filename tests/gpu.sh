#!/bin/sh
# The CUDA backend on a real GPU. Exit code 0: every part ran and passed.
#   tests/gpu.sh [PART...]                 builds into build-cuda/ and runs (needs the CUDA toolkit and a GPU)
#   tests/gpu.sh pack FILE.tar.gz|.tar.xz [ARCHITECTURE...]
#                                          builds for any x86-64-v3 machine, and packs the programs with the libraries
#                                          that they need, and $XFORMER_MULTI30K if it is set. The other machine needs no
#                                          compiler, but this repository, a driver, and cuBLASLt, which may lie in a
#                                          Python environment. For every GPU that is supported, or for those named (90),
#                                          in half the bytes. xz takes longer, and half the bytes again.
#   tests/gpu.sh run FILE [PART...]        runs what was packed
# PART, none is all but the last, in this order; each has its seconds at most:
#   smoke       90   libraries, device, one test, three updates: what every other part needs
#   tests      180   every CUDA test, none of them skipped
#   step       150   the training step, tiny and base, bf16 before f32
#   plans       90   what cuBLASLt chose for a step; dW and its bias at once or apart; an odd vocabulary
#   kernels     60   each kernel's time in a step of bf16, by ncu, where it is installed
#   sanitizers 280   compute-sanitizer: memcheck, and racecheck where kernels share memory
#   profile    240   ncu, the kernels that cost most, where it is installed
#   train      150   Multi30k, the task multi30k-fast as it stands, and the BLEU of test2016
#   peer       420   PyTorch's step in a graph and compiled, then its kernels, where python3 has it
# and only where it is named:
#   ranks      120   two ranks with a GPU each against one with twice the batches, losses and tokens/s: needs two GPUs,
#                    mpirun and NCCL
# On a machine lent for ten minutes at a time: smoke tests step plans kernels train; sanitizers profile; peer.
# What is known so far stands in $OUT, or bench/results/, at any moment: DEVICE-DATE.log and a few files beside it.
set -eu
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
file=$(realpath -m "${2:-.}")
cd "$(dirname "$0")/.."

test_programs="kernels_tests nn_tests"
programs="$test_programs xformer-bench xformer-vocab xformer-train xformer-translate xformer-score xformer-export"
all_parts="smoke tests step plans kernels sanitizers profile train peer"
data=${XFORMER_MULTI30K:-}

run() {  # part...
  [ $# -gt 0 ] || eval "set -- $all_parts"
  for part in "$@"; do
    case " $all_parts ranks " in
      *" $part "*) ;;
      *) echo "error: there is no part '$part': $all_parts ranks" >&2; exit 2 ;;
    esac
  done
  . tests/gpu/machine.sh
  . tests/gpu/parts.sh
  find_gpu
  begin_log
  for part in "$@"; do
    begin_part "$part"
    "run_$part"
    end_part
  done
  say "$failures failed, $(($(date +%s) - begun)) s in all"
  [ "$failures" = 0 ]
}

case ${1:-} in
  pack)
    [ $# -ge 2 ] || { echo "usage: $0 pack FILE.tar.gz|.tar.xz [ARCHITECTURE...]" >&2; exit 2; }
    . tests/gpu/pack.sh
    shift 2
    pack "$file" "$@"
    ;;
  run)
    if [ ! -f "$file" ]; then
      echo "usage: $0 run FILE [PART...], with a file that \`pack\` made" >&2
      exit 2
    fi
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked"' EXIT
    tar -C "$unpacked" -xf "$file"
    bin=$unpacked/bin
    [ ! -d "$unpacked/data" ] || data=$unpacked/data
    shift 2
    run "$@"
    ;;
  -h | --help) sed -n '2,23s/^# \{0,1\}//p' "$0" ;;
  *)
    cmake --preset cuda >/dev/null
    # shellcheck disable=SC2086  # one word per program
    cmake --build --preset cuda --target $programs
    bin=build-cuda/bin
    run "$@"
    ;;
esac
