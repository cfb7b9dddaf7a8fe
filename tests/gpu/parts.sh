# shellcheck shell=sh disable=SC2154
# For tests/gpu.sh: what each part does. Everything is written to $log as it happens; the terminal gets a line for each
# step of a part, and the last lines of what failed.

failures=0

say() { printf '%s\n' "$1" | tee -a "$log"; }

begin_log() {
  begun=$(date +%s)
  out=${OUT:-bench/results}
  mkdir -p "$out"
  log=$out/$device.log
  commit=$(cat "$bin/../commit" 2>/dev/null || git describe --always --dirty --abbrev=12 || echo unknown)
  say "=== $(date -u +%FT%TZ), commit $commit"
}

begin_part() {  # name
  part=$1
  part_begun=$(date +%s)
  part_end=$((part_begun + $(sed -n "s/^#   $1  *\([0-9]*\) .*/\1/p" tests/gpu.sh)))
  scratch=$(mktemp -d)
  say "--- $part"
}
end_part() {
  rm -rf "$scratch"
  say "[$part: $(($(date +%s) - part_begun)) s]"
}

report() {  # name, exit code
  if [ "$2" = 0 ]; then
    say "ok      $1"
  else
    say "FAILED  $1 (exit code $2)"
    failures=$((failures + 1))
  fi
}

# Runs a command within what is left of the part's time, but for the seconds that a later step needs.
reserve=0
step() {  # name, command...
  name=$1
  shift
  left=$((part_end - reserve - $(date +%s)))
  if [ $left -le 0 ]; then
    code=124
    report "$name: no time is left" $code
    return
  fi
  echo "+ $*" >>"$log"
  line=$(($(wc -l <"$log") + 1))
  step_begun=$(date +%s)
  code=0
  timeout -k 10 $left "$@" >>"$log" 2>&1 </dev/null || code=$?
  [ $code != 124 ] || name="$name: stopped when the part's time was over"
  [ $code = 0 ] || show_output 12
  report "$name ($(($(date +%s) - step_begun)) s)" $code
}

# The last lines that the step before wrote.
show_output() { tail -n +"$line" "$log" | grep -v '^ok  ' | tail -n "$1"; }

bench() {  # preset, dtype, argument...; results are pooled with what the file has already
  preset=$1
  dtype=$2
  shift 2
  step "$preset, $dtype: $*" "$bin/xformer-bench" --device cuda --preset "$preset" --dtype "$dtype" "$@" \
    --label "$out/$device-$preset-$dtype.json" --add
  [ $code != 0 ] || show_output 24
}

run_smoke() {
  for program in $programs; do
    ! ldd "$bin/$program" 2>&1 | grep "not found" || report "libraries of $program" 1
  done
  step "nvidia-smi" nvidia-smi
  step "build" "$bin/xformer-train" --build-info
  step "a test of products" "$bin/kernels_tests" "Linear:*[device]"
  step "a corpus" "$bin/xformer-vocab" demo-corpus -o "$scratch/corpus"
  step "three updates" "$bin/xformer-train" --task transformer-tiny -t "$scratch/corpus/train.en" \
    "$scratch/corpus/train.de" -m "$scratch/run" --vocab-size 1000 --device cuda --precision bfloat16 --after 3u \
    --disp-freq 1u
}

run_tests() {
  for program in $test_programs; do
    step "$program" "$bin/$program" "[device],[cuda]" --durations yes
  done
}

run_step() {
  for dtype in bf16 f32; do
    for preset in tiny base; do bench "$preset" "$dtype" --fn train_step; done
  done
}

run_plans() {
  for preset in tiny base; do
    bench "$preset" bf16 --fn 'linear_backward_weight|projection_cross_entropy'
  done
  for preset in tiny base; do
    # Level 5 traces every call with its algorithm, tile, split and workspace: in a step, and of dW in both ways.
    step "what cuBLASLt chose, $preset" env CUBLASLT_LOG_LEVEL=5 CUBLASLT_LOG_FILE="$out/$device-cublaslt-$preset.log" \
      "$bin/xformer-bench" --device cuda --preset "$preset" --dtype bf16 --samples 1 --warm \
      --fn 'train_step|linear_backward_weight'
  done
}

run_sanitizers() {
  command -v compute-sanitizer >/dev/null || PATH=$PATH:/usr/local/cuda/bin
  reserve=120
  step "memcheck" compute-sanitizer --tool memcheck --error-exitcode 9 "$bin/kernels_tests" "[device]"
  reserve=0
  for op in Attention LayerNorm ResidualNorm Embedding; do
    step "racecheck $op" compute-sanitizer --tool racecheck --error-exitcode 9 "$bin/kernels_tests" "$op:*[device]"
  done
}

find_ncu() {
  ncu=
  for place in /opt/nvidia/nsight-compute/*/ncu /usr/local/cuda/bin/ncu "$(command -v ncu || true)"; do
    [ ! -x "$place" ] || ncu=$place
  done
  [ -n "$ncu" ] || report "ncu is not installed" 1
}

# One kernel at a time, the caches as the one before left them.
run_kernels() {
  find_ncu
  [ -n "$ncu" ] || return 0
  for preset in tiny base; do
    step "kernels of a step, $preset" "$ncu" --clock-control none --cache-control none --graph-profiling node \
      --metrics gpu__time_duration.sum --csv --log-file "$scratch/$preset.csv" \
      "$bin/xformer-bench" --count-launches --device cuda --preset "$preset" --dtype bf16
    step "their times, $preset" python3 tests/gpu/kernel_times.py "$scratch/$preset.csv"
    [ $code != 0 ] || show_output 200 | head -n 24
  done
}

# Two launches of a kernel, with the rest of the caches cold as ncu leaves them.
profile() {  # kernels, a regular expression; argument of xformer-bench...
  kernels=$1
  shift
  rm -f "$scratch/ncu"
  step "ncu $kernels" "$ncu" --clock-control none --set full --kernel-name "regex:$kernels" --launch-count 2 \
    --kill yes --log-file "$scratch/ncu" "$bin/xformer-bench" --device cuda --dtype bf16 --samples 1 "$@"
  [ $code != 0 ] || grep -q "$kernels" "$scratch/ncu" || report "ncu found no kernel $kernels" 1
  cat "$scratch/ncu" >>"$out/$device-ncu.log" 2>/dev/null || true
}

run_profile() {
  find_ncu
  [ -n "$ncu" ] || return 0
  profile normalise_backward --preset base --fn residual_norm_backward
  profile cross_entropy_held --preset base --fn cross_entropy
  profile update_parameters --preset base --fn adam
  profile attention_short_backward --preset base --fn attention_backward
  profile attention_short_forward --preset base --fn attention_forward
  profile normalise_warp --preset base --fn residual_norm_forward
  profile attention_long --preset base --fn 'attention_(for|back)ward'
}

run_train() {
  [ -e "$data/train.en" ] || {
    report "Multi30k is not in $data" 1
    return
  }
  reserve=30  # a training that is stopped saves its model, which is translated with
  step "training" "$bin/xformer-train" --task multi30k-fast -t "$data/train.en" "$data/train.de" \
    --valid-sets "$data/val.en" "$data/val.de" -m "$scratch/run" --device cuda
  reserve=0
  cp "$scratch/run/metrics.jsonl" "$out/$device-train-metrics.jsonl" 2>/dev/null || true
  step "translation" "$bin/xformer-translate" -m "$scratch/run" -i "$data/test_2016_flickr.en" -o "$scratch/test.de" \
    --device cuda
  step "BLEU" "$bin/xformer-score" bleu "$data/test_2016_flickr.de" -i "$scratch/test.de" -lc
  show_output 1
}

# The peers run in the machine's own Python.
run_peer() {
  python3 -c 'import torch' 2>/dev/null || {
    report "python3 has no PyTorch" 1
    return
  }
  mkdir "$scratch/bin"
  printf '#!/bin/sh\nexec python3 "$@"\n' >"$scratch/bin/python"
  chmod +x "$scratch/bin/python"
  export XFORMER_PEERS_VENV="$scratch"
  bench tiny bf16 --fn train_step --baseline torch
  bench base bf16 --fn train_step --baseline torch
  bench base bf16 --fn 'attention.*|residual_norm.*|.*cross_entropy|adam|linear_.*ward' --baseline torch
  bench tiny bf16 --fn 'attention.*|residual_norm.*|.*cross_entropy|adam' --baseline torch
}

# Each rank takes a GPU of its own, and NCCL adds their gradients up (core/dist/nccl/).
run_ranks() {
  gpus=$(nvidia-smi --list-gpus 2>/dev/null | wc -l)
  [ "$gpus" -ge 2 ] || {
    report "two GPUs are needed, and there are $gpus" 1
    return
  }
  command -v mpirun >/dev/null || {
    report "mpirun is not installed" 1
    return
  }
  step "a corpus" "$bin/xformer-vocab" demo-corpus -o "$scratch/corpus"
  compare_ranks float32 1e-5
  compare_ranks bfloat16 1e-2 # a sum in another order may move a weight by its last bit
}

compare_ranks() {  # dtype, largest relative difference of the losses
  one=$scratch/one-$1 two=$scratch/two-$1
  set -- "$1" "$2" "$bin/xformer-train" --task transformer-tiny -t "$scratch/corpus/train.en" \
    "$scratch/corpus/train.de" --vocab-size 1000 --device cuda --precision "$1" --after "${updates:=60}u" \
    --disp-freq 1u --save-freq "${updates}u" --log-format none
  dtype=$1
  limit=$2
  shift 2
  step "one rank, $dtype" "$@" --optimizer-delay 2 -m "$one"
  step "two ranks, $dtype" mpirun --allow-run-as-root --oversubscribe -n 2 "$@" -m "$two"
  field loss "$one" >"$scratch/one"
  field loss "$two" >"$scratch/two"
  most=$(paste "$scratch/one" "$scratch/two" |
    awk '{ d = ($1 - $2) / $1; if (d < 0) d = -d; if (d > most) most = d } END { print NR == n ? most + 0 : "none" }' n="$updates")
  code=0
  awk -v most="$most" -v limit="$limit" 'BEGIN { exit !(most != "none" && most + 0 <= limit) }' || code=1
  report "the largest difference of their losses, $dtype: $most" $code
  say "tokens/s at the end, one rank and two, $dtype: $(field tok_per_s "$one" | tail -n 1), $(field tok_per_s "$two" | tail -n 1)"
}

# Of each update that was reported.
field() { sed -n "s/.*\"event\":\"train\".*\"$1\":\([-+0-9.e]*\).*/\1/p" "$2/metrics.jsonl"; }  # name, run
