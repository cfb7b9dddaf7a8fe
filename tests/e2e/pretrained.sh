#!/usr/bin/env bash
# Training that begins with another run's weights; with those of another toolkit's model: fine_tuning.sh.
#   pretrained.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
train run --after 6u --quiet || exit 1
# begin RUN MODEL OPTIONS...
begin() {
  local run=$1 model=$2
  shift 2
  xformer-train --task demo --mini-batch-words 200 -t train.en train.de -m "$run" --pretrained-model "$model" "$@" 2>"$run.log"
}
weights() { xformer-export to text -m "$1/latest" -o "$2" --quiet; }
loss() { xformer-score lm -m "$1" -t valid.en valid.de | value loss; }

claim "a training that learns nothing, from run" begin still run --learn-rate 0 --after 1u \
  --valid-sets valid.en valid.de --valid-freq 1u --valid-metrics ce-mean-words
xformer-export to text -m run -o there.txt --quiet --overwrite
claim "its weights are the model's" same_bytes there.txt <(weights still here.txt && cat here.txt && rm here.txt)
claim "and so is the loss" equal "$(awk '$1 == 1 { printf "%.4f", $4 }' "still/valid.tsv")" "$(printf '%.4f' "$(loss run)")"
claim "it says how many it took" grep -qE "^begins with [0-9]+ tensors of run" "still.log"
claim "from run it learns" begin more run --after 40u --learn-rate 0.002 --lr-warmup 5u --valid-sets valid.en valid.de \
  --valid-freq 20u --valid-metrics ce-mean-words
claim "the loss falls" awk -v before="$(loss run)" -v after="$(loss more)" 'BEGIN { exit !(after < before) }'
begin parts run --after 3u && begin parts run --after 6u
begin whole run --after 6u
claim "stopped and gone on with: the same bytes" same_bytes parts/latest/model.safetensors whole/latest/model.safetensors
claim "the optimiser's, too" same_bytes parts/latest/optimizer.safetensors whole/latest/optimizer.safetensors
mv run away
claim "without the model that it began with, it goes on" xformer-train -m parts --after 7u --quiet
mv away run

claim "a layer more" begin deeper run --dec-depth 2 --after 1u
claim "what is new is said" grep -q "^new: decoder.layers.1.feed_forward.in.weight" deeper.log
claim "what is longer, too" grep -qF "reshaped: decoder.cross_kv.weight [128, 32] from [64, 32]" deeper.log
claim "another width: 2" refused 2 "has no matrix of this model's shapes" \
  xformer-train --task demo --mini-batch-words 200 -t train.en train.de -m new --pretrained-model run --dim-emb 24 \
  --transformer-dim-ffn 40 --vocabs run/vocab.spm --quiet
xformer-vocab train train.en train.de --vocab-size 150 -o other.spm --quiet
claim "another vocabulary: 3" refused 3 "was trained with another vocabulary" \
  xformer-train --task demo -t train.en train.de -m newer --pretrained-model run --vocabs other.spm --quiet
claim "nothing there: 3" refused 3 "nowhere: no such folder" xformer-train -t train.en train.de -m new2 --pretrained-model nowhere
claim "nothing is left of these" test ! -e new -a ! -e newer -a ! -e new2
conclude
