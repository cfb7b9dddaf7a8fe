#!/usr/bin/env bash
# Exported models in the programs that they are for, CTranslate2 and transformers, and random models of other toolkits in these
# and here; safetensors files, as its own implementation reads them. Where python3, or $XFORMER_PEERS_VENV's, has the packages;
# else skipped. Trains the demo for a minute.
#   exchange_peers.sh FOLDER_OF_THE_PROGRAMS [PACKAGE...]     these are installed first, into an environment of their own
peers=$(cd "$(dirname "$0")/../peers" && pwd)
compare=$peers/compare_exchange.py
support=$(cd "$(dirname "$0")" && pwd)/support.sh
set -- "$(cd "$1" && pwd)" "${@:2}"
# shellcheck source=tests/e2e/support.sh
. "$support"
if [ $# -gt 1 ]; then
  XFORMER_PEERS_VENV=$work/venv
  python3 -m venv venv && venv/bin/pip install --quiet "${@:2}" &&
    venv/bin/python3 -c 'import ctranslate2, sentencepiece' || exit 1
fi
python=${XFORMER_PEERS_VENV:+$XFORMER_PEERS_VENV/bin/}python3
"$python" -c 'import ctranslate2, sentencepiece' 2>/dev/null ||
  { echo "[skipped] no $python with ctranslate2 and sentencepiece"; exit 0; }
has() { "$python" -c "import $*" 2>/dev/null; }
export PYTHONDONTWRITEBYTECODE=1
claim "random models of toolkits that CTranslate2 converts" "$python" "$peers/ctranslate2_models.py" "$programs" converted 3
if has safetensors; then
  claim "safetensors: files that its own implementation reads and refuses" "$python" "$peers/compare_safetensors.py" "$programs" files
else
  echo "[left out] no safetensors"
fi
if has torch, transformers; then
  claim "random models of transformers" "$python" "$peers/marianmt_models.py" "$programs" marianmt
else
  echo "[left out] no torch and transformers"
fi
xformer-vocab demo-corpus --quiet -o full || exit 1
if "$python" -c 'import torch, transformers' 2>/dev/null; then
  for side in en de; do head -n 300 "full/train.$side" >"few.$side"; done
  claim "OPUS-MT's tokenizers, of every type of SentencePiece model" "$python" "$(dirname "$compare")/compare_marian_tokenizers.py" "$programs" few.en few.de
else
  echo "left out: OPUS-MT's tokenizers, since $python has no torch and transformers"
fi
cat full/test.en full/valid.en >lines
cat full/test.de full/valid.de >references
to() { xformer-export to "$@" --quiet; }
bleu() { xformer-score bleu references -i "$1" -b -w 2; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !((a - b) ^ 2 <= most ^ 2) }' || { echo "        $1 and $2"; return 1; }; }

train_demo() { xformer-train --task demo -t full/train.en full/train.de --quiet "$@"; }
mkdir exports
train_demo -m run --after 400u --lr-warmup 100u || exit 1
to ctranslate2 -m run -o exports/ctranslate2
for type in float16 int8; do to ctranslate2 -m run -o "exports/ctranslate2-$type" --quantization $type; done
to hf-marian -m run -o exports/hf-marian
claim "the demo's model, in the programs it was exported for" "$python" "$compare" "$programs" run lines exports
xformer-translate -m run -i lines -o ours --quiet
for type in float16 int8; do
  claim "BLEU in $type within 0.5: $(bleu exports/$type.txt) for $(bleu ours)" near "$(bleu exports/$type.txt)" "$(bleu ours)" 0.5
done

# Other shapes: little trained, 100 lines.
head -n 100 lines >some
for variant in \
  "--norm pre --transformer-ffn-activation gelu --tied-embeddings-all=false --joint-vocab=false" \
  "--transformer-train-positions --transformer-ffn-activation swish --tied-embeddings-all=false --tied-embeddings" \
  "--norm pre --transformer-rotary-positions" \
  "--position-layout split --transformer-ffn-activation swish --tied-embeddings-all=false --joint-vocab=false --vocab-size 400"; do
  rm -rf run exports && mkdir exports
  updates=100u
  case $variant in *rotary*) updates=200u ;; esac  # after 100 nothing is much likelier than the rest
  # shellcheck disable=SC2086  # one word per option
  train_demo -m run --after $updates --lr-warmup 40u $variant || exit 1
  to ctranslate2 -m run -o exports/ctranslate2
  for type in float16 int8; do to ctranslate2 -m run -o "exports/ctranslate2-$type" --quantization $type; done
  # Pre-norm and learnt positions are none of MarianMT's.
  case $variant in *split*) to hf-marian -m run -o exports/hf-marian ;; esac
  most=256
  case $variant in *train-positions*) most=64 ;; esac  # which end there
  claim "$variant" "$python" "$compare" "$programs" run some exports $most
done
conclude
