#!/usr/bin/env bash
# The programs on the software GPU as a user runs them: --device cuda trains, validates, goes on after a signal and
# translates; and trains, goes on and is used as a language model, of molecules too, and as a classifier.
#   programs.sh FOLDER_OF_THE_PROGRAMS FOLDER_OF_THOSE_WITH_THE_SOFTWARE_GPU
sim=$2
repository=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/../e2e/support.sh"
set -m # a background job keeps its signals
make_corpus
for side in en de; do head -n 8 "full/valid.$side" >"valid.$side"; done  # each is translated three times a run
export XF_SIM_STREAMS=lazy
# At a rate at which the loss falls at once, so that wrong gradients show in it.
small+=(--valid-sets valid.en valid.de --valid-freq 10u --save-freq 10u --disp-freq 5u --after 20u --log-format none
  --learn-rate 0.01 --lr-schedule constant --lr-warmup 0)

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
claim "the loss falls by more than a tenth, five times what any type may differ by" \
  awk 'NR == 1 { first = $1 } END { exit !($1 > 0 && $1 < 0.9 * first) }' <(losses run_cpu)
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

on_cuda -m run_tf32 --precision tf32
claim "products in TF32 train" equal $? 0
claim "and the log says so" grep -q 'tf32 products' run_tf32/train.log
claim "their losses are f32's within 0.2 %" agree 2e-3 run_tf32 run_cpu
claim "on the CPU they are a usage error" refused 2 "on the CPU take float32 or bfloat16" \
  xformer-train "${small[@]}" --device cpu --precision tf32 -t train.en train.de -m run_none

head -n 8 test.en >some.en
xformer-translate -m run_cuda -i some.en -o cpu.de --device cpu 2>/dev/null
"$sim/xformer-translate" -m run_cuda -i some.en -o cuda.de --device cuda 2>/dev/null
claim "translation ends with 0" equal $? 0
claim "and gives the CPU's translations" same_bytes cpu.de cuda.de

# ---- models beside translation
xformer-vocab demo-molecules molecules >made
for set in train valid; do
  head -n 200 "molecules/$set.smi" >"$set.smi"
  paste -d '\n' "$set.en" "$set.de" >"$set.text"
  sed 's/.*/en\nde/' "$set.en" >"$set.labels"
done
tiny=(--vocab-size 100 --dim-emb 16 --transformer-dim-ffn 32 --transformer-heads 2 --transformer-dropout 0.1
  --mini-batch-words 150 --learn-rate 0.005 --lr-warmup 5u --valid-freq 8u --save-freq 4u --disp-freq 1u
  --log-format none)
train_model() { # program, device, model, run, option...
  local text=()
  case $3 in
    captions) text=(--task language-model --dec-depth 1 -t train.en --valid-sets valid.en) ;;
    molecules) text=(--task smiles --dec-depth 1 -t train.smi --valid-sets valid.smi) ;;
    languages) text=(--task classification --enc-depth 1 -t train.text train.labels --valid-sets valid.text valid.labels) ;;
  esac
  "$1/xformer-train" "${text[@]}" "${tiny[@]}" --device "$2" -m "$4" "${@:5}"
}
for model in captions molecules languages; do
  train_model "$programs" cpu $model "cpu_$model" --after 8u
  train_model "$sim" cuda $model "cuda_$model" --after 8u
  claim "$model: the losses are the CPU's within 1e-4" agree 1e-4 "cuda_$model" "cpu_$model"
  for updates in 4u 8u; do train_model "$sim" cuda $model "parts_$model" --after $updates; done
  claim "$model: in two parts it ends in the same model, byte by byte" \
    same_bytes "cuda_$model/latest/model.safetensors" "parts_$model/latest/model.safetensors"
done
xformer-generate -m cuda_molecules --samples 5 --seed 3 -o cpu.smi
"$sim/xformer-generate" -m cuda_molecules --samples 5 --seed 3 --device cuda -o cuda.smi
claim "molecules: drawn on the GPU, the CPU's" same_bytes cpu.smi cuda.smi
head -n 20 test.en >some.en
xformer-classify -m cuda_languages -i some.en 2>/dev/null | cut -f 1 >cpu.classes
"$sim/xformer-classify" -m cuda_languages -i some.en --device cuda 2>/dev/null | cut -f 1 >cuda.classes
claim "languages: the classes are the CPU's" same_bytes cpu.classes cuda.classes

if [ -x "$sim/xformer-bench" ]; then  # a build without the benchmarks has none
  XF_SIM_TRAFFIC=step.tsv "$sim/xformer-bench" --count-launches --device cuda --preset tiny --dtype bf16 >launches 2>error
  claim "a step's launches are counted" equal $? 0
  claim "as many as nodes of the replay whose traffic was counted" \
    equal "$(awk '/launches in a step/ { print $1 }' launches)" "$(wc -l <step.tsv)"
  # 4,088 rows of 128 columns of bf16, a matrix of 128 x 128 and its bias read, as many rows written.
  claim "a product reads and writes each of its bytes once" grep -qP '^cublasLtMatmul 4088x128x128 \+ bias\t1079552\t1046528$' step.tsv
  claim "the estimate adds them up" grep -q "^the step" <("$repository/bench/estimate_step.sh" step.tsv)
  claim "the CPU launches nothing, which is a usage error" \
    refused 2 "the cpu launches nothing" "$sim/xformer-bench" --count-launches --device cpu
fi

"$sim/xformer-train" "${small[@]}" --device cuda:7 -t train.en train.de -m run_none 2>error
claim "a device that there is not is a usage error" equal $? 2
claim "of one line that says which there are" grep -q "there is no cuda:7, only 1 device" error
claim "and leaves nothing" [ ! -e run_none ]
conclude
