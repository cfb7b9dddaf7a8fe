#!/usr/bin/env bash
# Another toolkit's model trained on: it begins with that model's loss and lowers it; frozen parameters keep their bits, others
# learn at rates of their own; stopped and gone on with, it comes to the same bytes.
#   fine_tuning.sh FOLDER_OF_THE_PROGRAMS
fixtures=$(cd "$(dirname "$0")/../fixtures/marian" && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
# tune RUN MODEL OPTIONS...
tune() {
  local run=$1 model=$2
  shift 2
  xformer-train --task demo --mini-batch-words 200 -t train.en train.de -m "$run" --pretrained-model "$model" \
    --learn-rate 0.002 --lr-schedule inverse-sqrt --lr-warmup 5u "$@" 2>"$run.log"
}
weights() { xformer-export to text -m "$1" -o "$1.txt" --overwrite --quiet; }
loss() { xformer-score lm -m "$1" -t valid.en valid.de | value loss; }
valid_loss() { awk -v update="$2" '$1 == update { print $4 }' "$1/valid.tsv"; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < 1e-8) }' || { echo "        $1 and $2"; return 1; }; }
lower() { awk -v before="$1" -v after="$2" 'BEGIN { exit !(after < before) }'; }
# changed MODEL MODEL: the tensors of two that differ, by the rows of their text.
changed() {
  weights "$1" && weights "$2"
  diff <(awk '/^[a-z]/ { name = $1 } { print name, $0 }' "$1.txt") <(awk '/^[a-z]/ { name = $1 } { print name, $0 }' "$2.txt") |
    awk '/^>/ { print $2 }' | sort -u
}

opus=$fixtures/opus
first=$(loss "$opus")
claim "a folder of transformers is trained on as it is" tune still "$opus" --learn-rate 0 --after 1u --valid-sets valid.en valid.de \
  --valid-freq 1u --valid-metrics ce-mean-words
claim "it begins with the imported model's loss" near "$(valid_loss still 1)" "$first"
claim "and says what it took" grep -q "^begins with [0-9]* tensors of $opus$" still.log
xformer-export to xformer -m "$opus" -o imported --quiet 2>/dev/null
claim "its weights are the imported model's" equal "$(changed still/latest imported)" ""
claim "all of them, in a table" equal "$(awk -F'\t' 'NR > 1 && ($1 != "taken" || $3 != $4)' still/pretrained.tsv)" ""
claim "with a row for each" equal "$(wc -l <still/pretrained.tsv)" "$(($(xformer-export inspect -m imported | value tensors) + 1))"
claim "200 updates" tune more "$opus" --after 200u --valid-sets valid.en valid.de --valid-freq 100u --valid-metrics ce-mean-words
claim "lower the loss" lower "$first" "$(valid_loss more 200)"
for model in marian/separate marian/untied marian_npz/post marian_npz/pre; do
  kind=${model#*/}
  claim "$model begins with its loss" tune "still-$kind" "$fixtures/../$model" --learn-rate 0 --after 1u --valid-sets valid.en valid.de \
    --valid-freq 1u --valid-metrics ce-mean-words
  first=$(loss "$fixtures/../$model")
  claim "the same" near "$(valid_loss "still-$kind" 1)" "$first"
  claim "and lowers it" tune "$kind" "$fixtures/../$model" --after 30u
  claim "it is lower" lower "$first" "$(loss "$kind/latest")"
done

frozen=(--freeze '^encoder\.' embedding --lr-multiplier 'cross=0.1')
claim "frozen" tune frozen "$opus" "${frozen[@]}" --after 20u
claim "the log says so" grep -qE "^frozen: [0-9]+ tensors, [0-9,]+ of [0-9,]+ parameters" frozen.log
claim "the table, too" equal "$(awk -F'\t' '$5 == 0 { print $2 }' frozen/pretrained.tsv | sort)" \
  "$(cut -f2 frozen/pretrained.tsv | grep -E '^encoder\.|embedding' | sort)"
claim "keeps its bits, and all else learns" equal "$(changed imported frozen/latest)" \
  "$(awk -F'\t' 'NR > 1 && $5 != 0 { print $2 }' frozen/pretrained.tsv | sort)"
claim "in the averaged model, too" equal "$(changed imported frozen | grep -cE '^encoder\.|embedding')" 0
claim "it has no moments" test "$(stat -c %s frozen/latest/optimizer.safetensors)" -lt "$(stat -c %s more/latest/optimizer.safetensors)"
for optimizer in muon sgd "adamw --exponential-smoothing 0.01" "adam --bf16"; do
  # shellcheck disable=SC2086
  claim "frozen with $optimizer" tune "frozen-${optimizer%% *}" "$opus" "${frozen[@]}" --optimizer $optimizer --after 4u
  claim "the same are frozen" equal "$(changed imported "frozen-${optimizer%% *}/latest")" "$(changed imported frozen/latest)"
done
claim "stopped" tune parts "$opus" "${frozen[@]}" --after 7u
claim "and gone on with" tune parts "$opus" "${frozen[@]}" --after 20u
for file in model optimizer; do
  claim "the same bytes: $file" same_bytes parts/latest/$file.safetensors frozen/latest/$file.safetensors
done
claim "going on with others frozen: 2" refused 2 "was started with other options: freeze was" \
  xformer-train -t train.en train.de -m parts --pretrained-model "$opus" --task demo --freeze '^decoder' --after 30u
claim "with moments of others: 2" refused 2 "was trained with another --freeze; --no-optimizer-reload" \
  xformer-train -m other --resume parts/latest --freeze '^decoder.layers.0.self' --after 30u
claim "what matches nothing: 2" refused 2 "freeze: 'enkoder' matches no parameter; there are embedding.weight, encoder.layers.0" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model "$opus" --freeze enkoder
claim "what matches all: 2" refused 2 "freeze: every parameter is frozen" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model "$opus" --freeze .
claim "no expression: 2" refused 2 "freeze: '\(' is not a regular expression" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model "$opus" --freeze '('
claim "no rate: 2" refused 2 "lr-multiplier: 'encoder' must be REGEX=X" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model "$opus" --lr-multiplier encoder
claim "nothing is left of these" test ! -e other

# ---- more pieces
train run --after 6u --quiet || exit 1
printf '%s\n' '▁zugemacht' '<domain>' >pieces
claim "a model with two more pieces" tune wider run --extend-vocab pieces --learn-rate 0 --after 1u --quiet
claim "each is one, wherever it stands" equal "$(echo '<domain>Sie hat die Tür zugemacht.' | xformer-vocab encode -m wider/vocab.spm | grep -oE '<domain>|▁zugemacht' | tr '\n' ' ')" \
  "<domain> ▁zugemacht "
weights wider/latest && weights run
row() { grep -A 202 '^embedding.weight ' "$1.txt" | sed -n "$(($2 + 2))p"; }
ids=$(echo ' zugemacht' | xformer-vocab encode -m run/vocab.spm --format id)
claim "its row is the mean of those that it was cut into" awk -v ids="$ids" '
  FNR == NR { if ($1 == "embedding.weight") first = FNR + 1
              if (first && FNR >= first && FNR < first + 200) for (j = 1; j <= NF; ++j) old[FNR - first, j] = $j
              next }
  $1 == "embedding.weight" { begin = FNR + 1 }
  begin && FNR == begin + 200 { n = split(ids, id)
    for (j = 1; j <= 32; ++j) { sum = 0; for (i = 1; i <= n; ++i) sum += old[id[i], j]; if ((sum / n - $j) ^ 2 > 1e-12) bad = 1 }
    exit }
  END { exit bad || !n }' run.txt wider/latest.txt
claim "what was there is as it was" equal "$(row run 7)" "$(row wider/latest 7)"
claim "the log says so" grep -q "^vocabulary: 2 pieces more" wider/train.log
claim "it goes on" tune wider run --extend-vocab pieces --learn-rate 0 --after 2u --quiet
claim "and translates" test "$(xformer-translate -m wider -i test.en --quiet | wc -l)" = 60
claim "another toolkit's model, too" tune wider-opus "$opus" --extend-vocab pieces --after 5u --quiet
claim "and translates" test "$(xformer-translate -m wider-opus -i test.en --quiet | wc -l)" = 60
printf '%s\n' '<domain>' '<domain>' >twice
claim "a piece twice: 3" refused 3 "twice:2: '<domain>' is a repetition" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model run --extend-vocab twice
echo '</s>' >known
claim "a piece that is there: 2" refused 2 "has the piece '</s>' already" \
  xformer-train --task demo -t train.en train.de -m other --pretrained-model run --extend-vocab known
claim "without a model: 2" refused 2 "extend-vocab: extends the vocabulary of --pretrained-model" \
  xformer-train --task demo -t train.en train.de -m other --extend-vocab pieces
claim "nothing is left of these" test ! -e other
conclude
