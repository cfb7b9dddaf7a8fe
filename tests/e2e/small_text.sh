#!/usr/bin/env bash
# A text that is not what a task was made for: what its recipe assumes is fitted, or said before training begins.
#   small_text.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
tiny=(--dim-emb 16 --transformer-dim-ffn 32 --enc-depth 1 --dec-depth 1)
task() { # name, run, options...
  xformer-train --task "$1" "${tiny[@]}" -m "$2" --log-format plain "${@:3}" >"$2.log" 2>&1
}
says() { grep -qE -- "$2" "$1.log" || { echo "        $1.log:"; sed 's/^/        /' "$1.log" | head -n 30; return 1; }; }
silent() { ! grep -E -- "$2" "$1.log"; }
of() { sed -n "s/^$2 = //p" "$1/training.toml" | tr -d '"'; } # run, key
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 < b + 0) }' || { echo "        $1 is not below $2"; return 1; }; }

# ---- the default task, whose recipe is of 29,000 pairs
task transformer-tiny default -t train.en train.de --after 2e
claim "the log says what is fitted" says default '^fitted to 300 pairs, as none was given: vocab-size [0-9]+ \(not 10000\), .*mini-batch-words .*lr-warmup'
claim "fewer pieces" less "$(of default vocab-size)" 2000
claim "smaller batches: an epoch has some twenty" less 15 "$(grep -oE '^[0-9.]+ updates per epoch' default.log)"
claim "a warm-up that ends: at most a third of the 80 epochs" less "$(of default lr-warmup | tr -d u)" 700
claim "what was chosen is what the run keeps" grep -q "vocab-size = $(of default vocab-size)" default/latest/training.toml
task transformer-tiny default -t train.en train.de --after 3e
claim "so that the same command goes on" equal "$(grep -c resumed default/train.log)" 1
claim "and what was fitted does not depend on --after" silent default '^fitted'
task transformer-tiny given -t train.en train.de --after 1e --vocab-size 300 --mini-batch-words 500 --lr-warmup 7u
claim "what is given stays" equal "$(of given vocab-size) $(of given mini-batch-words) $(of given lr-warmup)" "300 500 7u"
claim "and nothing is said" silent given '^fitted'
task multi30k-fast fast -t train.en train.de --after 1e --precision float32
claim "a recipe of Multi30k is fitted as well" says fast '^fitted to 300 pairs.*lr-warmup'
xformer-train --task language-model "${tiny[@]}" --enc-depth 0 -t train.de -m lm --after 1e --log-format plain >lm.log 2>&1
claim "and one of another type of model" says lm '^fitted to 300 lines.*vocab-size'
xformer-train --task transformer-tiny "${tiny[@]}" -t full/train.en full/train.de -m large --after 1u --log-format plain >large.log 2>&1
claim "a text of 20,000 pairs is large enough for its batches" silent large 'fitted.*mini-batch-words'

# ---- a script without spaces: 300 lines of 17 words, which more pieces would learn as whole lines
awk 'BEGIN {
  split("I You He Child Cat Dog", s); split("likes sees eats buys sells", v); split("rice water house book fish orange", o)
  split("ฉัน คุณ เขา เด็ก แมว หมา", ts); split("รัก เห็น กิน ซื้อ ขาย", tv); split("ข้าว น้ำ บ้าน หนังสือ ปลา ส้ม", to)
  srand(1)
  for (i = 0; i < 300; ++i) {
    a = 1 + int(6 * rand()); b = 1 + int(5 * rand()); c = 1 + int(6 * rand()); d = 1 + int(6 * rand())
    more = rand() < 0.5
    print s[a] " " v[b] " " o[c] (more ? " and " o[d] : "") "." >"train.short.en"
    print ts[a] to[c] (more ? to[d] : "") tv[b] >"train.th"
  }
}'
task transformer-tiny thai -t train.short.en train.th --after 1e
claim "gets as many pieces as it has words, and characters" less "$(of thai vocab-size)" 140
claim "so that its lines have several" less 3 "$(sed -n 's/.*target: \([0-9,]*\) tokens.*/\1/p' thai.log | tr -d , | awk '{ print $1 / 300 }')"
claim "and no warning" silent thai 'whole lines'
task transformer-tiny whole -t train.short.en train.th --after 1e --vocab-size 620
claim "pieces that are nearly whole lines are told" \
  says whole 'warning: train.th: 1\.[0-9] pieces a line of 1[0-9]\.[0-9] characters: they are nearly whole lines; give a smaller --vocab-size than 620'
claim "of the side that has them" silent whole 'train.short.en: .* whole lines'

# ---- a schedule that cannot reach its peak
task transformer-tiny short -t train.en train.de --after 1e --lr-warmup 1600u
claim "a warm-up that is longer than the training is told, with what to give" \
  says short 'warning: the learning rate will end at [0-9]+% of its peak: its warm-up has 1,600 updates, and --after 1e is [0-9]+ of this text; give --lr-warmup [0-9]+u'
claim "before the first update" test "$(grep -n 'of its peak' short.log | cut -d: -f1)" -lt "$(grep -n '^ep 1' short.log | head -n 1 | cut -d: -f1)"
claim "once" equal "$(grep -c 'of its peak' short.log)" 1
task transformer-tiny tokens -t train.en train.de --after 3000t --lr-warmup 1600u
claim "of a limit in tokens as well" says tokens 'will end at [0-9]+% of its peak'
task transformer-tiny epochs -t train.en train.de --after 4u --lr-warmup 2e
claim "and of a warm-up in epochs" says epochs 'will end at [0-9]+% of its peak'
task transformer-tiny long -t train.en train.de --after 1e --lr-warmup 3u
claim "one that ends is not" silent long 'of its peak'

# ---- a rate of another schedule
task transformer-tiny noam -t train.en train.de --after 1e --lr-schedule noam
rates() { grep -o '"lr":[0-9.e-]*' "$1/metrics.jsonl" | head -n "$2" | tail -n 1 | cut -d: -f2; }
task transformer-tiny sqrt -t train.en train.de --after 1e
claim "noam without a rate has the peak of the task" equal "$(printf '%.2e' "$(rates noam 3)")" "$(printf '%.2e' "$(rates sqrt 3)")"
task transformer-tiny factor -t train.en train.de --after 1e --lr-schedule noam --learn-rate 0.0001
claim "a rate as noam's factor is told" says factor 'warning: learn-rate: 0.0001 is noam.s factor'
task transformer-tiny peak -t train.en train.de --after 1u --learn-rate 1 --lr-warmup 1u
claim "and a factor as a rate" says peak 'warning: learn-rate: 1 is the peak rate'

# ---- long lines: each is ten sentences in a row
for side in en de; do paste -d ' ' - - - - - - - - - - <"full/train.$side" | head -n 300 >"long.$side"; done
task multi30k-fast paragraphs -t long.en long.de --after 1u --precision float32
claim "a length that a tenth of the text has is fitted" less 63 "$(of paragraphs max-length)"
claim "and said" says paragraphs '^fitted.*max-length [0-9]+ \(not 63\)'
claim "hardly a pair is left out" says paragraphs 'train: 300 pairs, (29[7-9]|300) kept'
task multi30k-fast cut -t long.en long.de --after 1u --precision float32 --max-length 63 --vocab-size 3000
task multi30k-fast mixed -t <(cat train.en long.en) <(cat train.de long.de) --after 1u --precision float32 --max-length 63
claim "one that is given is not, and what it leaves out is told" \
  says mixed 'warning: [0-9]+ of 600 pairs \([0-9.]+%\) are left out, with more than 63 tokens; a larger --max-length'
conclude
