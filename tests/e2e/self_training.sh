#!/usr/bin/env bash
# --data-diversification and --minimum-risk: what a run learns of its own translations is made once, is in the checkpoints, and is the
# same however the run is stopped and whoever computes it.
#   self_training.sh FOLDER_OF_THE_PROGRAMS     XF_SEED=N repeats the moments of an earlier failure
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
RANDOM=${XF_SEED:=$$}
echo "XF_SEED=$XF_SEED"

options=(--after 6e --bpe-dropout 0.1 --exponential-smoothing 0.01 --save-freq 7u --valid-freq 1e --disp-freq 1u
  --early-stopping 0 --keep-last 3 --valid-sets valid.en valid.de --lr-schedule constant --lr-warmup 0u
  --cpu-threads 1)
go() { train "$1" "${options[@]}" "${own[@]}" --log-format none "${@:2}"; }
lines_of() { grep -c "^$said" "$1/train.log"; }

# Stops and kills a run every few updates; the translation of the text is a moment like others.
stop_and_go() {  # run
  local stops=0 trainer signal
  until [ -e "$1/averaged" ] || [ $stops -ge 60 ]; do
    exec_train "$1" "${options[@]}" "${own[@]}" --log-format none 2>/dev/null &
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
  claim "a run that is stopped again and again comes to its end" test -e "$1/averaged"
}

# Two processes, where the machine has them, against one with --optimizer-delay 2.
losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -oE '"loss":[-0-9.]+' | cut -d: -f2; }
# Losses of weights of both signs may be near 0: their difference counts, not its share.
near() {
  paste <(losses "$1") <(losses "$2") |
    awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d } END { printf "        largest difference %.1e\n", most; exit NR < 100 || most > 1e-3 }'
}
two_ranks() {  # name
  command -v mpirun >/dev/null && [ -e "$programs/xformer_mpi.so" ] || return
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  go "$1_alone_2" --optimizer-delay 2
  mpirun --oversubscribe -n 2 xformer-train "${small[@]}" -t train.en train.de -m "$1_ranks_2" "${options[@]}" "${own[@]}" \
    --log-format none 2>>log
  claim "two ranks end with 0" equal $? 0
  claim "and have the losses of --optimizer-delay 2" near "$1_alone_2" "$1_ranks_2"
  claim "and say the same of what they learn" equal "$(grep "^$said" "$1_ranks_2/train.log")" "$(grep "^$said" "$1_alone_2/train.log")"
}

holds() {  # name, what the log says
  local name=$1
  said=$2
  echo "---- ${own[*]}"
  go "${name}_whole"
  claim "a run ends with 0" equal $? 0
  claim "it says once what it learns from" equal "$(lines_of "${name}_whole")" 1
  go "${name}_again"
  claim "twice: the same bytes of model, moments, mean, translations, average and metrics" same_run "${name}_whole" "${name}_again"
  stop_and_go "${name}_stopped"
  claim "with the same bytes of all of these" same_run "${name}_whole" "${name}_stopped"
  # In another folder, from a checkpoint of the time after.
  go "${name}_part" --after 4e
  go "${name}_fork" --resume "${name}_part/latest"
  claim "what goes on in another folder ends in the same model" same_bytes "${name}_whole/latest/model.safetensors" \
    "${name}_fork/latest/model.safetensors"
  claim "and translates nothing anew" equal "$(lines_of "${name}_fork")" 0
  two_ranks "$name"
}

own=(--minimum-risk 4 --minimum-risk-after 3 --minimum-risk-rate 0.25 --bidirectional 2 --learn-rate 0.004)
holds risk 'minimum risk: of [0-9]* of 300 pairs the best and the worst translation'
rates=$(grep '"event":"train"' risk_whole/metrics.jsonl | grep -o '"lr":[0-9.]*' | uniq | cut -d: -f2 | tr '\n' ' ')
claim "the rate is a quarter from then on" equal "$rates" "0.004 0.001 "

claim "a beam of one compares nothing" refused 2 'minimum-risk: compares the translations of a beam' go none --beam-size 1
claim "it does not go with R-Drop" refused 2 'minimum-risk: does not go with r-drop' go none --r-drop 1
claim "it comes after both directions" refused 2 'minimum-risk-after: 3 epochs end before the 4 of bidirectional' \
  go none --bidirectional 4
claim "a language model translates nothing" refused 2 'minimum-risk: is for translation' \
  xformer-train --task language-model --vocab-size 200 -t train.en -m none --minimum-risk 1 --log-format none

own=(--data-diversification 3 --bidirectional 5 --learn-rate 0.001)  # at 0.004 two sums that differ in their last bits part
holds diversified 'data diversification: 300 pairs are read with'
go plain --data-diversification 0 --after 4e
go later --resume plain/latest --data-diversification 4 --bidirectional 6
claim "a run without it is gone on with in another folder" equal "$(lines_of plain) $(lines_of later)" "0 1"
claim "with sentences that it has not read it is not" refused 2 'max-length was 63 and is 50' go none --resume plain/latest --max-length 50
claim "both directions must be learnt before" refused 2 'data-diversification: after 3 epochs .* only the 2 of bidirectional' \
  go none --bidirectional 2
claim "it does not go with minimum risk" refused 2 'data-diversification: does not go with minimum-risk' \
  go none --minimum-risk 1 --minimum-risk-after 5
claim "a language model has no other direction" refused 2 'bidirectional: is for translation' \
  xformer-train --task language-model --vocab-size 200 -t train.en -m none "${own[@]}" --log-format none
claim "and nothing was written" test ! -e none
conclude
