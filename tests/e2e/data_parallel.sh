#!/usr/bin/env bash
# Several processes that mpirun starts train as one with so many times --optimizer-delay; and whatever happens to one of them
# ends all, in a line, with nothing lost.
#   data_parallel.sh FOLDER_OF_THE_PROGRAMS     XF_UPDATES=N for other than short runs
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
command -v mpirun >/dev/null && [ -e "$programs/xformer_mpi.so" ] || { echo "[skipped] no MPI here"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make_corpus
updates=${XF_UPDATES:-24}

ranks() { # how many, run, option...
  local count=$1 run=$2
  shift 2
  mpirun --oversubscribe -n "$count" xformer-train "${small[@]}" -t train.en train.de -m "$run" --cpu-threads 1 "$@"
}
alone() { train "$@" --cpu-threads 1; }
losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -oE '"loss":[0-9.]+' | cut -d: -f2; }
scores() { grep '"event":"valid"' "$1/metrics.jsonl" | grep -oE '"metric":.*"score":[-+.0-9e]+' | sed -E 's/(\.[0-9]{4})[0-9]*/\1/'; }
same_losses() { # run, run: within 1e-5, and as many as updates
  paste <(losses "$1") <(losses "$2") |
    awk -v n="$updates" '{ d = $1 - $2; if (d < 0) d = -d; d /= $1; if (d > most) most = d }
      END { printf "        largest difference %.1e\n", most; exit NR != n || most > 1e-5 }'
}

# ---- the same losses, the same scores, the same bits. Epochs of this corpus have 49 batches: no multiple of 2 or 4.
options=(--after "${updates}u" --disp-freq 1u --save-freq 8u --valid-freq 8u --early-stopping 0 --valid-sets valid.en valid.de
  --valid-metrics bleu chrf ce-mean-words --log-format none)
for count in 1 2 4; do
  alone "alone$count" "${options[@]}" --optimizer-delay $count 2>>log
  claim "as many ranks as $count end with 0" ranks $count "ranks$count" "${options[@]}" 2>>log
  claim "they have the losses of --optimizer-delay $count within 1e-5" same_losses "alone$count" "ranks$count"
  claim "and the scores of their validations" equal "$(scores "ranks$count")" "$(scores "alone$count")"
done
claim "an epoch ended within an update" test "$(grep -c '"event":"epoch"' ranks4/metrics.jsonl)" -ge 1
claim "one rank is as without mpirun, byte by byte" same_run alone1 ranks1
ranks 4 again4 "${options[@]}" 2>>log
claim "4 ranks twice: the same bytes" same_run ranks4 again4
claim "the log has a table of ranks" grep -qE '^ranks 0 to 3, each: .* · 1 thread$' ranks4/train.log
claim "the vocabulary is that of one process" same_bytes ranks4/vocab.spm alone4/vocab.spm
claim "one line an update" equal "$(grep -c '^ep ' ranks4/train.log)" "$updates"

# Every choice that an update has.
others=("${options[@]}" --optimizer-delay 2 --r-drop 1 --exponential-smoothing 0.01 --bpe-dropout 0.1 --maxi-batch 4
  --bidirectional 1 --dropout-src 0.1 --dropout-trg 0.1)
alone alone_others "${others[@]}" --optimizer-delay 4 2>>log
ranks 2 ranks_others "${others[@]}" 2>>log
claim "with --optimizer-delay 2, R-Drop, smoothing, dropped merges and words, and both directions 2 ranks are as 4 batches" same_losses alone_others ranks_others
alone alone_muon "${options[@]}" --optimizer-delay 2 --optimizer muon 2>>log
ranks 2 ranks_muon "${options[@]}" --optimizer muon 2>>log
claim "with Muon, too" same_losses alone_muon ranks_muon
ranks 2 sharded "${options[@]}" --shard-optimizer 2>>log
claim "with --shard-optimizer, too" same_losses alone2 sharded
claim "whose checkpoint is as large as any" equal \
  "$(wc -c <sharded/latest/optimizer.safetensors)" "$(wc -c <ranks2/latest/optimizer.safetensors)"

# A sum in another order moves a master by its last bits; where that crosses the middle of two bf16 numbers, a weight differs by
# 2^-8 of itself. bf16's losses are f32's within 2 % (tests/sim/programs.sh); these must be nearer by far.
bf16=("${options[@]}" --precision bfloat16)
near() { # run, run
  paste <(losses "$1") <(losses "$2") |
    awk -v n="$updates" '{ d = $1 - $2; if (d < 0) d = -d; d /= $1; if (d > most) most = d }
      END { printf "        largest difference %.1e\n", most; exit NR != n || most > 1e-3 }'
}
alone alone_bf16 "${bf16[@]}" --optimizer-delay 2 2>>log
ranks 2 ranks_bf16 "${bf16[@]}" 2>>log
claim "in bf16 2 ranks have the losses of --optimizer-delay 2 within 0.1 %" near alone_bf16 ranks_bf16
ranks 2 again_bf16 "${bf16[@]}" 2>>log
claim "twice: the same bytes" same_run ranks_bf16 again_bf16
ranks 2 sharded_bf16 "${bf16[@]}" --shard-optimizer 2>>log
# Of the gradient's norm, which is added piece by piece, the last bits may differ, and are in the metrics.
claim "and with a piece of masters and moments each, too" same_save ranks_bf16 sharded_bf16
bf16+=(--exponential-smoothing 0.1)
ranks 2 whole_mean "${bf16[@]}" 2>>log
ranks 2 pieces_of_mean "${bf16[@]}" --after 8u --shard-optimizer 2>>log
ranks 2 pieces_of_mean "${bf16[@]}" --after 16u 2>>log
ranks 2 pieces_of_mean "${bf16[@]}" --shard-optimizer 2>>log
claim "and of a smoothed mean, saved whole: it goes on without pieces, and again with them" same_save whole_mean pieces_of_mean

# ---- a checkpoint knows nothing of the number of ranks
part() { # ranks, update, option...
  local count=$1 after=$2
  shift 2
  ranks "$count" parts "${options[@]}" --after "${after}u" --optimizer-delay $((4 / count)) "$@" 2>>log
}
part 4 8 && part 2 16 --shard-optimizer && part 1 "$updates"
claim "4 ranks, then 2, then 1, at the same batches: the losses of one" same_losses alone4 parts

# ---- usage
claim "a mistake is told once: 2" one_error 2 "unknown option '--bla'" ranks 3 none --bla
claim "a file that is missing, too: 3" one_error 3 'train.fr: cannot open' \
  mpirun --oversubscribe -n 3 xformer-train --task demo -t train.en train.fr -m none
claim "and that Muon cannot be split: 2" one_error 2 'shard-optimizer: muon needs whole matrices' \
  ranks 2 none --shard-optimizer --optimizer muon
mkdir without && cp "$(command -v xformer-train)" without/
claim "without the module one line says that there is no MPI: 2" one_error 2 'started as 2 processes, and this build has no MPI' \
  mpirun --oversubscribe -n 2 without/xformer-train --help
claim "and one process needs none" without/xformer-train --version
# What srun sets without --mpi, and with one that this MPI does not speak, as Open MPI 5 and --mpi=pmi2.
claim "processes that do not know each other are told so: 2" one_error 2 'srun started 2 processes without MPI' \
  env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 xformer-train --version
claim "and those that MPI has not found: 2" one_error 2 '2 processes were started, but MPI does not find them' \
  env PMI_SIZE=2 PMI_RANK=0 xformer-train --version

# ---- faults. Each ends all ranks; then the same command ends in the bytes of a run that nothing happened to.
long=(--after 90u --disp-freq 1u --save-freq 10u --early-stopping 0 --collective-timeout 3)
ranks 2 undisturbed "${long[@]}" --log-format none 2>>log
process_of() { # run, rank
  local folder
  for folder in /proc/[0-9]*; do
    { tr '\0' ' ' <"$folder/cmdline" | grep -q "^xformer-train .* -m $1 " &&
      tr '\0' '\n' <"$folder/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$2"; } 2>/dev/null && echo "${folder#/proc/}"
  done
}
begin() { # run, option...: in the background; returns at update 15 or so
  ranks 2 "$@" "${long[@]}" >"$1.out" 2>&1 &
  launcher=$!
  while kill -0 $launcher 2>/dev/null && ! grep -q ' up 15/' "$1/train.log" 2>/dev/null; do sleep 0.02; done
}
ended() { # sets `code`
  wait $launcher
  code=$?
}
nobody_left() { [ -z "$(process_of "$1" 0)$(process_of "$1" 1)" ]; }
goes_on() { # run
  claim "$1: no process is left" nobody_left "$1"
  ranks 2 "$1" "${long[@]}" --log-format none 2>>log
  claim "$1: the same command ends in the bytes of an undisturbed run" same_run undisturbed "$1"
  claim "$1: nothing is left half-written" equal "$(compgen -G "$1/checkpoints/*.tmp")" ""
}
says() { # run, words
  grep -qE "^error: $2" "$1.out" && [ "$(grep -c '^error: ' "$1.out")" = 1 ] && return
  sed 's/^/        /' "$1.out"
  return 1
}
saved_once() { [ "$(grep -c '^saved at update .*; the same command resumes from here' "$1/train.log")" = 1 ]; }

for rank in 0 1; do
  begin "asked$rank"
  kill -TERM "$(process_of "asked$rank" $rank)"
  ended
  claim "SIGTERM to rank $rank: 143" equal $code 143
  claim "asked$rank: saved, once" saved_once "asked$rank"
  goes_on "asked$rank"
done

# Which kills a second after it has handed the signal on, saved or not, and not before some updates more.
begin launcher
kill -TERM "$(pgrep -P $launcher mpirun || echo $launcher)"
ended
claim "SIGTERM to mpirun ends it, with a code of its own" test $code -ne 0
goes_on launcher

# begin_and SIGNAL RUN RANK WORDS: one rank gets the signal; all end, with one line.
begin_and() {
  begin "$2"
  kill "-$1" "$(process_of "$2" "$3")"
  ended
  claim "SIG$1 to rank $3: not 0" test $code -ne 0
  claim "in one line that names it and the checkpoint" \
    says "$2" "rank $3 \(.*\) $4; the same command resumes from $2/checkpoints/update-000[0-9]+0"
  goes_on "$2"
}
for rank in 0 1; do begin_and KILL "killed$rank" $rank 'has ended'; done
for rank in 0 1; do
  begin_and STOP "paused$rank" $rank 'has not answered for 3 s \(--collective-timeout\)'
done

claim "weights that explode end all: 4, in one line" one_error 4 \
  'training diverged at update [0-9]+: 21 updates in a row without a finite gradient; not finite: .*, of rank 0' \
  ranks 2 exploded --after 200u --learn-rate 1e30 --lr-warmup 0u --log-format none

# A small file system of its own for rank 0 to fill.
mkdir disk
if mount -t tmpfs -o size=1m none disk 2>/dev/null; then
  claim "a disk that is full ends all: 5, in one line" one_error 5 'No space left' ranks 2 disk/full "${long[@]}" --log-format none
  cp -a disk/full full_disk
  umount disk
  goes_on full_disk
else
  echo "        not tried, for want of a mount: a disk that is full"
fi
conclude
