#!/usr/bin/env bash
# Several processes with a GPU of software each, whose sums NCCL makes (tests/sim/nccl.cpp), captured in the step's graph.
#   ranks.sh FOLDER_OF_THE_PROGRAMS FOLDER_OF_THOSE_WITH_THE_SOFTWARE_GPU
sim=$2
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/../e2e/support.sh"
command -v mpirun >/dev/null && [ -e "$sim/xformer_mpi.so" ] || { echo "[skipped] no MPI here"; exit 0; }
make_corpus
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 XF_SIM_STREAMS=lazy XF_SIM_DEVICES=4
updates=8
options=(--device cuda --cpu-threads 1 --disp-freq 1u --save-freq 4u --early-stopping 0 --log-format none
  --vocab-size 100 --dim-emb 16 --transformer-dim-ffn 32 --transformer-heads 2 --mini-batch-words 100)
after=${updates}u
alone() { "$sim/xformer-train" "${small[@]}" "${options[@]}" --after $after -t train.en train.de -m "$@"; }
ranks() { # how many, run, option...
  local count=$1
  shift
  mpirun --oversubscribe -n "$count" "$sim/${program:-xformer-train}" "${small[@]}" "${options[@]}" --after $after -t train.en train.de -m "$@"
}
losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -oE '"loss":[0-9.]+' | cut -d: -f2; }
agree() { # tolerance, run, run
  paste <(losses "$2") <(losses "$3") |
    awk -v n="$updates" -v limit="$1" '{ d = $1 - $2; if (d < 0) d = -d; d /= $1; if (d > most) most = d }
      END { printf "        largest difference %.1e\n", most; exit NR != n || most > limit }'
}
same_save() { # run, run
  same_bytes "$1/latest/model.safetensors" "$2/latest/model.safetensors" &&
    same_bytes "$1/latest/optimizer.safetensors" "$2/latest/optimizer.safetensors"
}
same_run() { same_save "$1" "$2" && same_bytes <(comparable_metrics "$1") <(comparable_metrics "$2"); }

for count in 2 4; do
  alone "alone$count" --optimizer-delay $count 2>>log
  claim "$count ranks end with 0" ranks $count "ranks$count" 2>>log
  claim "they have the losses of --optimizer-delay $count within 1e-5" agree 1e-5 "alone$count" "ranks$count"
done
claim "each has a device of its own, said in the table" \
  equal "$(grep -oE '^rank [01]: .*cuda:[0-9], sim' ranks2/train.log | sed 's/: .* · /: /')" "$(printf 'rank 0: cuda:0, sim\nrank 1: cuda:1, sim')"
ranks 2 again2 2>>log
claim "twice: the same bytes" same_run ranks2 again2
ranks 3 pieces3 --shard-optimizer 2>>log
alone alone3 --optimizer-delay 3 2>>log
claim "with a piece of the optimiser's state each, of several sizes, too" agree 1e-5 alone3 pieces3
ranks 2 bf16 --precision bfloat16 2>>log
ranks 2 pieces_bf16 --precision bfloat16 --shard-optimizer 2>>log
claim "in bf16 pieces of moments and masters have the bytes of all of them" same_save bf16 pieces_bf16
program=xformer-train-race after=4u claim "the race check finds nothing between their kernels and NCCL's" \
  ranks 2 race --shard-optimizer --exponential-smoothing 0.1 2>race.log

XF_SIM_DEVICES=1 claim "two ranks that share a device are a usage error" one_error 2 'two ranks have the same device' ranks 2 none
claim "and leave nothing" [ ! -e none ]

# ---- one is lost, while the devices of the others wait for its own
export OMPI_MCA_odls_base_sigkill_timeout=4  # mpirun's second is short for a GPU of software beside other tests
process_of() { # run, rank
  local folder
  for folder in /proc/[0-9]*; do
    { tr '\0' ' ' <"$folder/cmdline" | grep -q "xformer-train .* -m $1 " &&
      tr '\0' '\n' <"$folder/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2"; } 2>/dev/null && echo "${folder#/proc/}"
  done
}
lose() { # signal, run, words
  after=400u ranks 2 "$2" --collective-timeout 3 >"$2.out" 2>&1 &
  local launcher=$!
  while kill -0 $launcher 2>/dev/null && ! grep -q ' up 6/' "$2/train.log" 2>/dev/null; do sleep 0.05; done
  kill "-$1" "$(process_of "$2" 1)"
  wait $launcher
  local code=$?
  claim "SIG$1 to rank 1: all end, and not with 0" test $code -ne 0
  claim "in one line that names it and the checkpoint" \
    grep -qE "^error: rank 1 \(.*\) $3; the same command resumes from $2/checkpoints/update-000[0-9]+" "$2.out"
  claim "and no other" equal "$(grep -c '^error: ' "$2.out")" 1
}
lose KILL killed 'has ended'
lose STOP paused 'has not answered for 3 s \(--collective-timeout\)'
kill -KILL "$(process_of paused 1)" 2>/dev/null
conclude
