#!/bin/sh
# All tests of the CUDA backend on a real GPU, and compute-sanitizer over them. Exit code 0: every test ran and passed.
#   tests/gpu.sh               builds into build-cuda/ and runs (needs the CUDA toolkit and a GPU)
#   tests/gpu.sh pack FOLDER   builds, and puts the test programs with the libraries they need into FOLDER, to be
#                              carried to a machine that has a GPU but no compiler
#   tests/gpu.sh run FOLDER    runs what `pack` made
# XF_SANITIZERS="memcheck racecheck" chooses the tools; unset: all four that there are.
set -eu
cd "$(dirname "$0")/.."

programs="kernels_tests nn_tests"
tests="[device],[cuda]"

build() {
  cmake --preset cuda >/dev/null
  # shellcheck disable=SC2086  # one word per program
  cmake --build --preset cuda --target $programs
}

pack() {  # folder
  mkdir -p "$1/lib"
  for program in $programs; do
    strip -o "$1/$program" "build-cuda/bin/$program"
    # The C library and the CUDA libraries are the other machine's.
    ldd "build-cuda/bin/$program" | awk '$3 ~ /^\// { print $3 }' |
      grep -vE '/(ld-linux|libc|libm|libdl|libpthread|librt|libcuda|libcublas|libcublasLt)[-.]' |
      xargs -I{} cp -Lu {} "$1/lib/"
  done
  du -sh "$1"
}

failures=0
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
  "$@" "$program" "$tests" >"$log" 2>&1 || code=$?
  grep -qE '^(All tests passed|test cases:)' "$log" || code=99
  [ "$code" = 0 ] || cat "$log"
  rm -f "$log"
  report "$name" "$code"
}

run() {  # folder of the programs
  export XF_TEST_DEVICE=cuda XF_REQUIRE_CUDA=1 LD_LIBRARY_PATH="$1/lib:${LD_LIBRARY_PATH:-}"
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
  for program in $programs; do check "$program" "$1/$program"; done
  if command -v compute-sanitizer >/dev/null; then
    for tool in ${XF_SANITIZERS:-memcheck racecheck synccheck initcheck}; do
      for program in $programs; do
        check "compute-sanitizer $tool $program" "$1/$program" compute-sanitizer --tool "$tool" --error-exitcode 9
      done
    done
  else
    report "compute-sanitizer is not installed" 1
  fi
  echo "$failures failed"
  [ "$failures" = 0 ]
}

case ${1:-} in
  "") build && run build-cuda/bin ;;
  pack) build && pack "$2" ;;
  run) run "$2" ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
