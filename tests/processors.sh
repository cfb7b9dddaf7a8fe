#!/usr/bin/env bash
# The engine as different x86-64 processors run it, on the one that is here: our kernels at each level that it has
# (XFORMER_CPU_LEVEL), oneDNN's products limited to each of its instruction sets (ONEDNN_MAX_CPU_ISA), and the same
# programs on an emulated Haswell and on one that is too old. Prints a table; exit code 0: no cell failed.
#   tests/processors.sh [FOLDER_OF_THE_PROGRAMS]      default: build/bin
#   XF_PROCESSORS_LOGS=FOLDER                         keeps what each cell printed
# As it is without limits, ctest has it; here that is only what losses are compared with.
# A cell says "not here" where this processor lacks the instructions: that is neither a pass nor a failure.
set -u
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
programs=$(realpath -m "${1:-$(dirname "$0")/../build/bin}") logs=${XF_PROCESSORS_LOGS:+$(realpath -m "$XF_PROCESSORS_LOGS")}
cd "$(dirname "$0")/.." || exit 1
PATH=$programs:$PATH
export OMP_WAIT_POLICY=passive
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-processors-XXXXXX")
trap 'rm -rf "$work"' EXIT
logs=${logs:-$work/logs}
mkdir -p "$logs"

# name | level of our kernels | oneDNN's limit | flag of /proc/cpuinfo that both need | emulated processor
columns="
Haswell, emulated |        |                   |             | Haswell
AVX2              | avx2   | AVX2              | avx2        |
AVX-512           | avx512 | AVX512_CORE       | avx512vl    |
AVX-512, BF16     | avx512 | AVX512_CORE_BF16  | avx512_bf16 |
AMX               | avx512 | AVX512_CORE_AMX   | amx_bf16    |
AVX2 and AMX      | avx2   | AVX512_CORE_AMX   | amx_bf16    |
"
rows="kernels nn train_f32 train_bf16 translate"
updates=8

# A small training, so that processors can be compared. Its rate is one at which the loss falls at once.
train() {  # run, precision
  xformer-train --task demo --vocabs "$work/pieces.spm" --dim-emb 32 --transformer-dim-ffn 48 --enc-depth 2 --dec-depth 2 \
    --transformer-dropout 0.1 --mini-batch-words 200 --cpu-threads 2 --precision "$2" -t "$work/train.en" "$work/train.de" -m "$1" \
    --learn-rate 0.01 --lr-schedule constant --lr-warmup 0 --after "${updates}u" --disp-freq 1u --disp-first 0 \
    --save-freq ${updates}u --overwrite
}
at_update() {  # number, key, run
  grep -o '"event":"train","update":'"$1"',[^}]*' "$3/metrics.jsonl" | grep -o "\"$2\":[0-9.]*" | cut -d: -f2
}
learns() {  # run
  awk -v a="$(at_update 1 loss "$1")" -v b="$(at_update $updates loss "$1")" 'BEGIN { exit !(b > 0 && b < 0.9 * a) }'
}

# Different instruction sets differ by rounding, which $updates updates hardly amplify: a bf16 has 8 bits, 2^-8 = 0.004.
# One part in a hundred, a tenth of what the loss falls by; and before rounding can add up, of the first gradients' norm.
close_to_native() {  # run, precision
  local place mine native
  for place in "1 gnorm" "$updates loss"; do
    # shellcheck disable=SC2086  # two words
    mine=$(at_update $place "$1") native=$(at_update $place "$work/reference-$2")
    echo "update $place $mine, native $native"
    awk -v a="$mine" -v b="$native" 'BEGIN { exit !(a > 0 && b > 0 && a - b < 0.01 * b && b - a < 0.01 * b) }' || return
  done
}

# One cell: a command in the column's environment. Exit code 0: passed.
cell() {  # column, row, emulated
  local run=$work/$1-$2
  case $2 in
    kernels)
      if [ -n "$3" ]; then emulated kernels_tests "Softmax: agrees*,LayerNorm: *,Matmul: all*,Dropout: *"
      else kernels_tests "[unit],[grad]"; fi ;;
    nn) if [ -n "$3" ]; then emulated nn_tests "FeedForward: *,Adam: *"; else nn_tests "[unit],[grad],[golden]"; fi ;;
    train_*) train "$work/$1-${2#train_}" "${precision[${2#train_}]}" && close_to_native "$work/$1-${2#train_}" "${2#train_}" ;;
    translate)
      xformer-translate -m "$work/$1-f32" -i "$work/test.en" -o "$run.de" --beam-size 2 &&
        [ "$(wc -l <"$run.de")" = "$(wc -l <"$work/test.en")" ] ;;
  esac
}
declare -A precision=([f32]=float32 [bf16]=bfloat16)

# Programs of PATH, run by the emulator where a column names a processor.
emulated() { if [ -n "${emulate:-}" ]; then qemu-x86_64 -cpu "$emulate" "$programs/$1" "${@:2}"; else "$programs/$1" "${@:2}"; fi; }
xformer-train() { emulated xformer-train "$@"; }
xformer-translate() { emulated xformer-translate "$@"; }

"$programs/xformer-vocab" demo-corpus --quiet -o "$work/corpus" || exit 1
for side in en de; do head -n 200 "$work/corpus/train.$side" >"$work/train.$side"; done
head -n 4 "$work/corpus/test.en" >"$work/test.en"
# Made once, and not by the emulator: qemu-user of Debian 12 cannot start a thread in the child of a process that has threads.
"$programs/xformer-vocab" train --quiet -i "$work/train.en" "$work/train.de" -m "$work/pieces.spm" --vocab-size 300 || exit 1

for type in f32 bf16; do  # what the losses of every line are compared with
  train "$work/reference-$type" "${precision[$type]}" >"$logs/reference-$type.log" 2>&1 || { tail -n 15 "$logs/reference-$type.log"; exit 1; }
  learns "$work/reference-$type" || { echo "error: the loss of $type falls by less than a tenth, so it tells nothing" >&2; exit 1; }
done

"$programs/xformer-train" --build-info | grep -E '^(kernels|oneDNN|threads)'
grep -m 1 '^model name' /proc/cpuinfo
echo
printf '%-18s' ""
# shellcheck disable=SC2086  # one word per row
printf '%-11s' $rows
echo

# A line of the table, from its cells; what failed goes to $logs/failures.
line() {  # name, level, limit, flag, emulated
  local name=$1 level=$2 limit=$3 flag=$4 emulate=$5 row log result
  printf '%-18s' "$name"
  for row in $rows; do
    log="$logs/$name-$row.log"
    if [ -n "$flag" ] && ! grep -qwm 1 "$flag" /proc/cpuinfo; then
      result="not here"
    elif [ -n "$emulate" ] && ! command -v qemu-x86_64 >/dev/null; then
      result="no qemu"
    elif (
      [ -z "$level" ] || export XFORMER_CPU_LEVEL=$level
      [ -z "$limit" ] || export ONEDNN_MAX_CPU_ISA=$limit
      cell "${name// /_}" "$row" "$emulate"
    ) >"$log" 2>&1; then
      result=ok
    else
      result=FAILED
      tail -n 15 "$log" >>"$logs/failures"
    fi
    printf '%-11s' "$result"
  done
  echo
}

# Two lines at a time: the tests use one processor, mostly.
number=0
while IFS='|' read -r name level limit flag emulate; do
  name=$(echo $name) level=$(echo $level) limit=$(echo $limit) flag=$(echo $flag) emulate=$(echo $emulate)
  [ -n "$name" ] || continue
  number=$((number + 1))
  [ "$number" -le 2 ] || wait -n
  line "$name" "$level" "$limit" "$flag" "$emulate" >"$work/line-$number" &
done <<<"$columns"
wait
for ((i = 1; i <= number; i++)); do cat "$work/line-$i"; done >"$work/table"
cat "$work/table"
count() { grep -o "$1" "$work/table" | wc -l; }
passed=$(count 'ok ') failures=$(($(count FAILED) + $(count 'no qemu')))
[ $((passed + failures + $(count 'not here'))) = $((number * $(wc -w <<<"$rows"))) ] || {
  echo "FAILED: cells are missing in the table"
  failures=$((failures + 1))
}

# The loader, not a crash, refuses a processor without AVX2.
refusal=$(qemu-x86_64 -cpu Nehalem "$programs/xformer-train" --version 2>&1)
if echo "$refusal" | grep -q "CPU ISA level is lower than required"; then
  echo "Nehalem, emulated: refused in a line"
  passed=$((passed + 1))
else
  echo "Nehalem, emulated: FAILED to be refused: $refusal"
  failures=$((failures + 1))
fi

[ ! -e "$logs/failures" ] || cat "$logs/failures"
echo "$passed passed, $failures failed"
[ "$failures" = 0 ]
