#!/usr/bin/env bash
# The tables of docs/tutorials.md: each command runs, says something or writes something, in the order of the page.
#   tutorial_commands.sh FOLDER_OF_THE_PROGRAMS
# In short: the first pairs of the demo corpus stand for it and for Multi30k, and every model is small and trained for a few
# updates. What numbers the page names is kept by the tests that it names.
page=$(dirname "$(realpath "$0")")/../../docs/tutorials.md
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
export XFORMER_PROGRAMS=$programs

make_corpus
mkdir -p build/demo/corpus build/multi30k
for side in en de; do
  cp train.$side valid.$side test.$side build/demo/corpus
  cp train.$side build/multi30k/train.$side
  cp valid.$side build/multi30k/val.$side
  cp test.$side build/multi30k/test_2016_flickr.$side
done

# Small models, few updates: what comes last counts. A model that is only printed keeps its size.
mkdir short
cat >short/xformer-train <<'END'
#!/bin/sh
case "$*" in
  *--print-model* | *--build-info* | *--dump-config*) exec "$XFORMER_PROGRAMS/xformer-train" "$@" ;;
  *language-model* | *smiles*) layers="--dec-depth 1" ;;
  *classification*) layers="--enc-depth 1" ;;
  *) layers="--enc-depth 2 --dec-depth 2" ;;
esac
exec "$XFORMER_PROGRAMS/xformer-train" "$@" $layers --vocab-size 200 --dim-emb 32 --transformer-dim-ffn 64 \
  --mini-batch-words 800 --lr-warmup 20u --after 1e --valid-print 0
END
chmod +x short/xformer-train
PATH=$PWD/short:$PATH

# The second column's commands, one a line.
commands() {
  awk -F ' [|] ' '/^[|] / && NF == 4 { print $2 }' "$page" | sed 's/`<br>`/`\n`/g' |
    sed -n 's/\\|/|/g; s/^`\(.*\)`$/\1/p'
}
# Said on the standard output, or written below build/.
shows() {
  touch before
  bash -c "$1" >out 2>err && { [ -s out ] || [ -n "$(find build -newer before -type f -print -quit)" ]; } && return
  sed 's/^/        /' err | tail -n 3
  return 1
}
claim "the demo's model is trained" xformer-train --task demo -t build/demo/corpus/train.en build/demo/corpus/train.de \
  --valid-sets build/demo/corpus/valid.en build/demo/corpus/valid.de -m build/demo/run --quiet
commands >list
claim "the page has its commands" test "$(wc -l <list)" -gt 70
while IFS= read -r command; do
  claim "$command" shows "$command"
done <list
saved=$(xformer-score lm -m build/demo/run/best -t build/demo/corpus/valid.en build/demo/corpus/valid.de | awk '$1 == "loss" { printf "%.4f", $2 }')
claim "a best model has the loss that was said of it" \
  equal "$(xformer-score table build/demo/run -m ce-mean-words | awk 'END { print $NF }')" "$saved"
conclude
