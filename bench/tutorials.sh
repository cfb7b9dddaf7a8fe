#!/bin/sh
# Small variants of the five tutorials' systems (docs/variants), with all that they do otherwise, trained on the demo
# corpus to the end of ten epochs, in both directions: curves by epoch in each run folder, and the table of results.
#   bench/tutorials.sh [FOLDER]      default: build/tutorials. What is finished stays; a run that was stopped goes on.
# Width 64, two layers, four heads, batches of 64 sentences; what a tutorial leaves open is the engine's. About an hour.
set -eu
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
folder=${folder:-build/tutorials}
PATH=$PWD/build/bin:$PATH
[ -e "$folder/corpus" ] || xformer-vocab demo-corpus "$folder/corpus"

train() {  # task, source, target, option...
  task=$1 from=$2 to=$3
  shift 3
  xformer-train --task "$task" -m "$folder/$task-$from-$to" \
    -t "$folder/corpus/train.$from" "$folder/corpus/train.$to" \
    --valid-sets "$folder/corpus/valid.$from" "$folder/corpus/valid.$to" \
    --dim-emb 64 --transformer-dim-ffn 128 --enc-depth 2 --dec-depth 2 --transformer-heads 4 --mini-batch 64 \
    --after 10e --disp-freq 100u --valid-metrics ce-mean-words bleu tutorial-bleu "$@"
}

for direction in "en de" "de en"; do
  # shellcheck disable=SC2086  # two words
  {
    train tutorials/translator $direction --learn-rate 0.001  # their own 1e-5 needs a thousand epochs
    train tutorials/seq2seq $direction --learn-rate 0.001
    train tutorials/by-hand $direction
    train tutorials/illustrated $direction --learn-rate 0.5 --lr-warmup 400u
    train tutorials/characters $direction --learn-rate 0.001
  }
done
xformer-score table "$folder"/seed*
