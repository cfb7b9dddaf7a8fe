#!/usr/bin/env bash
# Training, testing and scoring as two tutorials do them: sentences in sorted pools, a plateau, their lines, their BLEU.
#   tutorial_training.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
seed() { # run, epochs, options...
  local run=$1 epochs=$2
  shift 2
  train "$run" --after "$epochs" --mini-batch 32 --maxi-batch 100 --lr-schedule plateau --lr-decay-patience 0 \
    --learn-rate 0.02 --lr-warmup 1u --label-smoothing 0 --valid-sets valid.en valid.de \
    --valid-metrics ce-mean-batches tutorial-bleu --valid-mini-batch 32 --disp-freq 1u --disp-first 0 "$@"
}
claim "training ends with exit code 0" seed run 4e --log-format tutorial 2>lines
claim "the data set has its two lines" equal "$(grep -c '^dataset initializing \(start\|done\)$' lines)" 2
claim "the parameters are told" grep -qx 'The model has [0-9,]* trainable parameters' lines
# 300 pairs are nine batches of 32 and one of 12.
claim "an epoch is ten steps" equal "$(grep -c '^step : ' lines)" 40
percents=$(sed -n 's/^step : \([0-9.]*\) % , loss : [0-9.]*$/\1/p' lines | head -n 10 | tr '\n' ' ')
claim "with their percentages" equal "$percents" "0.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0 80.0 90.0 "
for line in 'Epoch: [1-4] | Time: 0m [0-9]*s' '	Train Loss: [0-9.]* | Train PPL: *[0-9.]*' \
  '	Val Loss: [0-9.]* |  Val PPL: *[0-9.]*' '	BLEU Score: [0-9.]*'; do
  claim "a line of the epochs: $line" equal "$(grep -c "^$line$" lines)" 4
done
claim "they are in train.log as well" equal "$(grep -c '^step : ' run/train.log)" 40
claim "curves by epoch are drawn" test -s run/loss_by_epoch.svg -a -s run/bleu_by_epoch.svg

# The mean of the ten steps is the loss of the epoch.
mean=$(sed -n 's/^step : .* loss : //p' lines | head -n 10 | awk '{ sum += $1 } END { printf "%.3f", sum / 10 }')
claim "an epoch's loss is the mean of its steps'" \
  equal "$(sed -n 's/^\tTrain Loss: \([0-9.]*\) .*/\1/p' lines | head -n 1)" "$mean"

seed run_again 2e --log-format none
seed run_again 4e --log-format none
claim "stopped after two epochs it goes on in the same bytes" \
  same_bytes run/latest/model.safetensors run_again/latest/model.safetensors
claim "a plateau without validation is refused" \
  equal "$(xformer-train "${small[@]}" -t train.en train.de -m other --lr-schedule plateau 2>&1 | tail -n 1)" \
  "error: lr-schedule plateau needs validation scores: give --valid-sets SRC TRG"
# 32^-0.5 10^-1.5 = 0.00559: the paper's formula at the first update, for the width that `small` sets.
train run_noam --after 1u --lr-schedule noam --learn-rate 1 --lr-warmup 10u --quiet
claim "noam's rate is the paper's" grep -q '"lr":0.00559' run_noam/metrics.jsonl

# ---- teacher forcing
forced() { xformer-translate -m run -i test.en --teacher-forced test.de --mini-batch 32 "$@"; }
claim "a line for each line" equal "$(forced --quiet | wc -l)" 60
forced --output-format tutorial -o blocks 2>summary
for line in 'source : ' 'target : ' 'predicted : '; do
  claim "a '$line' for each pair" equal "$(grep -c "^$line" blocks)" 60
done
claim "a score for each batch" equal "$(grep -c '^BLEU SCORE = [0-9.]*$' blocks)" 2
sed -n 's/^target : //p' blocks >wanted
sed -n 's/^predicted : //p' blocks >predicted
total=$(sed -n 's/^TOTAL BLEU SCORE = //p' blocks)
claim "the total is what xformer-score says ($total)" \
  equal "$(printf %.6f "$total")" "$(xformer-score tutorial-bleu wanted -i predicted --mini-batch 32 -b -w 6)"
forced --output-format tutorial --num-examples 3 -o few --quiet
claim "three examples of each batch can be shown" equal "$(grep -c '^source : ' few)" 6
claim "with the same scores" equal "$(grep SCORE few)" "$(grep SCORE blocks)"
claim "examples without blocks are refused" equal "$(forced --num-examples 3 2>/dev/null; echo $?)" 2
claim "files of unequal length are refused" equal "$(xformer-translate -m run -i test.en --teacher-forced valid.de 2>/dev/null; echo $?)" 3
claim "a model with quirks goes on from a prefix, and has alignments" equal "$(sed 's/$/\tein/' test.en |
  xformer-translate -m run --quiet --force-decode --alignment hard | grep -cE '^ein.* \|\|\| [0-9]+-[0-9]+')" 60
claim "two references are too many for it" equal "$(xformer-score tutorial-bleu test.de test.de -i test.de 2>/dev/null; echo $?)" 2
claim "its former name is told once" equal "$(xformer-score compat-bleu test.de -i test.de 2>&1 >/dev/null)" \
  "warning: compat-bleu is now called tutorial-bleu"
claim "a table of runs knows the former name" equal "$(xformer-score table run -m compat-bleu 2>/dev/null)" \
  "$(xformer-score table run -m tutorial-bleu)"
conclude
