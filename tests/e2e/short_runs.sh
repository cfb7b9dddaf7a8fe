#!/usr/bin/env bash
# Runs that are shorter than their task: the model that is used is no worse than the best save, and the task's phases fit.
#   short_runs.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
loss() { xformer-score lm -m "$1" -t valid.en valid.de | value loss; }
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }' || { echo "        $1 is more than $2"; return 1; }; }
setting() { sed -n "s/^$2 = //p" "$1/training.toml"; }

# ---- which saves are averaged: ten of the steepest part of a run
steep() { # run, options
  train "$1" --valid-sets valid.en valid.de --valid-metrics ce-mean-words bleu --learn-rate 0.003 --lr-warmup 10u --keep-last 10 \
    --save-freq 6u --valid-freq 6u --valid-print 0 --lr-schedule constant --after 60u "${@:2}"
}
claim "a short run" steep steep --quiet
line=$(grep '^averaged: ' steep/train.log)
echo "        $line"
claim "says what it tried, and what it took" grep -qE '^averaged: ce-mean-words [0-9.]+ of the last 10 checkpoints(, [0-9.]+ of [0-9]+)+; [0-9.]+ of the best checkpoint; chosen: the (last [0-9]+|best checkpoint only)$' <<<"$line"
claim "fewer than all ten" test "${line##*taken: }" != "the last 10"
claim "the model that -m RUN names is as good as the best save" at_most "$(loss steep)" "$(loss steep/best)"
xformer-export average -m steep --last 10 -o ten --quiet
claim "the mean of all ten is worse" at_most "$(loss steep/best)" "$(loss ten)"
claim "no warning asks for another model" equal "$(grep -c 'behind the best' steep/train.log)" 0
xformer-export average -m steep -o again --quiet
claim "export average makes it again" same_bytes again/model.safetensors steep/averaged/model.safetensors

claim "the same command, once it has ended, changes nothing" steep steep --quiet
claim "and it says that it is finished" grep -q 'is finished' <(steep steep 2>&1)

# ---- phases
short() { # task, run, options
  xformer-train --task "$1" -t train.en train.de -m "$2" --vocab-size 200 --dim-emb 16 --transformer-dim-ffn 16 --enc-depth 1 --dec-depth 1 \
    --learn-rate 0.001 --valid-freq 100e --save-freq 100e --precision float32 "${@:3}"
}
claim "--after 8e of 36" short multi30k-fast fast --after 8e --quiet
claim "has both directions for as much less: 31 x 8 / 36" equal "$(setting fast bidirectional)" 6
claim "and says so" grep -q -- '^--after 8e is shorter than the 36e of the task multi30k-fast, and so are its phases: bidirectional 6$' fast/train.log
claim "the same command goes on for longer, as it began" short multi30k-fast fast --after 9e --quiet
claim "with the phases of the beginning" equal "$(setting fast bidirectional)" 6
claim "so does -m alone" xformer-train -m fast --after 10e --quiet
claim "and again" equal "$(setting fast bidirectional)" 6
short multi30k slow --after 20e --quiet
claim "R-Drop begins earlier: 36 x 20 / 96" equal "$(setting slow r-drop-after) $(setting slow bidirectional)" '"7e" 14'
short multi30k-fast counted --after 8u --quiet
claim "--after in updates, of which an epoch has one or two" at_most "$(setting counted bidirectional)" 7
short multi30k-fast whole --after 40e --save-freq 40e --quiet
claim "a longer run is the task's" equal "$(setting whole bidirectional)" 31
short multi30k-fast given --after 8e --bidirectional 31 2>given.err
claim "what is given stays" equal "$(setting given bidirectional)" 31
claim "and is warned about" grep -q '^warning: bidirectional: 31 epochs do not end before --after 8e.* give --bidirectional 6$' given.err
echo 'r-drop-after = "5e"' >late.toml
short multi30k late --after 2e -c late.toml 2>late.err
claim "R-Drop that never begins, too" grep -q '^warning: r-drop: begins after 5 epochs, and --after 2e ends earlier' late.err
conclude
