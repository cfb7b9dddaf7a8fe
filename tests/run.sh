#!/bin/sh
# Installs what is missing, builds into build/ and runs all tests; arguments go to ctest.
#   tests/run.sh                all of them
#   tests/run.sh -L unit        one label: unit, grad, golden, e2e, sim, book, slow; cuda, where tools/build.sh builds for CUDA
#   tests/run.sh -R Softmax     by name
# Works as root or with sudo on Debian 12 and 13. Exit code 0: everything passed.
set -eu
cd "$(dirname "$0")/.."

# A waiting OpenMP thread sleeps instead of spinning, so that tests side by side do not take each other's processor.
export OMP_WAIT_POLICY=passive
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers

stage() {  # name, command...
  name=$1
  shift
  begun=$(date +%s)
  "$@" || {
    echo "error: tests/run.sh: $name failed; the lines above say why" >&2
    exit 1
  }
  seconds=$(($(date +%s) - begun))
  echo "[$name: $((seconds / 60)) min $((seconds % 60)) s]"
}

stage install tools/install_packages.sh
stage build tools/build.sh
exec ctest --test-dir build -j2 --output-on-failure "$@"
