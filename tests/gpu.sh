#!/bin/sh
# The CUDA backend on a real GPU. Exit code 0: every test ran and passed.
#   tests/gpu.sh [PART...]                 builds into build-cuda/ and runs (needs the CUDA toolkit and a GPU)
#   tests/gpu.sh pack FILE.tar.gz          builds, and packs the programs with the libraries that they need, and Multi30k
#                                          if $XFORMER_MULTI30K or ../shared/data/multi30k has it: all that a machine
#                                          with a GPU, but without compiler, lacks besides this repository
#   tests/gpu.sh run FILE.tar.gz [PART...] runs what was packed
# PART, none is all of them:
#   tests       every CUDA test, none of them skipped
#   sanitizers  the same under compute-sanitizer; XF_SANITIZERS="memcheck racecheck" chooses the tools
#   bench       kernels and training step, checked and timed, with PyTorch beside them where python3 has it
#   train       Multi30k in f32 and in bfloat16, 40 epochs each, and the BLEU of test2016
# Results go to $OUT, or bench/results/.
set -eu
cd "$(dirname "$0")/.."

test_programs="kernels_tests nn_tests"
programs="$test_programs xformer-bench xformer-train xformer-translate xformer-score"
data=${XFORMER_MULTI30K:-../shared/data/multi30k}
failures=0

build() {
  cmake --preset cuda >/dev/null
  # shellcheck disable=SC2086  # one word per program
  cmake --build --preset cuda --target $programs
}

pack() {  # file
  folder=$(mktemp -d)
  mkdir "$folder/bin" "$folder/lib"
  for program in $programs; do
    strip -o "$folder/bin/$program" "build-cuda/bin/$program"
    # The C library and the CUDA libraries are the other machine's.
    ldd "build-cuda/bin/$program" | awk '$3 ~ /^\// { print $3 }' |
      grep -vE '/(ld-linux|libc|libm|libdl|libpthread|librt|libcuda|libcublas|libcublasLt)[-.]' |
      xargs -I{} cp -Lu {} "$folder/lib/"
  done
  if [ -e "$data/train.en" ]; then
    mkdir "$folder/data"
    cp "$data"/train.?? "$data"/val.?? "$data"/test_2016_flickr.?? "$folder/data/"
  fi
  tar -C "$folder" -czf "$1" .
  rm -r "$folder"
  du -h "$1"
}

report() {  # name, exit code
  if [ "$2" = 0 ]; then
    echo "ok      $1"
  else
    echo "FAILED  $1 (exit code $2)"
    failures=$((failures + 1))
  fi
}

# Runs a program's CUDA tests, behind a tool if one is given. At least one test must have run.
check() {  # name, program, tool...
  name=$1
  program=$2
  shift 2
  log=$(mktemp)
  code=0
  "$@" "$bin/$program" "[device],[cuda]" >"$log" 2>&1 || code=$?
  grep -qE '^(All tests passed|test cases:)' "$log" || code=99
  [ "$code" = 0 ] || cat "$log"
  rm -f "$log"
  report "$name" "$code"
}

run_tests() {
  for program in $test_programs; do check "$program" "$program"; done
}

run_sanitizers() {
  command -v compute-sanitizer >/dev/null || {
    report "compute-sanitizer is not installed" 1
    return
  }
  for tool in ${XF_SANITIZERS:-memcheck racecheck synccheck initcheck}; do
    for program in $test_programs; do
      check "compute-sanitizer $tool $program" "$program" compute-sanitizer --tool "$tool" --error-exitcode 9
    done
  done
}

# The peers run in the machine's own Python where that has PyTorch.
run_bench() {
  baseline=none
  if python3 -c 'import torch' 2>/dev/null; then
    baseline=torch
    XFORMER_PEERS_VENV=$(mktemp -d)
    export XFORMER_PEERS_VENV
    mkdir "$XFORMER_PEERS_VENV/bin"
    printf '#!/bin/sh\nexec python3 "$@"\n' >"$XFORMER_PEERS_VENV/bin/python"
    chmod +x "$XFORMER_PEERS_VENV/bin/python"
  fi
  for preset in tiny base; do
    for dtype in f32 bf16; do
      code=0
      "$bin/xformer-bench" --device cuda --preset "$preset" --dtype "$dtype" --check --baseline "$baseline" --format json \
        >"$out/$device-$preset-$dtype.json" || code=$?
      report "xformer-bench $preset $dtype" "$code"
    done
  done
}

run_train() {
  [ -e "$data/train.en" ] || {
    report "Multi30k is not in $data" 1
    return
  }
  for precision in float32 bfloat16; do
    run=$(mktemp -d)/run
    code=0
    { "$bin/xformer-train" --task transformer-tiny -t "$data/train.en" "$data/train.de" --valid-sets "$data/val.en" \
      "$data/val.de" -m "$run" --device cuda --precision "$precision" --after 40e &&
      "$bin/xformer-translate" -m "$run" -i "$data/test_2016_flickr.en" -o "$run/test.de" --device cuda; } \
      >"$out/$device-train-$precision.log" 2>&1 || code=$?
    [ "$code" = 0 ] || tail -n 3 "$out/$device-train-$precision.log"
    report "Multi30k, $precision" "$code"
    [ "$code" != 0 ] || "$bin/xformer-score" bleu "$data/test_2016_flickr.de" -i "$run/test.de" -lc |
      tee -a "$out/$device-train-$precision.log"
  done
}

run() {  # part...
  [ $# -gt 0 ] || set -- tests sanitizers bench train
  export XF_TEST_DEVICE=cuda XF_REQUIRE_CUDA=1
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo "no GPU is to be seen"
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1 | tr ' ' '-' || true)
  device=${device:-no-gpu}-$(date +%Y-%m-%d)
  out=${OUT:-bench/results}
  mkdir -p "$out"
  for part in "$@"; do
    case $part in
      tests | sanitizers | bench | train) ;;
      *) echo "error: there is no part '$part': tests, sanitizers, bench, train" >&2; exit 2 ;;
    esac
  done
  for part in "$@"; do
    begun=$(date +%s)
    "run_$part"
    echo "[$part: $(($(date +%s) - begun)) s]"
  done
  echo "$failures failed"
  [ "$failures" = 0 ]
}

case ${1:-} in
  pack) build && pack "$2" ;;
  run)
    unpacked=$(mktemp -d)
    tar -C "$unpacked" -xzf "$2"
    bin=$unpacked/bin
    export LD_LIBRARY_PATH="$unpacked/lib:${LD_LIBRARY_PATH:-}"
    [ ! -d "$unpacked/data" ] || data=$unpacked/data
    shift 2
    run "$@"
    ;;
  -h | --help) sed -n '2,15s/^# \{0,1\}//p' "$0" ;;
  *)
    build
    bin=build-cuda/bin
    run "$@"
    ;;
esac
