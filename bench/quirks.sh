#!/bin/sh
# Would one notice? A small Transformer trained on the demo corpus for eight epochs, once as it should be and once with each
# quirk of docs/variants alone; then their validation losses and BLEU side by side.
#   bench/quirks.sh [FOLDER]      default: build/quirks. What is finished stays; a run that was stopped goes on.
# Width 64, two layers, four heads, dropout 0.1, batches of 64 sentences, post-norm. About an hour on two cores.
set -eu
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
folder=${folder:-build/quirks}
PATH=$PWD/build/bin:$PATH
[ -e "$folder/corpus" ] || xformer-vocab demo-corpus "$folder/corpus"

train() {  # run, option...
  run=$1
  shift
  xformer-train --task demo --tokenizer icu --joint-vocab=false --tied-embeddings-all=false --dim-emb 64 \
    --transformer-dim-ffn 128 --transformer-dropout-attention 0.1 --transformer-dropout-ffn 0.1 --mini-batch 64 \
    --after 8e --log-format none --valid-metrics ce-mean-words bleu --device cpu -m "$folder/$run" \
    -t "$folder/corpus/train.en" "$folder/corpus/train.de" \
    --valid-sets "$folder/corpus/valid.en" "$folder/corpus/valid.de" "$@"
  xformer-score table "$folder/$run" | tail -n +2
}

train correct --quirks zero-pad-row=true  # its correct value
for quirk in mask-fill=-1e-12 mask-fill=-1e4 pad-axis=both pad-axis=query apply-mask=false position-exponent=doubled \
  position-exponent=divided-outside norm-formula=deviation norm-formula=misplaced decoder-norms=first \
  decoder-norms=second dropout-place=after-norm feed-forward-dropout-last=true position-offset=false \
  embedding-scale=none embedding-scale=inverse-sqrt-dim positions-of-zeros=false zero-pad-row=false \
  freeze-pad-row=false decoder-cache=inputs; do
  train "$quirk" --quirks "$quirk"
done
