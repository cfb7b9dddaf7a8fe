#!/usr/bin/env bash
# docs/your_kernel.md: kernels in Python, with NumPy.
#   numpy_kernel.sh FOLDER_OF_THE_PROGRAMS
root=$(cd "$(dirname "$0")/../.." && pwd)
set -- "$(cd "$1" && pwd)"
# shellcheck source=tests/e2e/support.sh
. "$root/tests/e2e/support.sh"
python3 -c 'import numpy' 2>/dev/null || { echo "[skipped] no python3 with NumPy here"; exit 0; }
quick() { xformer-bench --threads 1 --warm --samples 2 --kernel-limit 20 "$@"; }
right() { quick --check-only "$@" >/dev/null; }
example=$root/docs/examples/kernels/layer_norm.py

quick --kernel "$example" --fn layer_norm_forward --shape N=64,D=100 >table
claim "the page's LayerNorm is right, and timed" grep -qE '^layer_norm_forward 64x100 .* layer_norm\.py, NumPy [0-9.]+$' table
cat >kernels.py <<'PYTHON'
import math
import numpy as np

print("a kernel may print")
kept = None


def softmax_forward(s, p):
    e = np.exp(s - s.max(1, keepdims=True))
    p[:] = e / e.sum(1, keepdims=True)


def softmax_backward(dp, p, ds):
    global kept
    kept = p * (dp - (p * dp).sum(1, keepdims=True)) if kept is None else kept
    ds[:] = kept


def matmul(a, b, c, transpose_a, transpose_b):
    c[:] = (a.T if transpose_a else a) @ (b.T if transpose_b else b)


def adam(**all):
    g = all["scale"] * all["g"]
    all["m"][:] = all["beta1"] * all["m"] + (1 - all["beta1"]) * g
    all["v"][:] = all["beta2"] * all["v"] + (1 - all["beta2"]) * g * g
    step = all["m"] / all["correction1"] / (np.sqrt(all["v"] / all["correction2"]) + all["eps"])
    all["p"][:] -= all["learning_rate"] * step


def attention_forward(q, k, v, o, scale, causal, S):
    scores = scale * np.einsum("bihd,bjhd->bhij", q, k)
    if causal:
        scores[..., np.triu(np.ones((S, S), bool), 1)] = -np.inf
    e = np.exp(scores - scores.max(-1, keepdims=True))
    o[:] = np.einsum("bhij,bjhd->bihd", e / e.sum(-1, keepdims=True), v)


def cross_entropy(z, targets, loss, label_smoothing, V):
    e = np.exp(z - z.max(1, keepdims=True))
    p, rows = e / e.sum(1, keepdims=True), np.flatnonzero(targets >= 0)
    q = np.full_like(z, label_smoothing / V)
    q[rows, targets[rows]] += 1 - label_smoothing
    loss += [-(q * np.log(p))[rows].sum(), -np.log(p[rows, targets[rows]]).sum()]
    z[:] = np.where((targets >= 0)[:, None], p - q, 0)


def rms_norm_forward(x, gamma, nothing):
    pass
PYTHON
for kernel in "softmax_forward:N=33,D=7" "matmul:M=5,N=6,K=7" "adam:P=1000" "attention_forward:B=2,S=5,H=3,Dh=4" \
  "cross_entropy:N=11,V=13"; do
  claim "${kernel%%:*} in NumPy is right" right --kernel kernels.py --fn "${kernel%%:*}" --shape "${kernel#*:}"
done
claim "in f64, too" right --kernel kernels.py --fn softmax_forward --shape N=33,D=7 --dtype f64
claim "a check alone says the error" grep -qE '^cross_entropy 11x13 .* - .* [0-9.]+e-0[0-9]  kernels.py, NumPy' \
  <(quick --check-only --kernel kernels.py --fn cross_entropy --shape N=11,V=13)
claim "one that keeps its result is refused" refused 1 "kernels.py, NumPy .*ds is that of an earlier call" \
  quick --kernel kernels.py --fn softmax_backward --shape N=3,D=4
claim "what a function asks for and is not there is told" refused 1 "it asks for nothing; there are: " \
  quick --kernel kernels.py --fn rms_norm_forward --shape N=3,D=4
claim "a function that is not there, too" refused 1 "it has no function rms_norm_backward; it has: adam, " \
  quick --kernel kernels.py --fn rms_norm_backward --shape N=3,D=4
claim "a type that NumPy lacks" refused 1 "NumPy has no bf16; import torch" \
  quick --kernel kernels.py --fn softmax_forward --shape N=3,D=4 --dtype bf16
cat >program.py <<PYTHON
import sys
sys.path.insert(0, "$root/bench/peers")
import xformer_kernel
output = xformer_kernel.take_over_output()
import kernels
xformer_kernel.serve({"softmax_forward": kernels.softmax_forward}, output)
PYTHON
claim "a program that serves itself" right --kernel 'python3 program.py' --fn softmax_forward --shape N=3,D=4
echo 'import nothing_called_so' >broken.py
claim "a file that does not load" refused 1 "broken.py: ModuleNotFoundError: No module named 'nothing_called_so'" \
  quick --kernel broken.py --fn softmax_forward --shape N=3,D=4
conclude
