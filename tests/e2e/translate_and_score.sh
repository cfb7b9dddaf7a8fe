#!/usr/bin/env bash
# Text in, a model, translations, a score: the programs as a user strings them together.
#   translate_and_score.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# One epoch of the whole corpus: enough for sentences that differ from each other.
learn() {
  xformer-train "${small[@]}" --vocab-size 400 --dim-emb 64 --transformer-dim-ffn 128 --transformer-dropout 0 \
    --transformer-dropout-attention 0 --transformer-dropout-ffn 0 --mini-batch-words 1000 --learn-rate 0.01 \
    --lr-warmup 50u --after 500u -t full/train.en full/train.de --valid-sets valid.en valid.de --test-sets test.en test.de -m run "$@"
}
claim "training ends with exit code 0" learn --quiet
for file in training.toml train.log metrics.jsonl loss.svg bleu.svg report.html valid.tsv samples/sentence-0.tsv vocab.spm averaged/model.safetensors \
  latest/model.safetensors best/model.safetensors; do
  claim "the run folder has $file" test -s "run/$file"
done
claim "the report stands alone" equal "$(grep -cE '<script|<link|<img|src=|url\(' run/report.html)" 0
for part in Curves 'Translations of the validation set' 'Cross-attention of the decoder' Data Configuration Commands; do
  claim "the report has its part: $part" grep -q "<h2[^>]*>$part</h2>" run/report.html
done
claim "the log tells early how long it will take" grep -q '^about .* until the end of --after 500u' run/train.log
tested=$(sed -n 's/^test test.en-de, beam 5: BLEU[^ ]* = \([0-9.]*\) .*/\1/p' run/train.log)
claim "the test set's score is what xformer-score says" \
  equal "$tested" "$(xformer-translate -m run -i test.en --quiet | xformer-score bleu test.de -lc -b -w 2)"
claim "and stands in the report" grep -q "Averaged model on test.en-de, beam 5: BLEU $tested" run/report.html
claim "and in the table of runs" grep -q "test.en-de .* $tested\$" <(xformer-score table run)
claim "half a test set is refused" refused 2 "test-sets: type translation reads SRC TRG, got 1 file" \
  train other --test-sets test.en
claim "a finished run says so and ends with 0" learn --quiet

# ---- lines
{ echo; sed -n 1,20p test.en; echo; echo; sed -n 21,60p test.en; echo; } >input.en
claim "translating ends with exit code 0" xformer-translate -m run -i input.en -o output.de --quiet
claim "--quiet says nothing" equal "$(echo "A dog runs." | xformer-translate -m run --quiet 2>&1 >/dev/null)" ""
claim "one line is not called lines" grep -q '^1 line, ' <(echo "A dog runs." | xformer-translate -m run 2>&1 >/dev/null)
claim "output lines = input lines" equal "$(wc -l <output.de)" "$(wc -l <input.en)"
empty_lines() { grep -n '^$' "$1" | tr '\n' ' '; }
claim "empty lines, and only these, stay empty" equal "$(empty_lines output.de)" "$(empty_lines input.en)"
gzip -k input.en
claim "a .gz input is translated" xformer-translate -m run -i input.en.gz -o from_gz.de --quiet
claim "and gives the same text" same_bytes output.de from_gz.de
claim "so does a pipe" same_bytes output.de <(xformer-translate -m run --quiet <input.en)
claim "an empty input gives an empty output" equal "$(xformer-translate -m run --quiet </dev/null)" ""

# ---- the flow of data through the model
said() {
  xformer-explain flow decoding -m run "$1" --format text | grep -A 1 "Likeliest word" | tail -n 1 |
    awk '{ for (i = 1; i < NF - 1; i += 2) printf "%s", $i }' | sed 's/^▁//; s/▁/ /g'
}
first=$(head -n 1 test.en)
claim "decoding is drawn along the greedy translation" \
  equal "$(said "$first")" "$(xformer-translate -m run -b 1 --quiet <<<"$first")"
claim "and training can be" xformer-explain flow training -m run "$first" -o training.svg

# ---- .gz training text: the same pairs, the same model
gzip -k train.en train.de
xformer-train "${small[@]}" -t train.en.gz train.de.gz -m run_gz --after 10u --quiet
train run_plain --after 10u --quiet
claim "training on .gz files gives the bytes of the plain ones" \
  same_bytes run_gz/averaged/model.safetensors run_plain/averaged/model.safetensors

# ---- several runs on one page
claim "runs are compared on a page" xformer-train --report run run_plain -o both.html
claim "which shows what differs" grep -q '<tr><td>dim-emb</td><td>64</td><td>32</td></tr>' both.html
claim "and goes to report.html unless a file is named" equal "$(xformer-train --report run 2>&1)" "report.html: 1 run compared"
claim "words without --report are refused" refused 2 "unexpected argument 'run'" xformer-train run
claim "and a training beside a comparison" refused 2 "trains nothing" xformer-train --report run -m other
train run_silent --after 10u --quiet --report=false
claim "--report=false draws no report" test ! -e run_silent/report.html -a -s run_silent/loss.svg

# ---- score
xformer-translate -m run -i test.en -o hypothesis.de --quiet
bleu=$(xformer-score bleu test.de -i hypothesis.de -b -w 4)
claim "xformer-score prints one number with four digits ($bleu)" grep -qxE '[0-9]+\.[0-9]{4}' <<<"$bleu"
claim "the reference scores 100" equal "$(xformer-score bleu test.de -i test.de -b -w 4)" 100.0000

# ---- search
# That beam 1 is the arg max of every step is shown in tests/nn/search_test.cpp; here it is the programs' turn.
xformer-translate -m run -i test.en -o greedy.de --quiet -b 1
xformer-translate -m run -i test.en -o one.de --quiet --mini-batch 1
xformer-translate -m run -i test.en -o many.de --quiet --mini-batch 64
different=$(diff one.de many.de | grep -c '^<')
claim "batches of 1 and 64 give the same text ($different of $(wc -l <one.de) lines differ)" equal "$different" 0
xformer-translate -m run -i test.en -o greedy_1.de --quiet -b 1 --mini-batch 1
different=$(diff greedy.de greedy_1.de | grep -c '^<')
claim "so do they greedily ($different lines differ)" equal "$different" 0
claim "the n-best list of beam 1 is the greedy text" same_bytes greedy.de \
  <(xformer-translate -m run -i test.en --quiet -b 1 --n-best | sed -E 's/^[0-9]+ \|\|\| (.*) \|\|\| F0=.*/\1/')

claim "whoever asks a greedy search for scores gets numbers" sh -c 'xformer-translate -m run -i test.en --quiet -b 1 --n-best --word-scores >scores &&
  xformer-translate -m run --quiet -b 1 --word-scores -i test.en >>scores && head -n 3 test.en | xformer-translate -m run --quiet -b 1 --interactive >>scores &&
  grep -q "WordScores= -" scores && ! grep -qi "nan\|WordScores=$" scores'

# ---- a translation that is begun
paste test.en <(cut -d' ' -f1-2 test.de) >begun
xformer-translate -m run -i begun -o begun.de --quiet --force-decode
begins() { # file with a line for each of test.de
  paste <(cut -d' ' -f1-2 test.de) "$1" | awk -F'\t' 'index($2, $1) != 1 { print; bad = 1 } END { exit bad }'
}
claim "every translation begins as it is told" begins begun.de
claim "also one by one, greedily" begins <(xformer-translate -m run -i begun --quiet --force-decode -b 1 --mini-batch 1)
claim "an empty prefix is none" same_bytes one.de \
  <(sed 's/$/\t/' test.en | xformer-translate -m run --quiet --force-decode)
printf 'a\tb\tc\n' >bad
claim "two tabs are refused by line" refused 3 "bad:1: .* 2 tabs" \
  xformer-translate -m run -i bad --force-decode

# ---- drawn, not searched
drawn() { xformer-translate -m run -i test.en --quiet --output-sampling "$@"; }
# The last bits of a product depend on its rows, so that a draw on the very border of two tokens may fall to the other.
claim "a seed has its translations, however they are batched" \
  test "$(diff <(drawn full --seed 3 --mini-batch 1) <(drawn full --seed 3 --mini-batch 64) | grep -c '^<')" -le 1
claim "another seed, others" test "$(drawn full --seed 3 | md5sum)" != "$(drawn full --seed 4 | md5sum)"
claim "the one best token is the greedy one" same_bytes greedy.de <(drawn topk 1)
claim "so is a small nucleus" same_bytes greedy.de <(drawn nucleus 0.0001)
claim "a draw has no beam" refused 2 "--beam-size has no effect with --output-sampling" drawn full -b 4
claim "a seed is for draws" refused 2 "--seed is for --output-sampling" xformer-translate -m run -i test.en --seed 3

# ---- alignments
claim "hard: a pair for each piece of the translation and its </s>" equal "$(xformer-translate -m run -i test.en \
  --quiet --alignment hard --no-spm-decode | awk -F' [|][|][|] ' '{ if (split($2, p, " ") != split($1, t, " ") + 1) print }')" ""
claim "the text in front is what it is without" same_bytes hypothesis.de \
  <(xformer-translate -m run -i test.en --quiet --alignment soft | sed 's/ ||| .*//')
claim "soft: weights that sum to 1" equal "$(xformer-translate -m run -i test.en --quiet --alignment soft |
  sed 's/.* ||| //' | tr ' ' '\n' | awk -F, '{ s = 0; for (i = 1; i <= NF; ++i) s += $i; if ((s - 1)^2 > 1e-8) print }')" ""
claim "n-best: the alignment stands behind the text" grep -qE '^0 \|\|\| .* \|\|\| [0-9 -]+ \|\|\| F0= ' \
  <(xformer-translate -m run -i test.en --quiet --alignment hard --n-best)
claim "a layer that is not there is refused" refused 2 "there is no layer 9" \
  xformer-translate -m run -i test.en --alignment hard --alignment-layer 9
claim "so is another word" refused 2 "'sharp' is neither hard nor soft" xformer-translate -m run -i test.en --alignment sharp

# ---- eight bits
xformer-translate -m run -i test.en -o eight.de --precision int8 --quiet
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 2 && b - a < 2) }'; }
claim "in eight bits, translations score what they did, or nearly" near "$tested" "$(xformer-score bleu test.de -i eight.de -lc -b -w 2)"
claim "and are the same at any number of threads, and in any batch" same_bytes eight.de \
  <(xformer-translate -m run -i test.en --precision int8 --quiet --cpu-threads 1 --mini-batch 3)
claim "training in eight bits is refused" refused 2 "precision: unknown value 'int8'" train eight --precision int8

# ---- a batch for each thread
xformer-translate -m run -i test.en -o alone.nbest --quiet --n-best --word-scores --alignment soft --cpu-threads 1 --mini-batch 4
claim "threads that have a batch each find the same, with the same scores and alignments" same_bytes alone.nbest \
  <(xformer-translate -m run -i test.en --quiet --n-best --word-scores --alignment soft --cpu-threads 3 --mini-batch 4)
claim "in eight bits too" same_bytes eight.de \
  <(xformer-translate -m run -i test.en --precision int8 --quiet --cpu-threads 3 --mini-batch 4)
xformer-translate -m run -i test.en -o counted.de --stat-freq 20 --mini-batch 4 --cpu-threads 3 2>progress
claim "--stat-freq 20 counts the lines of all" equal "$(sed -n 's/^\([0-9]*\) lines.*(.* tokens\/s)$/\1/p' progress | tr '\n' ' ')" "20 40 60 "
claim "an error in one of them ends the program" refused 2 "prefix" xformer-translate -m run --force-decode --cpu-threads 3 \
  --mini-batch 4 --no-spm-encode -i <(paste test.en <(printf '\n\n\n</s>\n'))
claim "a prefix that no translation has room for is told by its line" refused 3 ':4: the prefix has 6000 tokens' \
  xformer-translate -m run --force-decode -i <(paste test.en <(printf '\n\n\n'; seq 3000 | tr '\n' ' '; echo))

for _ in $(seq 500); do cat test.en; done >long.en
xformer-translate -m run -i long.en -o stopped.de --quiet --cpu-threads 3 --mini-batch 4 &
sleep 0.5
kill -TERM $!
wait $!
claim "SIGTERM ends them all: 143" equal $? 143
claim "and leaves no output" test ! -e stopped.de

# ---- a file that is finished later
head -n 14000 long.en >windows.en # of 6,400 lines
finished() { (exec_finished "$@"); }
exec_finished() { exec xformer-translate -m run -i windows.en --output-sampling topk 5 --seed 3 --quiet --mini-batch 64 "$@"; }
finished -o at_once.de
begin_and() { # signal, code
  exec_finished -o later.de --continue 2>/dev/null &
  while kill -0 $! 2>/dev/null && ! grep -qs '"lines":[1-9]' later.de.unfinished.json; do sleep 0.02; done
  claim "it has begun" test -e later.de.unfinished.json
  claim "nobody else goes on meanwhile" refused 2 "another process is writing it" finished -o later.de --continue
  kill "-$1" $!
  wait $!
  claim "SIG$1 ends it" equal $? "$2"
  claim "and leaves what is done" equal "$(sed 's/.*"lines":\([0-9]*\).*/\1/' later.de.unfinished.json | grep -c '^6400$\|^12800$')" 1
}
begin_and KILL 137
rm later.de.unfinished*
begin_and TERM 143
claim "not under its name" test ! -e later.de
claim "it does not go on with another seed" refused 2 "started with another model, input or options" finished -o later.de --continue --seed 4
truncate -s 100 later.de.unfinished
claim "nor behind what is lost" refused 3 "later.de.unfinished.json: damaged" finished -o later.de --continue
rm later.de.unfinished*
begin_and TERM 143
claim "the same command goes on" finished -o later.de --continue --cpu-threads 1
claim "to the output of one run" same_bytes at_once.de later.de
claim "and nothing else is left" equal "$(echo later.de*)" later.de
cp test.en $'gr\xfcn.en'
claim "its input's name need not be UTF-8" \
  xformer-translate -m run -i $'gr\xfcn.en' -o green.de --continue --quiet --mini-batch 4
claim "what is finished may be done again" finished -o later.de --continue
claim "only a file goes on" refused 2 "continue: needs a file" finished --continue
mkfifo pipe
claim "a pipe is none" refused 2 "continue: needs a file" finished -o pipe --continue
mkdir elsewhere && ln -s elsewhere/linked.de linked.de && (umask 077 && touch elsewhere/linked.de)
claim "what a link names is written" finished -o linked.de --continue
claim "the link is one still" test -L linked.de
claim "the file has the lines, and whose it was" equal "$(cmp elsewhere/linked.de later.de && stat -c %a elsewhere/linked.de)" 600

# ---- pieces
pieces() { xformer-vocab encode -m run/vocab.spm --quiet "$@"; }
claim "text that is pieces already gives the same translations" same_bytes hypothesis.de \
  <(pieces -i test.en | xformer-translate -m run --quiet --no-spm-encode)
claim "and translations that stay pieces are the same text" same_bytes hypothesis.de \
  <(xformer-translate -m run -i test.en --quiet --no-spm-decode | xformer-vocab decode -m run/vocab.spm --quiet)

# ---- who waits
xformer-translate -m run -i test.en -o counted.de --stat-freq 20 --mini-batch 8 2>progress
claim "--stat-freq 20: after 20, 40 and 60 of 60 lines" equal "$(sed -n 's/^\([0-9]*\) lines.*(.* tokens\/s)$/\1/p' progress | tr '\n' ' ')" "20 40 60 "
claim "and the same translations" same_bytes hypothesis.de counted.de
coproc talk { xformer-translate -m run --interactive --quiet; }
answer() {
  echo "$1" >&"${talk[1]}"
  read -r -t 60 -u "${talk[0]}" line && echo "$line" | cut -f2
}
claim "--interactive answers a line before the next one is written" equal "$(answer "$first")" "$(head -n 1 one.de)"
claim "and the next one" equal "$(answer "$(sed -n 2p test.en)")" "$(sed -n 2p one.de)"
exec {talk[1]}>&-
wait "$talk_PID"
claim "and ends with its input" equal $? 0
claim "scores stand in front" grep -qE $'^-?[0-9]+\\.[0-9]{4}\t' <(head -n 1 test.en | xformer-translate -m run --interactive --quiet)
printf '%s\nM\344nner\n%s\0\n%s\n' "$first" "$first" "$first" >odd
xformer-translate -m run --interactive --quiet <odd >answers 2>said
claim "--interactive goes on behind a line that is no text" equal $? 0
claim "which gets an empty answer" equal "$(cut -f 2 answers | tr '\n' '|')" "$(head -n 1 one.de)|||$(head -n 1 one.de)|"
claim "and what is wrong with it is said" equal "$(cut -d ' ' -f 1-7 said)" \
  $'error: standard input:2: invalid UTF-8 at byte\nerror: standard input:3: a NUL at byte'
claim "from a file or a pipe it ends the translation" refused 3 'standard input:2: invalid UTF-8' \
  xformer-translate -m run --quiet -o unmade <odd
claim "a conversation has no file" refused 2 "--input has no effect with --interactive" \
  xformer-translate -m run --interactive -i test.en
conclude
