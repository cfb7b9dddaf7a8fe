#!/usr/bin/env bash
# Processes that mpirun starts with different options, texts or checkpoints train nothing: all end, with one line that names the
# difference and the rank. Every option: tests/tools/equal_ranks_test.cpp.
#   unequal_ranks.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
command -v mpirun >/dev/null && [ -e "$programs/xformer_mpi.so" ] || { echo "[skipped] no MPI here"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make_corpus
usual=("${small[@]}" --cpu-threads 1 --after 4u --save-freq 2u --early-stopping 0 --log-format none)
pair=(-t train.en train.de)

# A rank whose exit code stays; mpirun looks at the first that is not 0 alone.
cat >rank <<'END'
#!/bin/sh
"$@"
code=$?
echo $code >code.$OMPI_COMM_WORLD_RANK
exit $code
END
chmod +x rank
# Words in front of : are rank 0's alone, those behind it rank 1's; in front of -- are those of both.
ranks() {
  local both=() first=() other=() to=both
  for word; do
    case $word in
      --) to=first ;;
      :) to=other ;;
      *) case $to in both) both+=("$word") ;; first) first+=("$word") ;; other) other+=("$word") ;; esac ;;
    esac
  done
  rm -f code.0 code.1
  timeout 60 mpirun --oversubscribe -n 1 ./rank xformer-train "${both[@]}" "${first[@]}" : \
    -n 1 ./rank xformer-train "${both[@]}" "${other[@]}" </dev/null
}
# unequal CODE WORDS OPTION... -- OPTION... : OPTION...
unequal() {
  local code=$1 words=$2
  shift 2
  one_error "$code" "$words" ranks -m run "$@" || return
  equal "$(cat code.0) $(cat code.1)" "$code $code" || return
  [ ! -e run ] || { echo "        there is a run folder"; rm -r run; return 1; }
}

# ---- options
while IFS='|' read -r first other words; do
  # shellcheck disable=SC2086  # several words
  claim "rank 0 with '$first', rank 1 with '$other': 2" \
    unequal 2 "rank 1 \(.*\) trains $words; give all ranks the same options" "${usual[@]}" "${pair[@]}" -- $first : $other
done <<'END'
--learn-rate 0.001|--learn-rate 0.002|with --learn-rate 0.002, rank 0 \(.*\) with --learn-rate 0.001
--seed 2||with --seed 1, rank 0 \(.*\) with --seed 2
|--dropout-src 0.1|with --dropout-src 0.1, rank 0 \(.*\) with --dropout-src 0
|--optimizer-delay 2|with --optimizer-delay 2, .*
|--task transformer-tiny|with --task transformer-tiny, rank 0 \(.*\) with --task demo, and [0-9]+ more options differ
|--precision bfloat16|with --precision bfloat16, .*
--bf16||with --precision float32, rank 0 \(.*\) with --precision bfloat16
|--after 6u|with --after 4u 6u, rank 0 \(.*\) with --after 4u
|--dim-emb 64|with --dim-emb 64, .*
|--valid-sets valid.en valid.de|with --valid-sets \(2 names\), rank 0 \(.*\) without --valid-sets
|--shard-optimizer|with --shard-optimizer=true, .*
|--optimizer sgd|with --optimizer sgd, rank 0 \(.*\) with --optimizer adam, and 1 more option differs
|--print-model|with --print-model=true, .*
|--cache prepared|with --cache \(1 name\), .*
END
echo 'label-smoothing = 0.3' >other.toml
claim "an option in a file of one rank: 2" unequal 2 'rank 1 .* trains with --label-smoothing 0.3, ' "${usual[@]}" "${pair[@]}" -- : -c other.toml
# Equal at first: a task's value is fitted to the text, a given one is not.
claim "a value that rank 1 alone was given, as the task has it: 2" \
  unequal 2 'rank 1 .* trains with --mini-batch-words 4096, ' --task transformer-tiny --after 2u "${pair[@]}" -- : --mini-batch-words 4096
claim "a page of rank 0: 2" one_error 2 'rank 1 .* runs as its options say, rank 0 .* only prints a page' \
  ranks -m run "${usual[@]}" "${pair[@]}" -- --dump-config :
claim "a page of rank 1: 2" unequal 2 'rank 1 .* only prints a page, ' "${usual[@]}" "${pair[@]}" -- : --help
claim "a page of both: 0" ranks --version -- : >out 2>&1
claim "which one of them prints" equal "$(grep -c '^xformer-train ' out)" 1
claim "a mistake of rank 1 alone: 2" unequal 2 "rank 1 .*: unknown option '--bla'" "${usual[@]}" "${pair[@]}" -- : --bla
claim "another program as rank 1: 2" one_error 2 'started as 2 processes, each of which would do all of the work' \
  timeout 60 mpirun --oversubscribe -n 1 xformer-train "${usual[@]}" "${pair[@]}" -m run : -n 1 xformer-vocab stats train.en

# ---- the machine
other_level() { OMPI_COMM_WORLD_RANK='' XFORMER_CPU_LEVEL=avx2 xformer-train --build-info 2>/dev/null | grep -q '^kernels *avx2 (.*avx512)'; }
if other_level; then
  cat >older <<'END'
#!/bin/sh
XFORMER_CPU_LEVEL=avx2 exec "$@"
END
  chmod +x older
  mixed() { timeout 60 mpirun --oversubscribe -n 1 xformer-train "$@" : -n 1 ./older xformer-train "$@"; }
  claim "kernels of other instructions on rank 1: 2" \
    one_error 2 'rank 1 .* computes with avx2 kernels, rank 0 .* with avx512 kernels; give all ranks the same XFORMER_CPU_LEVEL, or --shard-optimizer' \
    mixed "${usual[@]}" "${pair[@]}" -m run
  claim "which --shard-optimizer allows" mixed "${usual[@]}" "${pair[@]}" -m mixed --shard-optimizer 2>>log
fi

# ---- what is read
claim "a text that rank 1 lacks: 3" unequal 3 'rank 1 .*: .*none.de: cannot open' "${usual[@]}" -- "${pair[@]}" : -t train.en none.de
sed '300s/.$/!/' train.de >other.de
claim "another text: 3" unequal 3 'train-sets: the text of rank 1 .* differs from that of rank 0 ' \
  "${usual[@]}" -- "${pair[@]}" : -t train.en other.de
head -n 39 valid.en >fewer.en
head -n 39 valid.de >fewer.de
claim "another validation text: 3" unequal 3 'valid-sets: the text of rank 1 ' "${usual[@]}" "${pair[@]}" -- \
  --valid-sets valid.en valid.de : --valid-sets fewer.en fewer.de
claim "another text to test on: 3" unequal 3 'test-sets: text 1 of rank 1 ' "${usual[@]}" "${pair[@]}" -- \
  --test-sets valid.en valid.de : --test-sets fewer.en fewer.de
for size in 100 150; do xformer-vocab train train.en train.de --vocab-size $size -o $size.spm 2>>log; done
claim "another vocabulary: 3" unequal 3 'vocabs: rank 1 .* has another file than rank 0 ' "${usual[@]}" "${pair[@]}" -- \
  -v 100.spm : -v 150.spm

# ---- what is gone on with
train a "${usual[@]}" 2>>log
train b "${usual[@]}" --seed 2 2>>log
claim "other pretrained weights: 3" unequal 3 'pretrained-model: rank 1 .* has another model than rank 0 ' \
  "${usual[@]}" "${pair[@]}" -v a/vocab.spm -- --pretrained-model a/latest : --pretrained-model b/latest
claim "another checkpoint to resume: 3" unequal 3 'a/latest: rank 1 .* has another checkpoint of update 4 than rank 0 ' \
  "${usual[@]}" "${pair[@]}" --after 6u --seed 1 -- --resume a : --resume b
claim "an older one: 3" unequal 3 'a/latest: rank 1 .* has the checkpoint of update 2, rank 0 .* that of update 4; give all ranks the same' \
  "${usual[@]}" "${pair[@]}" --after 6u -- --resume a : --resume a/checkpoints/update-000002
cp -r a older_copy && rm older_copy/latest && ln -s checkpoints/update-000002 older_copy/latest
again() { ranks "${usual[@]}" "${pair[@]}" --after 6u -- -m a : -m "$1"; }
claim "a copy of the run that is older: 3" one_error 3 'rank 1 .* has the checkpoint of update 2, rank 0 .* that of update 4' again older_copy
claim "no copy at all: 3" one_error 3 'rank 1 .*: .*latest' again nowhere
claim "and the run is as it was" equal "$(readlink a/latest)" checkpoints/update-000004

# ---- what may differ
cp train.en copy.en && gzip -c train.de >copy.de.gz && cp valid.en held.en && cp valid.de held.de && mkdir elsewhere
claim "other names for the same text, another run folder, display, threads and memory are each rank's own" \
  ranks "${usual[@]}" -- "${pair[@]}" -m own --valid-sets valid.en valid.de : -t copy.en copy.de.gz -m elsewhere/own \
  --valid-sets held.en held.de --log-format json --disp-freq 1u -q --log other.log --workspace 1000 --report=false --gradient-checkpointing --device cpu 2>>log
timeout 60 mpirun --oversubscribe -n 2 xformer-train "${usual[@]}" "${pair[@]}" -m alike --valid-sets valid.en valid.de 2>>log
claim "and the run has the bytes of one that has none of that" same_save own alike
claim "rank 1 writes nothing" equal "$(ls -d elsewhere/* other.log 2>/dev/null)" ""
cp -r own elsewhere/own
claim "a copy of the run folder is gone on with" ranks "${usual[@]}" "${pair[@]}" --after 6u -- -m own : -m elsewhere/own 2>>log
conclude
