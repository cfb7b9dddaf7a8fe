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
claim "so is one with other text behind it" refused 3 'mixed\.zst: cannot read .*not compressed' xformer-vocab encode -m plain/vocab.spm -i mixed.zst -o new
{ head -c 400 test.en.zst && printf 'damage' && tail -c +407 test.en.zst; } >damaged.zst
claim "so is a damaged one" refused 3 'damaged\.zst: cannot read ' translate -i damaged.zst -o new
claim "no output is left of any" test ! -e new
conclude
