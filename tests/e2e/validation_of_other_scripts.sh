#!/usr/bin/env bash
# What validation says of text that is not German in spaces: another script, other normalisation, no case; and which model of a run
# is used.
#   validation_of_other_scripts.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# German without spaces, a Chinese, a Thai or a Latin letter for each of its own: as long and as hard to learn, in another script.
latin=abcdefghijklmnopqrstuvwxyz
unspaced() { sed -E 's/.*/\L&/; s/[^a-z]//g' | sed "y/$latin/$1/"; }
scripts=(zh 天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余 th กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝ)
for ((i = 0; i < ${#scripts[@]}; i += 2)); do
  for part in train valid test; do unspaced "${scripts[i + 1]}" <$part.de >"$part.${scripts[i]}"; done
done

learn() { # language, run, options
  xformer-train "${small[@]}" -t train.en "train.$1" --valid-sets valid.en "valid.$1" --test-sets test.en "test.$1" -m "$2" \
    --valid-freq 10u --save-freq 10u --lr-warmup 10u --valid-print 0 "${@:3}"
}
logged() { sed -n "s/^test [^,]*, beam 5: BLEU[^ ]* = \([0-9.]*\) .*/\1/p" "$1/train.log"; }
again() { # run, language, words for xformer-score
  xformer-translate -m "$1" -i test.en --quiet | xformer-score bleu "test.$2" -b -w 2 "${@:3}" 2>/dev/null
}
hint() { sed -n 's/^score with: xformer-score bleu REFERENCE -i FILE *//p' "$1/train.log"; }

# ---- scripts without spaces
for language in zh th; do
  tok=char && [ $language = zh ] && tok=zh
  learn $language run_$language --after 40u --quiet || exit 1
  claim "$language: the log says how BLEU is cut, and why" \
    grep -q "^valid: 40 pairs; BLEU: case:mixed, tok:$tok (the references are written without spaces)" run_$language/train.log
  claim "$language: so do the signatures" equal "$(grep -o 'tok:[a-z0-9]*|' run_$language/train.log | sort -u)" "tok:$tok|"
  claim "$language: the hint names it" equal "$(hint run_$language)" "-tok $tok"
  # shellcheck disable=SC2046  # words
  claim "$language: and with it the score is the log's" equal "$(again run_$language $language $(hint run_$language))" "$(logged run_$language)"
  claim "$language: the report names it" grep -q "xformer-score bleu REFERENCE -i FILE -tok $tok" run_$language/report.html
  claim "$language: BLEU is above 0" grep -q '"metric":"bleu","score":[0-9]*\.[0-9]*[1-9]' run_$language/metrics.jsonl
  xformer-score bleu test.$language -i test.$language >score 2>warning
  claim "$language: xformer-score warns of 13a" grep -qx "warning: bleu: with -tok 13a most lines of the reference are one token, or nearly; give -tok $tok" warning
  claim "$language: not of $tok" equal "$(xformer-score bleu test.$language -i test.$language -tok $tok -b 2>&1)" 100.0
  xformer-score ter test.$language -i test.$language >score 2>warning
  claim "$language: and of TER" grep -q "^warning: ter: most lines .* give $([ $language = zh ] && echo "--ter-normalized --ter-asian" || echo chrf)" warning
done
claim "German is cut by 13a, without a word" equal "$(xformer-score bleu test.de -i test.de -b 2>&1)" 100.0

# ---- the same number, again and again
learn th blind --after 30u --tokenize 13a 2>blind.err
claim "a score that never moves is told" grep -q "^valid .* bleu identical in all 3 validations$" blind.err
claim "at the end, too" grep -q "^warning: bleu was 0.00 in all 3 validations and cannot rank checkpoints" blind.err
claim "and calls no save the best" equal "$(grep -c 'best so far\|^best bleu' blind.err)" 1
claim "best is the last one" equal "$(basename "$(readlink blind/best)")" update-000030
claim "so it is of any first metric" equal "$(xformer-train "${small[@]}" -t train.en train.de --valid-sets valid.en valid.de -m still \
  --learn-rate 0 --valid-metrics perplexity bleu --after 6u --valid-freq 2u --save-freq 2u 2>&1 | grep -c 'perplexity identical in all')" 2

# ---- a run goes on as it began
learn zh given --after 10u --tokenize 13a --quiet
learn zh given --after 20u 2>given.err
claim "a run that was given 13a goes on with it, without a word" equal "$(grep -c 'tok:13a, as the run started' given.err)" 0
sed -i /^tokenize/d given/training.toml given/latest/training.toml
learn zh given --after 30u 2>given.err
claim "a run of an earlier version, whose 13a nobody gave, goes on with it" grep -q "tok:13a, as the run started, though the references are written without spaces; --tokenize zh" given.err
claim "and says so in its scores" equal "$(grep -o '"event":"valid".*tok:[a-z0-9]*|' given/metrics.jsonl | grep -o 'tok:[a-z0-9]*' | sort -u)" tok:13a

# ---- normalisation forms: e with an accent, in one character and in two
for part in train valid test; do
  sed $'s/e/\u00e9/g' $part.de >$part.nfc
  sed $'s/e/e\u0301/g' $part.de >$part.nfd
done
learn nfd composed --after 30u --quiet
claim "references apart from their accents: the test's score" equal "$(again composed nfd)" "$(logged composed)"
claim "is that of the same text in form C" equal "$(again composed nfc)" "$(logged composed)"
claim "the signature says so" grep -q '^test .*|nfc:yes|version' composed/train.log
claim "in xformer-score, too" grep -q '|nfc:yes|version' <(xformer-score bleu test.nfd -i test.nfc)
claim "of every metric" equal "$(xformer-score test.nfd -i test.nfc -m bleu chrf ter tutorial-bleu -w 2 | grep -c 'nfc:yes.*= 100.00\|nfc:yes.*= 0.00')" 4
claim "which gives 100" equal "$(xformer-score bleu test.nfd -i test.nfc -b)" 100.0
claim "in form C nothing is said of it" equal "$(xformer-score bleu test.nfc -i test.nfc | grep -c nfc:)" 0

# ---- a text to measure on that is not like the training text
begin() { xformer-train "${small[@]}" -t train.en "train.$1" --after 2u -m "$2" "${@:3}"; }
begin zh swapped --valid-sets valid.zh valid.en --test-sets test.zh test.en 2>swapped.err
for option in valid test; do
  claim "sides the wrong way round are told: $option" grep -q "^warning: $option-sets: $option.en is written with spaces, unlike the training target; are the files in the order of --train-sets?" swapped.err
done
begin de foreign --valid-sets valid.en valid.th 2>foreign.err
claim "so is another script" grep -q "^warning: valid-sets: valid.th is written without spaces" foreign.err
claim "and another language" grep -q "^warning: valid-sets: [0-9.]*% of the tokens of valid.th are unknown to the vocabulary; is it the language of --train-sets?" foreign.err
begin de alike --valid-sets valid.en valid.de --test-sets test.en test.de 2>alike.err
claim "and nothing where there is nothing" equal "$(grep -c 'valid-sets\|test-sets' alike.err)" 0

# ---- capitals whose sign stays apart, and small letters whose sign does not; and references of which nothing shows
for part in train valid test; do sed $'s/^./H\u0331&/; 3s/.*/\u200b/' $part.de >$part.capital; done
learn capital capital --after 30u --lowercase --quiet
claim "lower case composes: the hint gives the log's score" equal "$(again capital capital -lc)" "$(logged capital)"
claim "and its signature" equal "$(grep -o '^test .*|' capital/train.log | grep -o 'case:.*|')" \
  "$(xformer-translate -m capital -i test.en --quiet | xformer-score bleu test.capital -lc | grep -o 'case:.*|')"

# ---- the hint without a text to validate on
xformer-train "${small[@]}" -t train.en train.th -m unmeasured --after 2u --quiet
claim "without validation the hint fits the training text" equal "$(hint unmeasured)" "-tok char"
claim "as the report's" grep -q "xformer-score bleu REFERENCE -i FILE -tok char" unmeasured/report.html
xformer-train "${small[@]}" -t train.en train.th --test-sets test.en test.zh -m tested --after 2u --quiet
claim "with a test set it fits that" equal "$(hint tested) $(grep -o 'bleu REFERENCE -i FILE .*</pre>' tested/report.html)" \
  "-tok zh bleu REFERENCE -i FILE -tok zh</pre>"

# ---- case
learn de lower --after 10u --lowercase --quiet
claim "lower-cased text is told in the log" grep -q "^text: lower-cased, .*(--lowercase); scores ignore case: xformer-score -lc" lower/train.log
claim "the hint has -lc" equal "$(hint lower)" "-lc"
claim "and gives the log's score" equal "$(again lower de -lc)" "$(logged lower)"

conclude
