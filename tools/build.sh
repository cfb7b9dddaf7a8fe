#!/bin/sh
# Builds into build/, which the demo and the tests share: all of it, or the targets named.
#   tools/build.sh [TARGET...]
# A new folder gets the CUDA backend where there is nvcc of CUDA 12 or newer; if that compiles no kernels, it does without.
# A folder that is there stays as it was configured. To change that: cmake --preset release -DXFORMER_CUDA=ON, or =OFF.
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
  -h | --help) sed -n '2,5s/^# *//p' "$0"; exit ;;
  -*) sed -n '2,5s/^# *//p' "$0" >&2; exit 2 ;;
esac

# For the GPU that is there; where there is none, what compiles fastest and any GPU's driver can go on with.
configure_with_cuda() {
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  "$nvcc" --version 2>/dev/null | grep -qE 'release (1[2-9]|[2-9][0-9])\.' || return
  architectures=80-virtual
  ! nvidia-smi -L 2>/dev/null | grep -q GPU || architectures=native
  echo "building with CUDA ($nvcc, architecture $architectures)"
  CUDACXX=$nvcc cmake --preset release -DXFORMER_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=$architectures >/dev/null &&
    cmake --build --preset release --target xf_kernels && return
  echo "the CUDA backend does not build here, see above; building without it" >&2
  return 1
}

if [ -e build/build.ninja ]; then
  cmake --preset release >/dev/null
else
  configure_with_cuda || cmake --preset release -DXFORMER_CUDA=OFF >/dev/null
fi
if [ $# -gt 0 ]; then
  cmake --build --preset release --target "$@"
else
  cmake --build --preset release
fi
