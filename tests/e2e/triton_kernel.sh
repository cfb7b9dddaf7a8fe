#!/usr/bin/env bash
# docs/your_kernel.md: the LayerNorm in Triton, by its interpreter.
#   triton_kernel.sh FOLDER_OF_THE_PROGRAMS
root=$(cd "$(dirname "$0")/../.." && pwd)
set -- "$(cd "$1" && pwd)"
# shellcheck source=tests/e2e/support.sh
. "$root/tests/e2e/support.sh"
python3 -c 'import torch, triton' 2>/dev/null || { echo "[skipped] no python3 with PyTorch and Triton here"; exit 0; }
export TRITON_INTERPRET=1
quick() { xformer-bench --threads 1 --warm --samples 2 --fn layer_norm_forward --shape N=16,D=100 "$@"; }
right() { quick --check-only "$@" >/dev/null; }

example=$root/docs/examples/kernels/layer_norm_triton.py
quick --kernel "$example" >table  # as the page has it
claim "the page's LayerNorm in Triton is right" grep -qE '^layer_norm_forward 16x100 .* [0-9.]+e-0[0-9] .*, Triton ' table
claim "and not timed" grep -q "no time: Triton's interpreter" table
claim "in bf16, too" right --kernel "$example" --dtype bf16
sed 's/r = 1 \/ tl.sqrt/r = 2 \/ tl.sqrt/' "$example" >wrong.py
claim "a wrong one is refused" refused 1 "y is wrong: at .*times what is allowed" quick --kernel wrong.py
conclude
