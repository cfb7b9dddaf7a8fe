#!/bin/sh
# Steps, translation and kernels on the CPU, and bf16's speed (docs/performance.md), in one run of about an hour and a
# half. Nothing else should run meanwhile.
#   bench/measure.sh LABEL RUN      RUN: the folder of a trained tiny model, whose test set is translated
# Leaves bench/results/LABEL.json, and LABEL-bf16.json for what is compared with f32. The peers' environment is build/peers-venv
# or $XFORMER_PEERS_VENV (bench/peers/requirements.txt), Multi30k lies in $XFORMER_MULTI30K. Exit code 0: no regression check failed.
set -eu
[ $# = 2 ] || { echo "usage: $0 LABEL RUN" >&2; exit 2; }
label=$1
run=$(realpath -m "$2")
venv=${XFORMER_PEERS_VENV:+$(realpath -ms "$XFORMER_PEERS_VENV")}
export XFORMER_MULTI30K=${XFORMER_MULTI30K:+$(realpath -m "$XFORMER_MULTI30K")}
cd "$(dirname "$0")/.."
export XFORMER_PEERS_VENV="${venv:-$PWD/build/peers-venv}"
kernels='(?!train_step).*'

needs() {  # what, command...
  what=$1
  shift
  "$@" >/dev/null 2>&1 || { echo "error: bench/measure.sh needs $what" >&2; exit 2; }
}
needs "the programs in build/bin: tools/build.sh" [ -x build/bin/xformer-bench ]
needs "a run folder with a trained model, and $run is none" [ -e "$run/training.toml" -o -e "$run/latest" ]
needs "torch and ctranslate2 in $XFORMER_PEERS_VENV: bench/peers/requirements.txt" \
  "$XFORMER_PEERS_VENV/bin/python" -c 'import torch, ctranslate2'
for name in train.en train.de test_2016_flickr.en; do
  needs "Multi30k's $name in \$XFORMER_MULTI30K: tools/get_multi30k.sh" [ -e "${XFORMER_MULTI30K:-}/$name" ]
done

bench() {
  echo "== $(date +%T) xformer-bench $*"
  build/bin/xformer-bench "$@"
}

bench --label "$label" --fn train_step --preset tiny --baseline torch
bench --label "$label" --add --fn train_step --preset base --baseline torch
bench --label "$label-bf16" --preset tiny --dtype bf16 --baseline f32
bench --label "$label-bf16" --add --preset base --dtype bf16 --baseline f32
bench --label "$label" --add --end-to-end translate --model "$run" --baseline ctranslate2
bench --label "$label" --add --end-to-end train
bench --label "$label" --add --preset tiny --fn "$kernels" --check
bench --label "$label" --add --preset base --fn "$kernels" --check
bench --label "$label" --add --scaling
echo "== $(date +%T) bench/check_regression.sh"
bench/check_regression.sh
