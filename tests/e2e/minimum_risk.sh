#!/usr/bin/env bash
# --minimum-risk: what it learns from is made once, is in the checkpoints, and is the same however a run is stopped and whoever
# computes it.
#   minimum_risk.sh FOLDER_OF_THE_PROGRAMS     XF_SEED=N repeats the moments of an earlier failure
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
RANDOM=${XF_SEED:=$$}
echo "XF_SEED=$XF_SEED"

options=(--after 6e --minimum-risk 4 --minimum-risk-after 3 --minimum-risk-rate 0.25 --bidirectional 2 --bpe-dropout 0.1
  --exponential-smoothing 0.01 --save-freq 7u --valid-freq 1e --disp-freq 1u --early-stopping 0 --keep-last 3
  --valid-sets valid.en valid.de --lr-schedule constant --lr-warmup 0u --learn-rate 0.004 --cpu-threads 1)
go() { train "$1" "${options[@]}" --log-format none "${@:2}"; }
lines_of_risk() { grep -c '^minimum risk: of [0-9]* of 300 pairs the best and the worst translation' "$1/train.log"; }

go run_whole
claim "a run ends with 0" equal $? 0
claim "it says once what it learns from" equal "$(lines_of_risk run_whole)" 1
rates=$(grep '"event":"train"' run_whole/metrics.jsonl | grep -o '"lr":[0-9.]*' | uniq | cut -d: -f2 | tr '\n' ' ')
claim "the rate is a quarter from then on" equal "$rates" "0.004 0.001 "
go run_again
claim "twice: the same bytes of model, moments, mean, contrasts, average and metrics" same_run run_whole run_again

# ---- stopped and killed, every few updates; the translation of the text is a moment like others
stops=0
until [ -e run_stopped/averaged ] || [ $stops -ge 60 ]; do
  exec_train run_stopped "${options[@]}" --log-format none 2>/dev/null &
  trainer=$!
  sleep "0.$((RANDOM % 15 + 10 + stops))"  # longer each time: a slow machine comes to its end, too
  signal=TERM
  [ $((stops % 2)) = 1 ] && signal=KILL
  kill -$signal $trainer 2>/dev/null
  wait $trainer 2>/dev/null
  stops=$((stops + 1))
done
echo "        $stops stops, TERM and KILL in turn"
claim "it was stopped before its end" test $stops -ge 2
claim "a run that is stopped again and again comes to its end" test -e run_stopped/averaged
claim "with the same bytes of all of these" same_run run_whole run_stopped

# ---- in another folder, from a checkpoint of the time after
go run_part --after 4e
go run_fork --resume run_part/latest
claim "what goes on in another folder ends in the same model" same_bytes run_whole/latest/model.safetensors run_fork/latest/model.safetensors
claim "and translates nothing anew" equal "$(lines_of_risk run_fork)" 0

# ---- by two processes
if command -v mpirun >/dev/null && [ -e "$programs/xformer_mpi.so" ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -oE '"loss":[-0-9.]+' | cut -d: -f2; }
  # Losses of weights of both signs may be near 0: their difference counts, not its share.
  near() {
    paste <(losses "$1") <(losses "$2") |
      awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d } END { printf "        largest difference %.1e\n", most; exit NR < 100 || most > 1e-3 }'
  }
  go alone_2 --optimizer-delay 2
  mpirun --oversubscribe -n 2 xformer-train "${small[@]}" -t train.en train.de -m ranks_2 "${options[@]}" --log-format none 2>>log
  claim "two ranks end with 0" equal $? 0
  claim "and have the losses of --optimizer-delay 2" near alone_2 ranks_2
  claim "with as many contrasts" equal "$(grep '^minimum risk' ranks_2/train.log)" "$(grep '^minimum risk' alone_2/train.log)"
fi

# ---- refused
claim "a beam of one compares nothing" refused 2 'minimum-risk: compares the translations of a beam' go none --beam-size 1
claim "it does not go with R-Drop" refused 2 'minimum-risk: does not go with r-drop' go none --r-drop 1
claim "it comes after both directions" refused 2 'minimum-risk-after: 3 epochs end before the 4 of bidirectional' \
  go none --bidirectional 4
claim "a language model translates nothing" refused 2 'minimum-risk: is for translation' \
  xformer-train --task language-model --vocab-size 200 -t train.en -m none --minimum-risk 1 --log-format none
claim "and nothing was written" test ! -e none
conclude
