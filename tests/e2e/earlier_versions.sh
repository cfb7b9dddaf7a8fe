#!/usr/bin/env bash
# What an earlier version has saved is read for ever: translated with, scored, and trained on. tests/fixtures/VERSION holds a run
# as that version left it (checkpoint, averaged model, logs), its text, and what it said: the translations of the first eight lines,
# and its scores. A release adds a folder; none is ever changed.
#   earlier_versions.sh FOLDER_OF_THE_PROGRAMS
# 0.1.0 is xformer-train --task demo --tokenizer icu --joint-vocab=false --tied-embeddings-all=false --min-freq 3 --dim-emb 12
# --transformer-heads 2 --transformer-dim-ffn 16 --enc-depth 1 --dec-depth 1 --transformer-dropout 0.1 --mini-batch-words 120
# --learn-rate 0.02 --lr-warmup 20u --after 600u --save-freq 200u --valid-freq 200u --keep-last 2 --cpu-threads 1, on the first 60
# pairs of the demo corpus.
fixtures=$(cd "$(dirname "$0")/../fixtures" && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"

# As numbers: another processor may round the last digit otherwise.
same_scores() { # two files of "name value"
  paste "$1" "$2" | awk '{ d = $2 - $4; if (d < 0) d = -d; if ($1 != $3 || d > 1e-4 * $4) bad = 1 } END { exit bad || NR == 0 }'
}

for fixture in "$fixtures"/[0-9]*/; do
  version=$(basename "$fixture")
  cp -r "$fixture" "$version" && cd "$version" || exit 1
  head -n 8 train.en >some.en
  xformer-translate -m run -i some.en -o out --quiet
  claim "$version: translates as it did" same_bytes train.out out
  xformer-score lm -m run -t valid.en valid.de >scores
  claim "$version: has the loss that it had" same_scores score.txt scores
  claim "$version: training goes on" xformer-train -m run --after 620u --log-format none
  claim "$version: from where it stood" grep -q 'resumed from update 600' run/train.log
  claim "$version: and is saved" test -s run/checkpoints/update-000620/optimizer.safetensors
  cd ..
done

# fixtures/removed/NAME: the averaged model of a run whose training is no longer here, a text, and what that version made of it.
# minimum_risk is as above but --after 80e --save-freq 40e --bidirectional 0 --minimum-risk 8 --minimum-risk-after 70, commit 84448a4.
cp -r "$fixtures/removed/minimum_risk" removed && cd removed || exit 1
xformer-translate -m run -i some.en -o out --quiet
claim "a model of minimum risk translates as it did" same_bytes some.out out
claim "its training does not go on" refused 2 "key 'minimum-risk': minimum-risk training was removed" \
  xformer-train -m run --after 81e
claim "another begins with it" xformer-train --pretrained-model run -m next --task demo -t some.en some.out --after 2u \
  --log-format none
cd ..
claim "there was a version" test -n "${version:-}"
conclude
