#!/usr/bin/env bash
# What a model and its optimiser may be otherwise: each trains, goes on to the same bytes, and translates.
#   variants.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# The training loss of the run's first and last report, one after the other.
losses() {
  grep '"event":"train"' "$1/metrics.jsonl" | sed 's/.*"loss":\([-+.0-9e]*\).*/\1/' | sed -n '1p;$p'
}
falls() {
  losses "$1" | awk 'NR == 1 { first = $1 } END { exit !(NR == 2 && $1 < 0.9 * first) }' && return
  losses "$1"
  return 1
}

# learns NAME OPTIONS...: in one go and in three parts.
learns() {
  local name=$1
  shift
  train "$name" "$@" --after 120u --save-freq 20u --log-format none
  claim "$name: a run ends with 0" equal $? 0
  claim "$name: its loss falls" falls "$name"
  for updates in 40u 100u 120u; do
    train "parts_$name" "$@" --after $updates --save-freq 20u --log-format none || break
  done
  for file in latest/model latest/optimizer averaged/model; do
    claim "$name: in three parts it ends in the same $file" \
      same_bytes "$name/$file.safetensors" "parts_$name/$file.safetensors"
  done
  xformer-translate -m "$name" -i test.en -o "$name.de"
  claim "$name: a line for each" equal "$(wc -l <"$name.de")" "$(wc -l <test.en)"
}

# ---- activations
learns swish --transformer-ffn-activation swish
claim "another activation is named with those that there are" \
  refused 2 "one of relu, gelu, swish" train tanh --transformer-ffn-activation tanh

# ---- learnt positions
learns positions --transformer-train-positions --max-length 40
tables='"[a-z]*_positions.weight":{[^}]*}'
claim "learnt positions: in the checkpoint, a table for each side" equal \
  "$(grep -ao "$tables" positions/latest/model.safetensors | grep -c '"shape":\[41,32\]')" 2
yes dog | head -n 100 | paste -s -d ' ' >long.en
xformer-translate -m positions -i long.en -o long.de 2>warning
claim "a line beyond the table is translated as far as the table goes" equal "$(wc -l <long.de)" 1
claim "and that is said" grep -q "1 line.* too long" warning
claim "a validation line beyond the table is refused by file and line" refused 3 "long.en:1: [0-9]+ tokens" \
  train none --transformer-train-positions --max-length 40 --valid-sets long.en long.en
claim "the layout of sinusoids has no meaning for them" refused 2 "position-layout is of sines" \
  train none --transformer-train-positions --position-layout split

# ---- rotary positions
learns rotary --transformer-rotary-positions --norm pre
claim "rotary positions are no parameters" equal "$(grep -ac 'positions' rotary/latest/model.safetensors)" 0
xformer-translate -m rotary -i long.en -o long.de 2>warning
# picture MODEL SUBJECT EQUATION: how often the equation's values are in it.
picture() { xformer-explain flow "$2" -m "$1" "the dog sleeps" --format json | grep -oE "\"equation\": *\"$3\"" | wc -l; }
claim "the flow of attention shows queries and keys turned" equal "$(picture rotary attention AB12)" 2
claim "and no position that is added" equal "$(picture rotary encoder EM3)" 0
claim "nor is one of sinusoids where they are learnt" equal "$(picture positions encoder EM3)" 0
claim "a line may be longer than any that was learnt from" equal "$(wc -l <long.de) $(grep -c "too long" warning)" "1 0"
claim "a model of sinusoids is none of rotary positions" refused 2 "transformer-rotary-positions" \
  train swish --transformer-ffn-activation swish --transformer-rotary-positions --after 130u

# ---- the precision that is faster
on_avx2() { XFORMER_CPU_LEVEL=avx2 ONEDNN_MAX_CPU_ISA=AVX2 train "$@" --device cpu --after 3u --disp-freq 1u 2>&1; }
claim "auto is float32 where the processor multiplies bfloat16 no faster" \
  grep -q "float32 (this processor multiplies bfloat16 no faster)" <(on_avx2 auto --precision auto)
on_avx2 f32 --precision float32 >/dev/null
claim "and what it learns is what float32 does" equal "$(losses auto)" "$(losses f32)"

# ---- Muon
learns muon --optimizer muon
claim "muon is given Adam's numbers and a momentum" \
  grep -qx 'optimizer-params = \[0.9, 0.98, 1e-08, 0.95\]' muon/training.toml
claim "muon: three numbers are too few" refused 2 "optimizer-params: muon takes four, .* got 3 values" \
  train none --optimizer muon --optimizer-params 0.9 0.98 1e-9
claim "Adam does not go on from the moments of muon" refused 3 "no first_moment of --optimizer adam" \
  train other --optimizer adam --resume muon/latest
claim "a seed system's layers have no matrices for muon" refused 2 "use adam" \
  xformer-train --task tutorials/translator -t train.en train.de --valid-sets train.en train.de -m none --optimizer muon --tokenizer icu --log-format none

# ---- gradient descent
learns sgd --optimizer sgd --optimizer-params 0.9 --learn-rate 0.05 --clip-norm 1
claim "sgd: its momentum is all of its state" equal \
  "$(head -c 200 sgd/latest/optimizer.safetensors | grep -ao '"[a-z_]*":{"dtype"')" '"momentum":{"dtype"'
learns plain_sgd --optimizer sgd --learn-rate 0.2 --clip-norm 1
claim "sgd has no momentum unless it is given one" grep -qx 'optimizer-params = \[0.0\]' plain_sgd/training.toml
claim "it is given one number" refused 2 "optimizer-params: sgd takes one, its momentum, got 3 values" \
  train none --optimizer sgd --optimizer-params 0.9 0.98 1e-9
claim "Adam is given three" refused 2 "optimizer-params: adam takes three, beta1, beta2 and epsilon, got 1 value" \
  train none --optimizer adam --optimizer-params 0.9
claim "Adam does not go on from the momentum of sgd" refused 3 "no first_moment of --optimizer adam" \
  train other --optimizer adam --resume sgd/latest
planned() { xformer-train --task demo --vocab-sizes 200 200 --print-model "$@" | grep -o '^memory: [0-9]* MB'; }
total() { xformer-train --task demo --vocab-sizes 200 200 --print-model "$@" | grep -o '= [0-9]* MB' | tr -dc 0-9; }
claim "the plan of bf16 has smaller activations" test "$(total --bf16)" -lt "$(total)"
claim "a GPU's is made where there is none" test "$(total --device cuda)" -gt 0
claim "the memory plan has one moment less" test "$(planned | tr -dc 0-9)" -gt "$(planned --optimizer sgd | tr -dc 0-9)"
conclude
