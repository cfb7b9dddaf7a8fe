#!/usr/bin/env bash
# The programs on the software GPU as a user runs them: --device cuda trains, validates, goes on after a signal and
# translates.
#   programs.sh FOLDER_OF_THE_PROGRAMS FOLDER_OF_THOSE_WITH_THE_SOFTWARE_GPU
sim=$2
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/../e2e/support.sh"
set -m # a background job keeps its signals
make_corpus
export XF_SIM_STREAMS=lazy
small+=(--valid-sets valid.en valid.de --valid-freq 10u --save-freq 10u --disp-freq 5u --after 20u --log-format none)

on_cpu() { xformer-train "${small[@]}" --device cpu -t train.en train.de "$@"; }
exec_on_cuda() { exec "$sim/xformer-train" "${small[@]}" --device cuda -t train.en train.de "$@"; }
on_cuda() { (exec_on_cuda "$@"); }
losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -o '"loss":[0-9.]*' | cut -d: -f2; }

# Line by line, relative to the second.
agree() { # tolerance, run, run
  paste <(losses "$2") <(losses "$3") | awk -v most="$1" '
    { d = ($1 - $2) / $2; if (d < 0) d = -d; if (d > worst) worst = d }
    END { if (NR < 8 || worst > most) { print "        " NR " losses, worst difference " worst; exit 1 } }'
}

on_cpu -m run_cpu
on_cuda -m run_cuda
claim "training ends with 0" equal $? 0
claim "the log names the device" grep -q 'cuda:0, sim' run_cuda/train.log
claim "the losses are the CPU's within 1e-4" agree 1e-4 run_cuda run_cpu

on_cuda -m run_again
claim "a second run: the same bytes of the model" \
  same_bytes run_cuda/latest/model.safetensors run_again/latest/model.safetensors
claim "and of its metrics, apart from time, speed, memory" \
  same_bytes <(comparable_metrics run_cuda) <(comparable_metrics run_again)

exec_on_cuda -m run_stopped 2>/dev/null &
trainer=$!
until grep -q '"event":"train"' run_stopped/metrics.jsonl 2>/dev/null; do sleep 0.01; done
kill -TERM "$trainer"
wait "$trainer" 2>/dev/null
claim "SIGTERM ends it with 143" equal $? 143
on_cuda -m run_stopped
claim "it goes on, and ends in the bytes of the run that was not stopped" \
  same_bytes run_cuda/latest/model.safetensors run_stopped/latest/model.safetensors

on_cuda -m run_bf16 --precision bfloat16
claim "bf16 trains" equal $? 0
claim "its losses are f32's within 2 %" agree 2e-2 run_bf16 run_cpu

head -n 8 test.en >some.en
xformer-translate -m run_cuda -i some.en -o cpu.de --device cpu 2>/dev/null
"$sim/xformer-translate" -m run_cuda -i some.en -o cuda.de --device cuda 2>/dev/null
claim "translation ends with 0" equal $? 0
claim "and gives the CPU's translations" same_bytes cpu.de cuda.de

"$sim/xformer-train" "${small[@]}" --device cuda:7 -t train.en train.de -m run_none 2>error
claim "a device that there is not is a usage error" equal $? 2
claim "of one line that says which there are" grep -q "there is no cuda:7, only 1 device" error
claim "and leaves nothing" [ ! -e run_none ]
conclude
