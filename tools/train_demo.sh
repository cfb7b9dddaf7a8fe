#!/bin/sh
# Makes a small English-German corpus, trains on it (a few minutes on two cores), translates sentences that the model has
# not seen, and scores them. The programs must be on the PATH; tools/demo.sh builds them first.
#   train_demo.sh FOLDER      a run that was stopped goes on
# Exit code 1 if the score is lower than it should be.
set -eu
usage() { sed -n '2,5s/^# *//p' "$0"; }
case ${1:-} in
  -h | --help) usage; exit ;;
  '' | -*) usage >&2; exit 2 ;;
esac
folder=$1
least_bleu=80
lines_shown=5
corpus=$folder/corpus
run=$folder/run
mkdir -p "$folder"
xformer-vocab demo-corpus -o "$corpus" --overwrite
xformer-train --task demo -t "$corpus/train.en" "$corpus/train.de" \
  --valid-sets "$corpus/valid.en" "$corpus/valid.de" -m "$run"

xformer-translate -m "$run" -i "$corpus/test.en" -o "$folder/test.de"
bleu=$(xformer-score bleu "$corpus/test.de" -i "$folder/test.de" -b -w 2)

line=1
while [ $line -le $lines_shown ]; do
  echo
  echo "source       $(sed -n ${line}p "$corpus/test.en")"
  echo "translation  $(sed -n ${line}p "$folder/test.de")"
  echo "reference    $(sed -n ${line}p "$corpus/test.de")"
  line=$((line + 1))
done

cat <<RESULT

BLEU $bleu on $(wc -l <"$corpus/test.en") sentences that were not trained on (a word-by-word dictionary: below 40)
report       $run/report.html
log          $run/train.log
model        $run/averaged
try it       echo 'My neighbour did not forget to run into the house.' | $(command -v xformer-translate) -m $run
RESULT
[ "${bleu%.*}" -ge $least_bleu ] || {
  echo "error: BLEU $bleu is below $least_bleu; $run/train.log may tell why" >&2
  exit 1
}
