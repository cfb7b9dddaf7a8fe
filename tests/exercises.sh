#!/bin/bash
# The exercises (tools/exercise.sh): each fails with its hole, and the original passes.
#   tests/exercises.sh
# Works in a scratch folder; needs the build that exercises need. Exit code 0: so it is.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-exercises-XXXXXX")
trap 'rm -rf "$work"' EXIT
judge() { sh build/judge_exercise.sh "$work/$1" >"$work/$1.log" 2>&1 && echo "passes $1" || echo "fails $1"; }
export -f judge
export work

mkdir -p "$work/plain/kernels/plain" && cp kernels/plain/*.h "$work/plain/kernels/plain"
originals=plain
for file in $(tools/exercise.sh | grep -o 'nn/[a-z_]*.cpp' | uniq); do
  block=$(basename "$file" .cpp)
  mkdir -p "$work/$block/nn" && cp "$file" "$work/$block/nn"
  originals+=" $block"
done
for original in $originals; do
  [ "$(judge "$original")" = "passes $original" ] || {
    tail -n 30 "$work/$original.log"
    echo "error: the tests of $original fail without any hole" >&2
    exit 1
  }
done
if tools/exercise.sh | grep '[\\{}]'; then
  echo "error: tools/formula_text.sed does not know what these equations hold" >&2
  exit 1
fi
ids=$(tools/exercise.sh | cut -d ' ' -f 1)
for id in $ids; do XFORMER_EXERCISES=$work tools/exercise.sh "$id" >/dev/null || exit 1; done
# shellcheck disable=SC2016,SC2086  # the inner shell's; one word per id
printf '%s\n' $ids | xargs -P 2 -I ID bash -c 'judge "$1"' - ID >"$work/verdicts"

# What is no id removes and makes nothing.
export XFORMER_EXERCISES=$work/safe
mkdir -p "$work/safe/tries/LN5" "$work/safe/mine"
for id in ../mine ../../plain LN. LN '' LN99; do
  if tools/exercise.sh "$id" try 'x' >"$work/log" 2>&1 || ! grep -qF "no exercise is called '$id'" "$work/log" ||
    [ "$(find "$work/safe" -mindepth 1 | wc -l)" != 3 ] || [ ! -e "$work/plain" ]; then
    echo "error: tools/exercise.sh takes '$id' for an exercise" >&2
    exit 1
  fi
done

# As a reader does one: the hole, then the answer.
export XFORMER_EXERCISES=$work/reader
tools/exercise.sh LN5 >/dev/null
tools/exercise.sh LN5 check | grep -qx "LN5 is not right yet:" &&
  cp kernels/plain/layer_norm.h "$work/reader/LN5/kernels/plain" &&
  tools/exercise.sh LN5 check | grep -qx "LN5 is right: all tests pass" || {
  echo "error: tools/exercise.sh LN5 check does not say what is so" >&2
  exit 1
}

grep '^passes' "$work/verdicts" | sed 's/^passes/not noticed:/'
noticed=$(grep -c '^fails' "$work/verdicts")
echo "$noticed of $(wc -w <<<"$ids") holes are noticed"
[ "$noticed" -ge 20 ] && [ "$noticed" = "$(wc -w <<<"$ids")" ]
