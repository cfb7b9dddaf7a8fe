#!/usr/bin/env bash
# A run that is stopped and goes on ends in the very bytes of one that never was: dropout on, saves, validations and
# averages included.
#   stop_and_go.sh FOLDER_OF_THE_PROGRAMS     XF_SEED=N repeats the moments of an earlier failure
# XF_STOPS=N and XF_KILLS=N: that many, instead of ten stops by signal and eight kills.
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
set -m # a background job keeps its SIGINT
make_corpus
RANDOM=${XF_SEED:=$$}
echo "XF_SEED=$XF_SEED"

# Every update leaves a line, a third of them a checkpoint, a sixth a validation: all are hit.
options=(--after 120u --save-freq 3u --valid-freq 6u --disp-freq 1u --early-stopping 0 --valid-sets valid.en valid.de
  --maxi-batch 4 --lr-schedule plateau --lr-decay-patience 0 --lr-warmup 0u --optimizer-delay 2
  --optimizer muon --exponential-smoothing 0.01 --keep-last 5 --keep-best 4 --early-stopping-on all --bpe-dropout 0.1 --r-drop 1
  --r-drop-after 40u --bidirectional 2 --dropout-src 0.1 --dropout-trg 0.1)
go() { train "$1" "${options[@]}" --log-format none; }

# In the background, as the very process that gets the signal: a subshell would die of it first.
start() { # run; sets `trainer`
  exec_train "$1" "${options[@]}" --log-format none 2>/dev/null &
  trainer=$!
}

reached() { # run: the last update in its metrics, 0 before there is one
  local last
  last=$(grep -o '"event":"train","update":[0-9]*' "$1/metrics.jsonl" 2>/dev/null | tail -n 1)
  last=${last##*:}
  echo "${last:-0}"
}

# Waits until the run has got `2` updates further than it was, or has ended.
wait_for_progress() { # run, updates
  local from
  from=$(reached "$1")
  while kill -0 "$trainer" 2>/dev/null && [ "$(reached "$1")" -lt $((from + $2)) ]; do sleep 0.01; done 2>/dev/null
}

stop() { # signal; sets `code`
  kill "-$1" "$trainer" 2>/dev/null
  wait "$trainer" 2>/dev/null
  code=$?
}

says_stopped() { [ ! -e "$1" ] || grep -q '<h1>run_stopped: stopped' "$1"; } # page

same_as_whole() { # run
  claim "$1: the same last checkpoint, byte by byte" same_bytes run_whole/latest/model.safetensors "$1/latest/model.safetensors"
  claim "$1: and the optimiser's" same_bytes run_whole/latest/optimizer.safetensors "$1/latest/optimizer.safetensors"
  claim "$1: the same average" same_bytes run_whole/averaged/model.safetensors "$1/averaged/model.safetensors"
  claim "$1: the same metrics apart from time, speed, memory" \
    same_bytes <(comparable_metrics run_whole) <(comparable_metrics "$1")
  claim "$1: the same table of validations apart from time" \
    same_bytes <(comparable_table run_whole) <(comparable_table "$1")
  claim "$1: the same samples" diff -r run_whole/samples "$1/samples"
  claim "$1: the same choice of the best" equal "$(readlink "$1/best")" "$(readlink run_whole/best)"
  claim "$1: and of the checkpoints to keep" equal "$(cd "$1/checkpoints" && echo *)" "$(cd run_whole/checkpoints && echo *)"
}

# Where a run has ended before the signal came, it is compared, and another one begun.
begin_anew() { # run
  same_as_whole "$1"
  rm -r "$1"
  runs=$((runs + 1))
}

go run_whole
claim "a run in one go ends with 0" equal $? 0
claim "dropout was on" grep -q 'transformer-dropout-attention = 0.1' run_whole/training.toml
claim "a row for each validation" equal "$(grep -c '^[0-9]' run_whole/valid.tsv)" 20
claim "and in the samples" equal "$(grep -c '^[0-9]' run_whole/samples/sentence-0.tsv)" 20
best_updates() { grep '^[0-9]' run_whole/valid.tsv | sort -k 4,4gr -s | head -n "$1" | cut -f 1; }
for update in $(best_updates 4); do
  claim "kept, being of the four best: update $update" test -d "run_whole/checkpoints/$(printf update-%06d "$update")"
done
claim "beside the last five, of which some may be of the best" \
  test "$(find run_whole/checkpoints -name 'update-*' | wc -l)" -le 9
claim "the report says that the run has ended" grep -q '<h1>run_whole: finished</h1>' run_whole/report.html
claim "the plateau has cut the rate" grep -q '"lr":0.0027' run_whole/metrics.jsonl

go run_again
same_as_whole run_again
claim "run_again: the same log" same_bytes <(comparable_log run_whole) <(comparable_log run_again)

# ---- SIGTERM and SIGINT
stops=0
wanted_stops=${XF_STOPS:-10}
during_validation=0
runs=1
while [ $stops -lt "$wanted_stops" ] && [ $runs -le "$wanted_stops" ]; do
  start run_stopped
  sleep "0.0$((RANDOM % 10))"
  wait_for_progress run_stopped $((1 + RANDOM % 8))
  signal=TERM wanted=143
  [ $((stops % 2)) = 1 ] && signal=INT wanted=130
  stop $signal
  [ "$code" = 0 ] && begin_anew run_stopped && continue
  stops=$((stops + 1))
  claim "stop $stops: the report, if the run came that far, says so" says_stopped run_stopped/report.html
  claim "stop $stops, SIG$signal at update $(reached run_stopped): exit code $wanted" equal "$code" "$wanted"
  update=$(reached run_stopped)
  if [ $((update % 6)) = 0 ] && [ "$update" != 0 ] && ! grep -q "\"event\":\"valid\",\"update\":$update," run_stopped/metrics.jsonl; then
    during_validation=$((during_validation + 1))
  fi
done
claim "$wanted_stops stops before the end, of $runs runs" equal $stops "$wanted_stops"
echo "        $during_validation of them during a validation"
go run_stopped
claim "the same command line then ends with 0" equal $? 0
same_as_whole run_stopped
claim "the save that a signal asked for is gone" test ! -e run_stopped/checkpoints/interrupted

# ---- kill -9, half of the times in the midst of a save
kills=0
wanted_kills=${XF_KILLS:-8}
while_saving=0
runs=1
while [ $kills -lt "$wanted_kills" ] && [ $runs -le "$wanted_kills" ]; do
  start run_killed
  wait_for_progress run_killed $((2 + RANDOM % 12))
  if [ $((kills % 2)) = 1 ]; then
    while kill -0 "$trainer" 2>/dev/null && ! compgen -G 'run_killed/checkpoints/*.tmp' >/dev/null; do :; done
  fi
  stop KILL
  [ "$code" = 0 ] && begin_anew run_killed && continue
  kills=$((kills + 1))
  compgen -G 'run_killed/checkpoints/*.tmp' >/dev/null && while_saving=$((while_saving + 1))
done
claim "$wanted_kills times killed with SIGKILL before the end, of $runs runs" equal $kills "$wanted_kills"
claim "of them in the midst of a save: $while_saving" test $while_saving -ge 1
go run_killed
claim "a rerun ends with 0" equal $? 0
same_as_whole run_killed
claim "no leftover of a killed save" equal "$(compgen -G 'run_killed/checkpoints/*.tmp')" ""

# ---- without what the optimiser knew
often=(--save-freq 4u --disp-freq 1u --quiet)
train begun --after 20u "${often[@]}"
cp -r begun forgetful
cp -r begun parent
train begun --after 21u "${often[@]}"
train forgetful --after 21u --no-optimizer-reload "${often[@]}"
norm_of() { grep -o '"update":21,.*"gnorm":[-+.0-9e]*' "$1/metrics.jsonl" | sed 's/.*"gnorm"://'; }
claim "the norm of update 21 is there" test -n "$(norm_of begun)"
claim "with --no-optimizer-reload the weights and the batches are those of the checkpoint" \
  equal "$(norm_of forgetful)" "$(norm_of begun)"
claim "and the update is another one" differ begun/latest/model.safetensors forgetful/latest/model.safetensors
field_of() { grep -o "\"$1\": *[-0-9.e+]*" "$2/latest/state.json" | sed 's/.*: *//'; }  # key, run
claim "behind which the optimiser's count begins" equal "$(field_of optimizer_began forgetful)" 20
old=begun/checkpoints/$(ls begun/checkpoints | head -n 1)
claim "an old checkpoint has no optimiser's state" test ! -e "$old/optimizer.safetensors"
from_old() { train from_old --resume "$old" --after 22u "${often[@]}" "$@"; }
claim "so a run cannot go on from it" refused 3 "no longer has an optimiser state.*--no-optimizer-reload" from_old
claim "unless it asks for none" from_old --no-optimizer-reload

# ---- gone on with in another folder, with the options of the checkpoint but for what is said
fork() { xformer-train --resume parent/latest -m "$@" --after 21u --quiet; }
claim "a checkpoint and a folder are enough" fork child
claim "and the child goes on as its parent does" same_bytes begun/latest/model.safetensors child/latest/model.safetensors
for other in "--transformer-dropout 0" "--dropout-src 0.2" "--bpe-dropout 0.2" "--bidirectional 99" "--label-smoothing 0"; do
  # shellcheck disable=SC2086
  claim "another $other" fork "child $other" $other
  claim "changes what is learnt" differ begun/latest/model.safetensors "child $other/latest/model.safetensors"
done
saves_of() { (cd "$1/checkpoints" && echo *); }
claim "a child begins with a save of its own where it ends at once" equal "$(
  xformer-train --resume parent/latest -m same --quiet && saves_of same)" update-000020
scored=(--valid-freq 4u --save-freq 4u --valid-metrics ce-mean-words --quiet)
train scored --after 20u "${scored[@]}" --valid-sets valid.en valid.de
xformer-train --resume scored/latest -m worse --learn-rate 3 --lr-schedule constant --lr-warmup 1u --after 28u --quiet
claim "the best of a child is one of its own saves" test -e worse/best/model.safetensors
claim "of which it says so" equal "$(grep -c 'best ce-mean-words' worse/train.log)" 1
train scored --after 28u "${scored[@]}" --valid-sets train.en train.de >said 2>&1
claim "scores of another text are no progress and no stalling" grep -q 'valid-sets: the text has changed' said
claim "and the best is one of those that came after" test "$(field_of best_update scored)" -gt 20
claim "what the model is stays" refused 2 'parent/latest is another model: dim-emb was' fork wider --dim-emb 64
claim "and so does its text" refused 2 'parent/latest is another model: max-length was' fork longer --max-length 50

# ---- the other end of the pipe
train run_piped --after 20u 2>&1 | head -n 1 >/dev/null
claim "who closes the pipe that shows the progress does not end the training" test -d run_piped/averaged
conclude
