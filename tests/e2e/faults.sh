#!/usr/bin/env bash
# Faults that are made to happen: a disk that is full at each place of a save, weights that explode, a loss that runs away,
# memory that does not suffice. Nothing is lost, one line says what to do, and the run ends where an undisturbed one does.
#   faults.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
quiet=(--log-format none)

exits() { # code, command...: and what it said is in `out`
  local wanted=$1
  shift
  "$@" >out 2>&1
  local code=$?
  [ "$code" = "$wanted" ] || { echo "        exit code $code, not $wanted:"; tail -n 3 out | sed 's/^/        /'; return 1; }
}
says() { grep -qE "$1" out; }

# ---- gradients that are not finite
claim "a learning rate of 1e30 ends in 4" exits 4 train exploded --after 200u --learn-rate 1e30 --lr-warmup 0u "${quiet[@]}"
claim "in a line that says when, how often and where" \
  says '^error: training diverged at update [0-9]+: 21 updates in a row without a finite gradient; not finite: '
claim "and what to do" says 'lower learn-rate, set clip-norm 1, or let --rollback do it'
claim "each skipped update was counted" equal "$(grep -c 'the gradient is not finite; skipped' out)" 21
claim "the weights as they were are in crash" test -s exploded/crash/model.safetensors
claim "which no run goes on from" test ! -e exploded/checkpoints/update-000022
claim "and which can be looked at" exits 4 xformer-translate -m exploded/crash -i test.en --quiet

# ---- a loss that runs away
steady=(--after 400u --save-freq 20u --lr-warmup 0u --lr-schedule constant "${quiet[@]}")
train steady --after 200u --save-freq 20u --lr-warmup 0u --lr-schedule constant "${quiet[@]}" 2>/dev/null
# How soon a loss leaves its course is a matter of chance; at this rate it is a matter of three updates.
thrown() { # run, option...: goes on from update 200 of `steady` with three hundred times its learning rate
  local run=$1
  shift
  xformer-train "${small[@]}" -t train.en train.de -m "$run" --resume steady/latest "${steady[@]}" --learn-rate 1 "$@"
}
claim "three hundred times the learning rate is warned about" exits 0 thrown warned
claim "with the loss of now and before" says 'warning: update [0-9]+: the loss diverges: [0-9.]+ lately, [0-9.]+ before'
claim "--throw-on-divergence ends it: 4" exits 4 thrown stopped --throw-on-divergence
claim "with a line" says '^error: training diverged at update [0-9]+: the loss diverges'
# Whether a thirty-second part of that rate is small enough is again a matter of chance.
thrown back --rollback --after 240u --save-freq 1u --valid-sets valid.en valid.de --valid-freq 1u >out 2>&1
code=$?
claim "--rollback goes back to a save of before, with half the rate" \
  says 'back to update 20[0-9], the learning rate times 0.5$'
claim "and ends in 0, or in 4 after five times" \
  grep -qx "$code $(grep -c 'back to update' out)" <<<$'4 5\n0 1\n0 2\n0 3\n0 4\n0 5'
claim "valid.tsv has each update once" sort -c -u -n <(cut -f 1 back/valid.tsv | grep -v update)
claim "and both at once are refused: 2" exits 2 thrown both --rollback --throw-on-divergence

# ---- memory
large=(--after 10u --disp-freq 1u --mini-batch-words 2000 "${quiet[@]}")
claim "with little memory batches are computed in parts" exits 0 train parts "${large[@]}" --workspace 3
train whole "${large[@]}" 2>/dev/null
losses() { grep '"event":"train"' "$1/metrics.jsonl" | grep -oE '"loss":[0-9.]+' | cut -d: -f2; }
claim "with the losses of whole ones within 1e-4" \
  sh -c 'paste "$1" "$2" | awk "{ d = \$1 - \$2; if (d < 0) d = -d; if (d > 1e-4 * \$2) bad = 1 } END { exit bad || NR != 10 }"' - \
  <(losses parts) <(losses whole)
claim "which need more" grep -q '9 MB activations of 2,000 target tokens' whole/train.log
claim "and the plan says how large a part is" grep -q '2 MB activations of 500 target tokens' parts/train.log
claim "a log that cannot be written does not end the training" exits 0 \
  train logless --after 8u --log /dev/full "${quiet[@]}"
claim "and is said once" equal "$(grep -c '^warning: /dev/full: cannot be written: No space left on device; training goes on without it' out)" 1
claim "a plan over the memory that is free is warned about" exits 0 \
  train vast "${quiet[@]}" --after 1u --mini-batch-words 30000000
claim "with what it needs, what there is, and what needs less" \
  says 'warning: up to [0-9]+ MB will be needed and [0-9]+ MB are free; --workspace MB, a smaller --mini-batch-words'
claim "--mini-batch-fit makes batches that fill it" exits 0 train fitted "${large[@]}" --workspace 3 --mini-batch-fit
fitted=$(grep -oE 'MB activations of [0-9,]+' fitted/train.log | tr -dc 0-9)
claim "with more than the parts had ($fitted target tokens), and fewer than did not fit" \
  test "$fitted" -ge 500 -a "$fitted" -lt 2000
claim "without a workspace it is refused: 2" exits 2 train none "${large[@]}" --mini-batch-fit
claim "so it is for a model with quirks, whose memory is not planned: 2" exits 2 \
  xformer-train --task tutorials/translator -t train.en train.de -m none --workspace 3 --mini-batch-fit --mini-batch 0 --tokenizer icu
claim "in a line that says so" says '^error: mini-batch-fit: the memory of a model with quirks is not planned'
claim "a sentence that does not fit at all is refused: 2" exits 2 \
  train none "${large[@]}" --workspace 1 --max-length 2000 --transformer-train-positions
claim "with what it needs" says 'workspace: one sentence of max-length needs [0-9]+ MB'

# ---- a disk that is full, at each 4 KB of a save
# A small file system that nobody else sees. In a root of its own that is no mount (chroot) the first way is refused; the last
# is for who is not root.
isolated() {
  local way
  for way in "" "--propagation unchanged" "--user --map-root-user"; do
    # shellcheck disable=SC2086  # words
    unshare --mount $way true 2>/dev/null && exec unshare --mount $way "$@"
  done
  return 1
}
if ! (isolated true); then
  [ $failures = 0 ] && echo "[skipped] full disks: this user may not mount a small file system"
  conclude
fi
full_disks() {
  mkdir disk
  mount -t tmpfs -o size=4m none disk || exit 1
  train disk/run --after 8u --save-freq 4u "${quiet[@]}" 2>/dev/null || exit 1
  cp -a disk/run template
  train undisturbed --after 12u --save-freq 4u "${quiet[@]}" 2>/dev/null
  local room=0 failed=0 ended=0 whole=0 same=0 told=0 tries=0
  while [ $ended -eq 0 ]; do
    rm -rf disk/run disk/ballast && cp -a template disk/run
    dd if=/dev/zero of=disk/ballast bs=4k count=$(($(df --output=avail -k disk | tail -n 1) / 4 - room)) 2>/dev/null
    tries=$((tries + 1))
    if train disk/run --after 12u --save-freq 4u "${quiet[@]}" >out 2>&1; then
      ended=1
    else
      [ $? = 5 ] && failed=$((failed + 1))
      [ "$(grep -c '^error: ' out)" = 1 ] && grep -qiE 'no space left' out && told=$((told + 1))
      # The save of before is whole, and training goes on when there is room.
      xformer-translate -m disk/run/checkpoints/update-000008 -i valid.en --quiet >/dev/null 2>&1 && whole=$((whole + 1))
      rm disk/ballast
      train disk/run --after 12u --save-freq 4u "${quiet[@]}" 2>/dev/null &&
        cmp -s undisturbed/latest/model.safetensors disk/run/latest/model.safetensors &&
        cmp -s undisturbed/latest/optimizer.safetensors disk/run/latest/optimizer.safetensors && same=$((same + 1))
    fi
    room=$((room + 3))
  done
  echo "tries $tries failed $failed told $told whole $whole same $same" >result
  umount disk
}
(isolated bash -c "$(declare -f full_disks train exec_train); $(declare -p small quiet); full_disks")
cat result
read -r _ tries _ failed _ told _ whole _ same <result
claim "the disk was full at twenty places of a save or more" [ "$tries" -ge 20 ]
claim "each time the run ended with 5" [ "$failed" = $((tries - 1)) ]
claim "in one line that says so" [ "$told" = $((tries - 1)) ]
claim "the save before was whole" [ "$whole" = $((tries - 1)) ]
claim "and with room again the same command ends in the bytes of an undisturbed run" [ "$same" = $((tries - 1)) ]
conclude
