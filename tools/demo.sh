#!/bin/sh
# From nothing to a translation: installs what is missing, builds, makes a small English-German corpus, trains on it
# (a few minutes on two cores), translates sentences that the model has not seen, and scores them.
#   tools/demo.sh [FOLDER]      default: build/demo. A run that was stopped goes on.
# Where there is nvcc, of CUDA 12 or newer, it builds the CUDA backend, too: a GPU that works is then used, and the log
# says why none is. Works as root or with sudo on Debian 12 and 13. Exit code 1 if the score is lower than it should be.
set -eu
usage() { sed -n '2,4s/^# *//p' "$0"; }
case ${1:-} in
  -h | --help) usage; exit ;;
  -*) usage >&2; exit 2 ;;
esac
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."

build() {  # preset, argument of CMake...
  cmake --preset "$@" >/dev/null &&
    cmake --build --preset "$1" --target xformer-vocab xformer-train xformer-translate xformer-score xformer-explain
}

step() {  # what it does, command...
  name=$1
  shift
  "$@" || {
    echo "error: tools/demo.sh: $name failed; the lines above say why" >&2
    exit 1
  }
}

tools/install_packages.sh  # says itself what failed, and so do our programs
bin=
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if "$nvcc" --version 2>/dev/null | grep -qE 'release (1[2-9]|[2-9][0-9])\.'; then
  # For the GPU that is there; where there is none, what compiles fastest and any GPU's driver can go on with.
  architectures=80-virtual
  ! nvidia-smi -L 2>/dev/null | grep -q GPU || architectures=native
  echo "building with CUDA ($nvcc, architecture $architectures)"
  if CUDACXX=$nvcc build cuda -DCMAKE_CUDA_ARCHITECTURES=$architectures; then
    bin=build-cuda/bin
  else
    echo "the CUDA backend does not build here, see above; building without it" >&2
  fi
fi
if [ -z "$bin" ]; then
  step "building" build release
  bin=build/bin
fi
PATH=$PWD/$bin:$PATH

tools/train_demo.sh "${folder:-build/demo}"
