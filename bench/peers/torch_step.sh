#!/bin/sh
# One training step, ours against current PyTorch from PyPI, on the same cores:
#
#     bench/peers/torch_step.sh tiny|base
#
# The same as xformer-bench --fn train_step --preset tiny|base --baseline torch, which it builds first.
# Ends with "ratio: 1.43 (ours 0.63 s, torch 0.90 s, torch 2.x, 2 threads)"; ratio > 1 when ours is faster. Torch lives
# in a virtual environment, build/peers-venv or $XFORMER_PEERS_VENV, which is made if it is not there. Exit code 77:
# torch cannot be installed here.
set -eu
# Not what a link leads to: that would be another Python.
venv=$(realpath -ms "${XFORMER_PEERS_VENV:-$(dirname "$0")/../../build/peers-venv}")
cd "$(dirname "$0")/../.."
preset=${1:-}
case $preset in
  tiny|base) ;;
  *) echo "usage: $0 tiny|base" >&2; exit 2 ;;
esac

skip() {
  echo "[skipped] torch cannot be installed: $1" >&2
  exit 77
}

[ -f build/CMakeCache.txt ] || cmake -S . -B build -G Ninja
cmake --build build --target xformer-bench

if ! "$venv/bin/python" -c 'import torch' 2> /dev/null; then
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || skip "python3 -m venv failed (on Debian: apt-get install python3-venv)"
  "$venv/bin/python" -m pip install --quiet --requirement bench/peers/requirements.txt || skip "pip failed, see above"
fi
XFORMER_PEERS_VENV=$venv exec "$venv/bin/python" bench/peers/compare_step.py "$preset" build/bin/xformer-bench
