#!/usr/bin/env bash
# What a run has written stays: mistakes, signals, full disks, changed files and second trainers cost nothing.
#   nothing_lost.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
set -m # a background job keeps its SIGINT
make_corpus
valid=(--valid-sets valid.en valid.de)
steps=(--save-freq 4u --valid-freq 4u --disp-freq 1u --early-stopping 0)

# exits CODE COMMAND...: and what it said is in `out`.
exits() {
  local wanted=$1 code
  shift
  "$@" >out 2>&1
  code=$?
  [ "$code" = "$wanted" ] && return
  echo "        exit code $code, not $wanted:"
  sed 's/^/        /' out
  return 1
}
says() { grep -qE "$1" out || { sed 's/^/        /' out; return 1; }; }
every_file() { # run: path and checksum of each file
  (cd "$1" && find . ! -name lock \( -type f -exec cksum {} + -o -type l -exec readlink {} + \) | sort)
}
unchanged() { # run, what every_file said before
  diff <(every_file "$1") "$2" | sed 's/^/        /'
  diff -q <(every_file "$1") "$2" >/dev/null
}
in_background() { # run options...; sets `trainer`
  exec_train "$@" "${steps[@]}" --log-format none >/dev/null 2>err &
  trainer=$!
}
wait_for() { # pattern, file
  for _ in $(seq 2000); do
    grep -qE "$1" "$2" 2>/dev/null && return
    sleep 0.01
  done
  echo "        '$1' never came in $2"
  return 1
}
ended_with() { # code
  wait "$trainer" 2>/dev/null
  equal $? "$1"
}

train done_run --after 12u "${steps[@]}" "${valid[@]}" --quiet || exit 1
train shorter --after 12u "${steps[@]}" --quiet || exit 1
train longer --after 24u "${steps[@]}" --quiet || exit 1
every_file done_run >done_run.files

# ---- --overwrite deletes last
again() { train done_run --after 12u "${steps[@]}" --overwrite "$@"; }
claim "--overwrite with a mistyped validation file: 3" exits 3 again --valid-sets valid.en missing.de
claim "--overwrite with a mistyped training file: 3" \
  exits 3 xformer-train "${small[@]}" -t train.en missing.de -m done_run --after 12u --overwrite
claim "--overwrite with a frequency in hours: 2" exits 2 train done_run --after 12u --overwrite --valid-freq 1h
claim "--overwrite with batches that hold no sentence: 3" exits 3 again --mini-batch-words 20
claim "--overwrite with a missing vocabulary: 3" exits 3 again -v missing.spm
claim "--overwrite with a checkpoint that would go: 2" exits 2 again --resume done_run/latest
claim "the run has all it had" unchanged done_run done_run.files
cp -a done_run other_disk && ln -s other_disk moved
for checkpoint in moved/latest moved/checkpoints/update-000012 other_disk/checkpoints/update-000012; do
  claim "--overwrite with $checkpoint, which would go through a link: 2" \
    exits 2 train moved --after 12u "${steps[@]}" --overwrite --resume $checkpoint
done
claim "a run goes on from a checkpoint of its own behind a link" \
  exits 0 train moved --after 16u "${steps[@]}" --resume moved/latest
mkdir -p project/checkpoints && echo mine | tee project/checkpoints/weights.pt >project/best
claim "--overwrite in a folder of other things" exits 0 train project --after 4u --overwrite
claim "leaves theirs alone" equal "$(cat project/checkpoints/weights.pt)" mine
claim "and begins anew once more" exits 0 train project --after 4u --overwrite
for file in vocab.txt train.log training.toml; do
  mkdir notes && echo mine >notes/$file
  claim "--overwrite where it would replace a $file of theirs: 2" \
    refused 2 "notes/$file belongs to no run, and --overwrite would replace it" train notes --after 4u --overwrite
  claim "which stays" equal "$(cat notes/*)" mine
  rm -r notes
done

in_background working --after 400u
wait_for '"update":8,' working/metrics.jsonl
claim "--overwrite while a trainer works there: 2" exits 2 train working --after 400u --overwrite
claim "and it is named" says "another trainer \(pid $trainer"
kill -TERM "$trainer"
claim "that trainer saves and ends in order" ended_with 143
claim "all of it is there" grep -q '"update":8,' working/metrics.jsonl

# ---- the end of a run
claim "the same command on a finished run: 0" exits 0 train done_run --after 12u "${steps[@]}" "${valid[@]}"
claim "which says so" says 'is finished'
claim "a finished run changes nothing" unchanged done_run done_run.files
truncate -s -100 done_run/averaged/model.safetensors
claim "a damaged average is made again" exits 0 train done_run --after 12u "${steps[@]}" "${valid[@]}"
claim "with the same bytes" test "$(cksum <done_run/averaged/model.safetensors)" = \
  "$(grep averaged/model.safetensors done_run.files | cut -d' ' -f1,2)"
claim "train on: 0" exits 0 train done_run --after 16u "${steps[@]}" "${valid[@]}"
claim "the first end stays in the log" equal "$(grep -c 'averaged model, beam 5: BLEU' done_run/train.log)" 2
claim "and in the metrics" equal "$(grep -c '"event":"averaged"' done_run/metrics.jsonl)" 2
claim "the last validation is not made again" \
  equal "$(grep -c '"event":"valid","update":12,.*"bleu"' done_run/metrics.jsonl)" 1

sed -n 1,400p full/valid.en >many.en
sed -n 1,400p full/valid.de >many.de
in_background scored --after 4u --valid-sets many.en many.de --valid-metrics ce-mean-words --beam-size 30
wait_for 'done after' scored/train.log
kill -TERM "$trainer"
claim "SIGTERM while the averaged model is scored: 143" ended_with 143
claim "the same command" exits 0 train scored --after 4u "${steps[@]}" --valid-sets many.en many.de \
  --valid-metrics ce-mean-words --beam-size 30
claim "makes the score" equal "$(grep -c 'averaged model, beam 30: BLEU' scored/train.log)" 1

# ---- a disk that is full: here a file in the place of the checkpoint
train full_disk --after 8u "${steps[@]}" --quiet
echo >full_disk/checkpoints/update-000012
claim "the last save fails: 5" exits 5 train full_disk --after 12u "${steps[@]}"
claim "in a line that names it" says '^error: full_disk/checkpoints/update-000012'
rm full_disk/checkpoints/update-000012
claim "the same command then finishes the work" exits 0 train full_disk --after 12u "${steps[@]}"
claim "as if nothing had been" \
  same_bytes full_disk/checkpoints/update-000012/model.safetensors shorter/latest/model.safetensors
small_files() { (ulimit -f 50 && train "$@"); }
claim "files that may not grow (SIGXFSZ): 5" exits 5 small_files limited --after 12u "${steps[@]}"
claim "in a line that says why" says '^error: .*cannot write: File too large'

# ---- vocabularies
claim "--resume of another run's checkpoint" \
  exits 0 train taken --resume full_disk/latest --after 24u "${steps[@]}"
claim "brings its vocabulary" same_bytes full_disk/vocab.spm taken/vocab.spm
claim "and ends as that run would have" same_bytes longer/latest/model.safetensors taken/latest/model.safetensors
claim "so the model can be used" exits 0 xformer-translate -m taken -i test.en -o taken.de --quiet
claim "with other heads: 2" exits 2 train headed --resume full_disk/latest --after 16u --transformer-heads 2
claim "into a run that is there: 2" exits 2 train taken --resume full_disk/latest --after 24u "${steps[@]}"
cp -r full_disk bare && rm bare/vocab.spm
claim "a vocabulary that is missing" exits 0 train bare --after 16u "${steps[@]}"
claim "is made again" same_bytes full_disk/vocab.spm bare/vocab.spm

tac train.en >backwards.en
xformer-vocab train -i backwards.en valid.de -m other.spm --vocab-size 200 --quiet
cp -r full_disk swapped && cp other.spm swapped/vocab.spm
claim "another vocabulary: no translation, 3" exits 3 xformer-translate -m swapped -i test.en
claim "and it is said" says 'another vocabulary'
claim "nor training, 3" exits 3 train swapped --after 16u "${steps[@]}"
claim "-v with another vocabulary than the run's: 2" exits 2 train full_disk --after 16u "${steps[@]}" -v other.spm
flip() { # file, bit
  local bit=$(($2 * 7919 % (8 * $(stat -c %s "$1")))) byte
  byte=$(od -An -tu1 -j $((bit / 8)) -N 1 "$1")
  # shellcheck disable=SC2059  # the byte is an escape of the format
  printf "\\x$(printf %02x $((byte ^ 1 << bit % 8)))" |
    dd of="$1" bs=1 seek=$((bit / 8)) conv=notrunc status=none
}
unnoticed=0
for bit in $(seq 40); do
  cp full_disk/vocab.spm swapped/vocab.spm && flip swapped/vocab.spm "$bit"
  xformer-translate -m swapped -i test.en -o swapped.de --quiet 2>/dev/null
  [ $? = 3 ] || unnoticed=$((unnoticed + 1))
done
claim "a flipped bit of the vocabulary is noticed, 40 times" equal $unnoticed 0

# ---- the same run in other words
mkdir elsewhere && cp train.en train.de elsewhere
claim "the same text under another path" exits 0 \
  xformer-train "${small[@]}" -t elsewhere/train.en elsewhere/train.de -m full_disk --after 16u "${steps[@]}"
claim "goes on" says 'resumed from update 12'
claim "-m alone" exits 0 xformer-train -m full_disk --after 20u
claim "goes on with all that the run was begun with" says 'resumed from update 16'
claim "and has the bytes of one run" \
  same_bytes full_disk/latest/model.safetensors longer/checkpoints/update-000020/model.safetensors
sed -i 's/^learn-rate = .*/learn-rate = 0.1/' full_disk/training.toml
claim "-m alone after an edit of what cannot change: 2" exits 2 xformer-train -m full_disk --after 24u
claim "which is named" says 'learn-rate was 0.003 and is 0.1'
claim "-m alone of no run: 2" exits 2 xformer-train -m none
claim "-m alone with another value: 2" exits 2 xformer-train -m longer --learn-rate 0.1

# ---- places
cp -r full_disk model_only && rm -r model_only/checkpoints
every_file model_only >model_only.files
claim "a model without checkpoints is not begun anew: 2" exits 2 train model_only --after 4u "${steps[@]}"
claim "and stays" unchanged model_only model_only.files
mkdir configured && echo '# mine' >configured/config.toml
claim "nor is a folder with only a config file: 2" exits 2 train configured --after 4u -c configured/config.toml
claim "which stays" equal "$(cat configured/config.toml)" '# mine'
mkdir real && ln -s real link
claim "a link to a folder" exits 0 train link --after 4u "${steps[@]}"
claim "is followed" test -e real/averaged/model.safetensors -a -L link
name=$(printf 'gr\xfcn.en')
cp train.en "$name"
claim "a name that is not UTF-8: 2" exits 2 xformer-train "${small[@]}" -t "$name" train.de -m named --after 4u
claim "before anything is written" test ! -e named

exec_train both --after 12u "${steps[@]}" --quiet 2>first.err &
first=$!
exec_train both --after 12u "${steps[@]}" --quiet 2>second.err &
second=$!
wait $first
first=$?
wait $second
second=$?
claim "of two trainers that start together one is refused ($first, $second)" \
  grep -qx '02\|20' <<<"$first$second"
claim "and the other is not disturbed" \
  same_bytes both/latest/model.safetensors shorter/latest/model.safetensors

# ---- signals
stopped_by() { # signal, code, times
  rm -rf signalled
  in_background signalled --after 4000u
  wait_for '"update":5,' signalled/metrics.jsonl
  for _ in $(seq "${3:-1}"); do kill "-$1" "$trainer"; done
  ended_with "$2" && test -e signalled/checkpoints/interrupted/state.json
}
claim "SIGHUP saves and ends with 129" stopped_by HUP 129
claim "so do two, as a shell and a terminal send them" stopped_by HUP 129 2
claim "SIGXCPU saves and ends with 152" stopped_by XCPU 152 2
exec_train asked --after 40000u --save-freq 40000u --disp-freq 1u --log-format none >/dev/null 2>err &
trainer=$!
wait_for '"update":5,' asked/metrics.jsonl
kill -USR1 "$trainer"
claim "SIGUSR1 saves" wait_for '^saved at update [0-9]+; the same command resumes from here' asked/train.log
saved=$(grep -o '^saved at update [0-9]*' asked/train.log | grep -o '[0-9]*$')
claim "and training goes on" wait_for "\"update\":$((saved + 20))," asked/metrics.jsonl
kill -KILL "$trainer"
ended_with 137
claim "from that save the run goes on after a kill" exits 0 \
  train asked --after $((saved + 4))u --save-freq 40000u --disp-freq 1u
claim "and says so" says "resumed from update $saved"

in_background impatient --after 40000u
wait_for '"update":9,' impatient/metrics.jsonl
kill -TERM "$trainer"
kill -TERM "$trainer"
claim "two SIGTERM: 143" ended_with 143
claim "and a whole checkpoint to go on from" exits 0 train impatient --after 12u "${steps[@]}"
trap '' HUP
in_background ignoring --after 400u
trap - HUP
wait_for '"update":5,' ignoring/metrics.jsonl
kill -HUP "$trainer"
sleep 0.2
kill -TERM "$trainer"
claim "under nohup SIGHUP is nothing" ended_with 143

for _ in $(seq 8); do cat full/train.en; done >big.en
for _ in $(seq 8); do cat full/train.de; done >big.de
reads() { readlink "/proc/$trainer/fd"/* 2>/dev/null | grep -q '/big\.'; }
for moment in "read" "learnt from"; do
  xformer-train "${small[@]}" -t big.en big.de -m big --after 4u --quiet 2>err &
  trainer=$!
  while kill -0 "$trainer" 2>/dev/null && ! reads; do :; done
  if [ "$moment" = "learnt from" ]; then
    for _ in 1 2 3; do while reads; do sleep 0.01; done; done  # between the two files none is open
  fi
  kill -TERM "$trainer"
  claim "SIGTERM while text is $moment ends with 143" ended_with 143
  claim "before anything is written" test ! -e big
done

# ---- files that are not what they should be
{ yes x | head -n 10000 | tr '\n' ' '; echo; } >words
{ sed -n 1,6p valid.en; cat words; sed -n 8,40p valid.en; } >long.en
claim "a validation line that is too long: 3" \
  exits 3 train long --after 4u "${steps[@]}" --valid-sets long.en valid.de
claim "is named before training" says '^error: long.en:7: [0-9]+ tokens'
claim "and nothing is written" test ! -e long
deep() { # opening, closing
  yes "$1" | head -n 100000 | tr -d '\n'
  [ -z "$2" ] || yes "$2" | head -n 100000 | tr -d '\n'
}
cp -r full_disk nested
echo "{\"crc64\": \"\", \"content\": $(deep '[' ']')}" >nested/latest/state.json
claim "a deep state.json: 3" exits 3 xformer-translate -m nested/latest -i test.en
cp full_disk/latest/state.json nested/latest/state.json
echo "a$(deep '.a' '') = 1" >deep.toml
claim "a deep config file: 2" exits 2 train deep --after 4u -c deep.toml
conclude
