#!/usr/bin/env bash
# A text may come in other forms than plain files: what is trained, translated and measured is the same.
#   input_forms.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
steps=(--after 12u --save-freq 6u --disp-freq 1u --valid-freq 6u --quiet)
train plain --valid-sets valid.en valid.de "${steps[@]}" || exit 1
train_on() { # run, files and options...
  local run=$1
  shift
  xformer-train "${small[@]}" -m "$run" "${steps[@]}" "$@"
}
trained_as_plain() { # run
  same_bytes "$1/latest/model.safetensors" plain/latest/model.safetensors &&
    same_bytes <(comparable_log "$1") <(comparable_log plain) &&
    same_bytes <(comparable_table "$1") <(comparable_table plain)
}
translate() { xformer-translate -m plain --quiet -b 1 "$@"; }
translate -i test.en -o test.translated

# ---- packed by Zstandard
zstd -q train.en train.de valid.en valid.de test.en
claim "training on .zst files" train_on packed -t train.en.zst train.de.zst --valid-sets valid.en.zst valid.de.zst
claim "gives the model, the log and the scores of the plain ones" trained_as_plain packed
claim "a .zst input is translated as the plain one" same_bytes test.translated <(translate -i test.en.zst)
claim "so is one on the standard input" same_bytes test.translated <(translate <test.en.zst)
{ head -n 30 test.en | zstd -q; tail -n +31 test.en | gzip; } >two.packed
claim "so are two packed texts, one behind the other, of either program" same_bytes test.translated <(translate -i two.packed)
claim "a .zst translation is scored as the plain one" equal "$(zstd -q <test.translated | xformer-score bleu test.de)" \
  "$(xformer-score bleu test.de -i test.translated)"
head -c 300 test.en.zst >cut.zst
claim "a truncated one is refused by name: 3" refused 3 'cut\.zst: cannot read .*ends too early' translate -i cut.zst
{ cat test.en.zst && echo text; } >mixed.zst
claim "so is one with other text behind it" refused 3 'mixed\.zst: cannot read .*uncompressed bytes' xformer-vocab encode -m plain/vocab.spm -i mixed.zst -o new
{ head -c 400 test.en.zst && printf 'damage' && tail -c +407 test.en.zst; } >damaged.zst
claim "so is a damaged one" refused 3 'damaged\.zst: cannot read ' translate -i damaged.zst -o new
claim "no output is left of any" test ! -e new

# ---- two columns instead of two files
paste train.en train.de >train.tsv
paste valid.en valid.de >valid.tsv
claim "training on --tsv" train_on columns --tsv -t train.tsv --valid-sets valid.tsv
claim "gives the model, the log and the scores of two files" trained_as_plain columns
printf 'tsv = true\ntrain-sets = ["train.tsv"]\nvalid-sets = ["valid.tsv"]\n' >columns.toml
claim "so does a configuration file" train_on configured -c columns.toml
claim "with the same bytes" trained_as_plain configured
piped() { zstd -q <train.tsv | train_on piped --tsv -t - --valid-sets valid.tsv; }
claim "so does the standard input" piped
claim "packed or not" trained_as_plain piped
cp -r plain resumed
claim "a run that began with two files goes on with columns" \
  train_on resumed --after 16u --tsv -t train.tsv --valid-sets valid.tsv
claim "a model's loss is that on two files" equal "$(xformer-score lm -m plain -t valid.en valid.de)" \
  "$(xformer-score lm -m plain --tsv -t valid.tsv)"
xformer-vocab train -i train.en train.de -m two.spm --vocab-size 200 --quiet
xformer-vocab train --tsv -i train.tsv -m columns.spm --vocab-size 200 --quiet
claim "a vocabulary is that of two files" same_bytes two.spm columns.spm
paste -d '\n' train.en train.de >train.text
sed 's/.*/en\nde/' train.en >train.labels
paste train.text train.labels >labelled.tsv
classify() { # run, files...
  xformer-train --task classification --vocab-size 200 --dim-emb 32 --transformer-dim-ffn 64 --enc-depth 1 --after 4u --quiet -m "$@"
}
claim "a classifier reads text and class" classify classes --tsv -t labelled.tsv
claim "from files and columns alike" classify classes_of_files -t train.text train.labels
claim "to the same model" same_bytes classes/latest/model.safetensors classes_of_files/latest/model.safetensors

{ head -n 6 train.tsv && echo 'one column' && tail -n +8 train.tsv; } >one.tsv
claim "a line of one column is named" refused 3 'one\.tsv:7: 1 column, not 2' train_on new --tsv -t one.tsv
{ head -n 9 train.tsv && printf 'a\tb\tc\n'; } >three.tsv
claim "so is one of three" refused 3 'three\.tsv:10: 3 columns, not 2' train_on new --tsv -t three.tsv
claim "also in a text to validate on" refused 3 'one\.tsv:7: 1 column' train_on new --tsv -t train.tsv --valid-sets one.tsv
claim "two files are one too many" refused 2 'valid-sets: .*one file of SOURCE TAB TARGET lines, got 2 files' \
  train_on new --tsv -t train.tsv --valid-sets train.tsv valid.tsv
claim "a language model has no columns" refused 2 'tsv: a model of type language-model' \
  train_on new --tsv --type language-model --enc-depth 0 -t train.tsv
claim "no run is begun" test ! -e new
conclude
