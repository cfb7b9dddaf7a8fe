#!/usr/bin/env bash
# A language model and a classifier as a user has them: trained, stopped and gone on with, measured, used.
#   other_models.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# The classes: which language a line is in. The two sides' lines take turns.
for set in train valid test; do
  paste -d '\n' "$set.en" "$set.de" >"$set.text"
  sed 's/.*/en\nde/' "$set.en" >"$set.labels"
done
tiny=(--vocab-size 200 --dim-emb 32 --transformer-dim-ffn 64 --transformer-dropout 0.1
  --transformer-dropout-attention 0.1 --mini-batch-words 400 --learn-rate 0.005 --lr-warmup 20u --early-stopping 0
  --save-freq 20u --valid-freq 30u --disp-freq 1u --log-format none)
language_model() { # run, options...
  xformer-train --task language-model "${tiny[@]}" --dec-depth 1 -t train.en --valid-sets valid.en -m "$@"
}
classifier() { # run, options...
  xformer-train --task classification "${tiny[@]}" --enc-depth 1 -t train.text train.labels \
    --valid-sets valid.text valid.labels -m "$@"
}
# The value of a metric in a run's last validation.
last() { # run, metric
  grep "\"metric\":\"$2\"" "$1/metrics.jsonl" | grep '"event":"valid"' | tail -n 1 | sed 's/.*"score":\([-+.0-9e]*\).*/\1/'
}
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || { echo "        $1 is not less than $2"; return 1; }; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a / b - 1) ^ 2 < 1e-8) }' || { echo "        $1, $2"; return 1; }; }

# ---- exact resume
for model in language_model classifier; do
  $model "$model" --after 120u
  claim "$model: a run ends with 0" equal $? 0
  for updates in 40u 100u 120u; do $model "parts_$model" --after $updates || break; done
  claim "$model: in three parts it ends in the same model, byte by byte" \
    same_bytes "$model/latest/model.safetensors" "parts_$model/latest/model.safetensors"
  claim "$model: and the same average" \
    same_bytes "$model/averaged/model.safetensors" "parts_$model/averaged/model.safetensors"
done

# ---- the language model
claim "language model: it has learnt something; a uniform guess is at 200" less "$(last language_model perplexity)" 80
xformer-score lm -m language_model/latest -t valid.en >scores
claim "xformer-score lm: the last validation's perplexity" \
  near "$(value perplexity <scores)" "$(last language_model perplexity)"
(cat valid.en; printf '\n\n\n') >with_empty
claim "and empty lines, which are left out, count for nothing" equal \
  "$(xformer-score lm -m language_model/latest -t with_empty | grep -v 'left out')" "$(cat scores)"
claim "xformer-score lm: and by word" near "$(value word-perplexity <scores)" "$(last language_model word-perplexity)"
xformer-generate -m language_model --samples 20 --seed 3 -o first.txt
xformer-generate -m language_model --samples 20 --seed 3 --mini-batch 7 -o second.txt
claim "xformer-generate: 20 lines" equal "$(wc -l <first.txt)" 20
claim "xformer-generate: a seed has its lines, however they are written together" same_bytes first.txt second.txt
xformer-generate -m language_model --samples 20 --seed 4 -o third.txt
claim "xformer-generate: another seed, others" test "$(cmp first.txt third.txt)"
xformer-generate -m language_model --samples 20 --top-p 0.0001 -o nucleus.txt
xformer-generate -m language_model --samples 20 --temperature 0 -o likeliest.txt
claim "xformer-generate: a small nucleus is the most probable token" same_bytes nucleus.txt likeliest.txt
head -n 1 valid.en | cut -d' ' -f1 >prompt
claim "xformer-generate: a line goes on from its prompt" \
  grep -qi "^$(cat prompt)" <(xformer-generate -m language_model -i prompt --temperature 0)

printf 'The OLD zebra\nQ!\n' >prompts
xformer-generate -m language_model -i prompts --samples 2 -o told.txt 2>log
claim "xformer-generate: a line begins with its prompt as it was given" equal "$(cut -c -13 told.txt | head -n 2 | uniq)" "The OLD zebra"
claim "xformer-generate: unknown characters too" equal "$(grep -c '^Q!' told.txt)" 2
claim "xformer-generate: and what is unknown is counted" grep -qE "^warning: [0-9]+ tokens? of the prompts unknown to the model$" log
printf '小狗在草地上\nthe dog\n' >unknown
claim "xformer-generate: prompts in an unknown script are told" grep -q '^warning: mostly unknown to the vocabulary: 1 line;' \
  <(xformer-generate -m language_model -i unknown -o told.txt 2>&1)
claim "xformer-generate: nothing on from nothing" equal "$(xformer-generate -m language_model -i /dev/null && echo "$?")" 0
served() { # a line is there before the next one is read
  coproc xformer-generate -m language_model -i - --samples 1000000000 --max-length 5
  local first pid=$COPROC_PID
  echo the >&"${COPROC[1]}"
  read -r -t 60 first <&"${COPROC[0]}"
  kill "$pid"
  wait "$pid" 2>/dev/null
  test -n "$first"
}
claim "xformer-generate: a pipe is served, however many lines are asked for" served
seq 100 | tr '\n' ' ' >long
claim "a prompt that is too long is told by its line: 3" refused 3 "long:1: a prompt of [0-9]+ tokens; a line has at most 20: shorten the prompt, or raise --max-length" \
  xformer-generate -m language_model -i long --max-length 20
{ seq 40; printf '\377\n'; } >late
xformer-generate -m language_model -i late --max-length 20 >early 2>log
claim "a file is read before any line of it is answered" equal "$? $(wc -c <early) $(grep -c '^error: late:41: invalid UTF-8' log)" "3 0 1"
language_model learnt --after 1u --max-length 60 --transformer-train-positions --quiet
claim "of a model that reads no more, without an option that would not help" refused 3 "a line of this model has at most 61: shorten the prompt$" \
  xformer-generate -m learnt -i long
{ head -n 2 valid.en; echo; } >gap.en
claim "xformer-score lm: empty lines are told" equal "$(xformer-score lm -m language_model -t gap.en | sed -n 2p)" "left out         1 empty line"
claim "none but such: 3" refused 3 "no line is left: 3 empty; give a text" xformer-score lm -m language_model -t <(printf '\n\n\n')
claim "no text: 2" refused 2 "xformer-score lm needs --text FILE;" xformer-score lm -m language_model
claim "xformer-train --log-format tutorial: the loss of a model that measures its exponential" grep -q "Val Loss:" \
  <(language_model seedlike --after 1e --valid-freq 1e --log-format tutorial 2>&1 && cat seedlike/train.log)
printf '\n \n' >long.none
echo 'each word once' >rare
claim "a vocabulary of words from no word: 3" refused 3 "no word in it" xformer-vocab train long.none -m none.txt --tokenizer icu --quiet
claim "of rare words: 2" refused 2 "min-freq: every word is rarer than 2" xformer-vocab train rare -m none.txt --tokenizer icu --quiet

# ---- the classifier
claim "classifier: lines in an unknown script are told" grep -q '^warning: mostly unknown to the vocabulary: 1 line;' \
  <(xformer-classify -m classifier -i unknown -o told.txt 2>&1)
claim "classifier: it tells two languages apart" less 95 "$(last classifier accuracy)"
xformer-score lm -m classifier/latest -t valid.text valid.labels >scores
claim "xformer-score lm: the last validation's accuracy" near "$(value accuracy <scores)" "$(last classifier accuracy)"
xformer-classify -m classifier -i test.text -o classes
claim "xformer-classify: a line for each" equal "$(wc -l <classes)" "$(wc -l <test.text)"
right=$(paste test.labels <(cut -f1 classes) | awk '$1 == $2' | wc -l)
claim "xformer-classify: $right of $(wc -l <classes) right" test "$right" -ge 114
claim "xformer-classify: a pipe is served, an empty line too" equal "$(printf '\n\n' | xformer-classify -m classifier | wc -l)" 2
claim "xformer-classify: all classes, which sum to 1" equal \
  "$(xformer-classify -m classifier -i test.text --all-classes | awk '{ if (($2 + $4 - 1)^2 > 1e-6) print }')" ""

claim "xformer-classify: the most probable one first" equal \
  "$(xformer-classify -m classifier -i test.text --all-classes | awk '$2 < $4')" ""

# ---- what they look at: a row for each token, and nothing that they do not have
looks_at() { # model, options...
  xformer-explain attention -m "$1" "The old dog sleeps." "${@:2}"
}
parts() { looks_at "$1" -f json | grep -o '"part":"[a-z]*"' | sort -u; }
claim "attention of a language model: its own alone" equal "$(parts language_model)" '"part":"self"'
claim "of what came before: in every head the first token sees itself" equal \
  "$(looks_at language_model -f json | grep -o '"weights":\[\[[0-9.,]*' | grep -cE '\[\[1\.0(,0\.0)+$')" \
  "$(looks_at language_model -f json | grep -o '"head":' | wc -l)"
claim "attention of a classifier: of its encoder" equal "$(parts classifier)" '"part":"encoder"'
claim "of one word, as a picture" test "$(looks_at classifier --focus dog -f svg | grep -c '<line')" -gt 3
claim "a page has the text" test "$(looks_at language_model -f html | grep -c '<p dir="auto">Text: ')" = 1
claim "what there is to see of a language model" equal "$(looks_at language_model | head -n 1 | cut -c -5)" "text "
claim "no cross-attention: 2" refused 2 "the model has no such attention; it has self$" looks_at language_model --part cross
claim "no translation: 2" refused 2 "classifier does not translate" looks_at classifier --target "Der Hund."

# ---- on from such a model, and such a run
begin() { # run, model, options...
  local run=$1 model=$2
  shift 2
  xformer-train -m "$run" --pretrained-model "$model" --after 1u --learn-rate 0 --log-format plain "$@" 2>"$run.log"
}
claim "from a language model, without its task" begin on_language language_model -t train.en --valid-sets valid.en
claim "it is the one that it was" near "$(last on_language perplexity)" "$(xformer-score lm -m language_model -t valid.en | value perplexity)"
claim "from a classifier" begin on_classifier classifier -t train.text train.labels --valid-sets valid.text valid.labels
claim "all of it is taken" grep -qE "^begins with [0-9]+ tensors of classifier/averaged$" on_classifier.log
sed 's/^de$/and german/' train.labels | sed '1s/.*/fr/' >other.labels
claim "with other classes" begin on_classes classifier -t train.text other.labels
claim "which are told" grep -q "^classes: 1 from the model, 2 new$" on_classes.log
claim "from a model of another type: 2" refused 2 "is of type classification, and this training of type language-model; give --task classification" \
  xformer-train --task language-model --pretrained-model classifier -t train.en -m none
claim "by the preset of another type" begin on_tiny language_model -t train.en --task transformer-tiny --type language-model \
  --enc-depth 0 --joint-vocab=false --tied-embeddings-all=false --valid-metrics perplexity
claim "such a run goes on with its own configuration" \
  xformer-train --config on_tiny/training.toml -m on_tiny --after 2u --quiet
cp -r parts_language_model named
claim "a run whose text is named goes on as what it is" xformer-train -t train.en -m named --after 130u --quiet

# ---- what is no such model
claim "a language model does not translate" refused 2 "xformer-generate -m" xformer-translate -m language_model
claim "a classifier generates nothing" refused 2 "xformer-classify -m" xformer-generate -m classifier
claim "a language model reads one file" refused 2 "reads FILE, got 2 files" \
  xformer-train --task language-model -t train.en --valid-sets valid.en valid.de -m none
claim "a classifier reads two" refused 2 "reads TEXT LABELS, got 1 file" \
  xformer-train --task classification -t train.text -m none
claim "a language model has no BLEU" refused 2 "language-model has no bleu" \
  xformer-train --task language-model -t train.en -m none --valid-metrics bleu
claim "a language model has no encoder" refused 2 "enc-depth" \
  xformer-train --task language-model -t train.en -m none --enc-depth 1
claim "a language model has no source to drop words of" refused 2 "dropout-src" language_model none --dropout-src 0.1
claim "nor a classifier a target" refused 2 "dropout-trg" classifier none --dropout-trg 0.1
claim "an unknown class is named" refused 3 "'fr' is not a class" \
  xformer-score lm -m classifier -t prompt <(echo fr)
claim "as many classes as texts" refused 3 "is the class of line i" \
  xformer-train --task classification -t train.text valid.labels -m none
claim "the run goes on as what it is" refused 2 "type was" \
  xformer-train --task transformer-tiny -t train.en train.de -m language_model
claim "without a run" refused 2 "needs --model" xformer-generate
conclude
