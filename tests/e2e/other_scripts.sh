#!/usr/bin/env bash
# Text that is not spelt as English is: no-break spaces, zero-width characters, scripts that a vocabulary does not know, and
# scripts without spaces.
#   other_scripts.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
nbsp=$'\u00a0' narrow=$'\u202f' wide=$'\u3000'
# As French writes it: a no-break space before a mark, a narrow one inside a number.
sed -i "s/ \.\$/$nbsp! 10${narrow}000$wide./" train.de valid.de test.de train.en valid.en test.en
train run --lowercase --valid-sets valid.en valid.de --after 150u --valid-freq 150u --quiet || exit 1
translate() { xformer-translate -m run --quiet -b 1 "$@"; }
translate -i test.en -o test.translated

# ---- pieces in files
claim "text comes back from pieces" same_bytes <(sed 's/.*/\L&/' test.de) \
  <(xformer-vocab encode -m run -i test.de --side target | xformer-vocab decode -m run)
claim "pieces that were cut before give the same translations" same_bytes test.translated \
  <(xformer-vocab encode -m run -i test.en | translate --no-spm-encode)
claim "pieces that come out are the same translations" same_bytes test.translated \
  <(translate -i test.en --no-spm-decode | xformer-vocab decode -m run)
claim "-m RUN encodes as the run's vocabulary does, lower-cased as the run was trained" same_bytes \
  <(xformer-vocab encode -m run -i test.en --format id) \
  <(xformer-vocab encode -m run/vocab.spm -i test.en --format id --lowercase)
claim "so does a checkpoint" same_bytes <(xformer-vocab encode -m run/vocab.spm -i test.en --lowercase) <(xformer-vocab encode -m run/latest -i test.en)
claim "a model and a file are one too many: 2" refused 2 "run is a model" xformer-vocab stats test.en -m run run/vocab.spm
claim "check counts with a run's vocabulary" test "$(xformer-vocab check test.en test.de -m run | grep -c 'unknown tokens')" = 2

# ---- tabs and lines of which nothing shows
sed 's/ /\t/2' test.en >tabs.en
claim "a tab inside a sentence is a space" same_bytes test.translated <(translate -i tabs.en)
sed $'s/ /\u2028/2' test.en >separators.en
claim "so is a line separator" same_bytes test.translated <(translate -i separators.en)
printf '\u200b\n\u200d\u2060\nA dog .\n\ufeff\n\u200f \u00ad\n' >unseen
translate -i unseen -o unseen.out
claim "a line of zero-width characters alone has an empty translation" equal "$(grep -c '^$' unseen.out) $(wc -l <unseen.out)" "4 5"

# ---- what the vocabulary does not know
{ printf '小狗在草地上。\nمرحبا بالعالم\n'; head -n 3 test.en; } >unknown
claim "lines in an unknown script are counted" grep -q '^warning: mostly unknown to the vocabulary: 2 lines' \
  <(xformer-translate -m run -i unknown -o unknown.out 2>&1)
claim "others are not" test "$(xformer-translate -m run -i test.en -o unknown.out 2>&1 | grep -c unknown)" = 0
printf 'a dog\tEin 猫 \u2603\na dog\t\xe4\xbd\xa0好\n' >begun
translate --force-decode -i begun -o begun.out
claim "a prefix stays as it is written" grep -q '^Ein 猫 ☃' <(head -n 1 begun.out)
claim "also one that is unknown as a whole" grep -q '^你好' <(tail -n 1 begun.out)
claim "in pieces too, without <unk>" test "$(translate --force-decode -i begun --no-spm-decode | grep -c '<unk>')" = 0

# ---- learning from text without spaces
for i in $(seq 19968 20767); do printf "\\U$(printf %x "$i") "; done >characters
awk '{ srand(3); for (i = 0; i < 15000; ++i) { line = ""; for (k = 0; k < 40; ++k) line = line $(1 + int(NF * rand() * rand())); print line } }' \
  characters >long.zh
claim "it says beforehand how long it takes" grep -qE '^learning 8,000 pieces from 600,000 characters without spaces .*: up to ' \
  <(timeout -s INT 2 xformer-vocab train -i long.zh -m long.spm --vocab-size 8000 2>&1)
claim "Ctrl-C ends it, and leaves nothing" test ! -e long.spm
timeout -s INT 2 xformer-train --task demo -t long.zh long.zh -m interrupted --vocab-size 8000 --quiet
claim "Ctrl-C ends training there, too" test ! -e interrupted
claim "a vocabulary smaller than asked for is told" grep -q '^fewer than the 5,000 of --vocab-size' \
  <(xformer-vocab train -i test.en -m small.spm --vocab-size 5000 2>&1)
train small --vocab-size 5000 --after 1u 2>log
claim "by training as well" grep -q -- '^vocabulary: .*; --vocab-size asks for 5,000, and the text has no more' log
claim "a coverage that does not fit is told in our words: 2" refused 2 \
  'subwords: 8 pieces cannot hold the text.s [0-9]+ characters that make up 0.99 of it, .*--character-coverage' \
  xformer-vocab train -i test.en -m tiny.spm --vocab-size 8 --character-coverage 0.99 --quiet
conclude
