#!/bin/sh
# Compares the declarations of the software GPU with the toolkit's, compiles the CUDA backend with nvcc, warnings as
# errors, links the trainer and the benchmarks with it, which hold all that only a CUDA build has, and checks ptxas's
# report: no kernel of the tiny and base models spills registers. Programs look for their libraries in named folders only.
#   tests/cuda_build.sh [80 90 ...]      for these architectures; default: all that are shipped (tools/cmake/cuda.cmake)
# Behind it compares what is declared of NCCL, which a program loads when ranks meet on GPUs, with its header and library.
# Needs no GPU. Without a CUDA toolkit on the machine it takes one from PyPI into build-cuda/toolkit (python3-venv), and NCCL into
# build-cuda/nccl.
set -eu
cd "$(dirname "$0")/.."

# NVIDIA's wheels hold the compiler and the libraries to link with, without the links that a linker looks for.
toolkit_from_pypi() {
  folder=build-cuda/toolkit
  if [ ! -x "$(echo "$folder"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)" ]; then
    python3 -m venv --clear "$folder"
    attempt=1
    # pip tries again to connect, but not when a download breaks off.
    until "$folder/bin/pip" -q install --disable-pip-version-check --retries 10 "nvidia-cuda-nvcc==13.0.*" \
      "nvidia-nvvm==13.0.*" "nvidia-cuda-crt==13.0.*" "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-cccl==13.0.*" \
      "nvidia-cublas==13.0.*" "nvidia-cuda-cuobjdump==13.2.*" "nvidia-cuda-nvdisasm==13.2.*"; do
      [ $attempt -lt 3 ] || {
        echo "error: tests/cuda_build.sh: pip could not install the CUDA toolkit; its lines above say why" >&2
        exit 1
      }
      attempt=$((attempt + 1))
    done
  fi
  CUDA_HOME=$(echo "$PWD/$folder"/lib/python3*/site-packages/nvidia/cu13)
  for library in "$CUDA_HOME"/lib/*.so.13; do
    ln -sf "${library##*/}" "${library%.13}"
  done
  [ -e "$CUDA_HOME/lib64" ] || ln -s lib "$CUDA_HOME/lib64"
}

# 200 MB, which come while the kernels are compiled.
nccl_from_pypi() {
  [ -e build-cuda/nccl/include/nccl.h ] && return
  python3 -m venv --clear build-cuda/nccl-venv
  build-cuda/nccl-venv/bin/pip -q install --disable-pip-version-check --retries 10 "nvidia-nccl-cu13==2.28.*" || return
  ln -sfn "$(echo "$PWD"/build-cuda/nccl-venv/lib/python3*/site-packages/nvidia/nccl)" build-cuda/nccl
}

if [ -n "${CUDA_HOME:-}" ]; then
  :
elif command -v nvcc >/dev/null; then
  CUDA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
else
  toolkit_from_pypi
fi
export CUDACXX="$CUDA_HOME/bin/nvcc"
"$CUDACXX" --version | grep release
python3 tests/sim/compare_with_toolkit.py --toolkit "$CUDA_HOME"
nccl=$CUDA_HOME
fetching=
if [ ! -e "$CUDA_HOME/include/nccl.h" ]; then
  nccl=build-cuda/nccl
  nccl_from_pypi &
  fetching=$!
fi

[ $# -gt 0 ] || set -- 80 90 100 120
architectures=$(printf '%s-real;' "$@")

log=build-cuda/ptxas.log  # of every kernel: whatever was compiled before is compiled again
cmake --preset cuda -DCMAKE_CUDA_ARCHITECTURES="${architectures%;}" -DCUDAToolkit_ROOT="$CUDA_HOME" -DCMAKE_CUDA_FLAGS=-Xptxas=-v >/dev/null
find build-cuda -name '*.cu.o' -delete
cmake --build --preset cuda --target xf_kernels >"$log" 2>&1 || {
  cat "$log"
  exit 1
}
# shellcheck disable=SC2046  # one word per architecture
python3 tests/check_ptxas.py "$log" $(printf 'sm_%s ' "$@")
cmake --build --preset cuda --target xformer-train xformer-bench
tests/runpath.sh build-cuda/bin

if [ -n "$fetching" ] && ! wait "$fetching"; then
  echo "error: tests/cuda_build.sh: pip could not install NCCL; its lines above say why" >&2
  exit 1
fi
python3 tests/sim/compare_with_toolkit.py --toolkit "$CUDA_HOME" --nccl "$nccl"
