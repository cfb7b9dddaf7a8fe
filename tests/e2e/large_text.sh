#!/usr/bin/env bash
# Text that is prepared in a file, and texts that are several: --cache, --train-weights, --spm-input-sentences.
#   large_text.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
set -m # a background job keeps its signals
make_corpus
small+=(--disp-freq 4u --save-freq 6u --log-format none)
# Of a second --after the nearer one counts.
after() { [[ " $* " = *" --after "* ]] || echo --after=12u; }
exec_train() {
  local run=$1
  shift
  # shellcheck disable=SC2046
  exec xformer-train "${small[@]}" $(after "$@") -t train.en train.de -m "$run" "$@"
}
prepared() { find cache -name '*.corpus' | wc -l; }
is_opened() { grep -q "^.*text: opened: " "$1/train.log"; }

# ---- the same training
train in_memory
claim "a text is prepared" train from_file --cache cache
claim "in one file" equal "$(prepared)" 1
claim "and the log says so" grep -q 'text: prepared in .* lines/s: cache/.*\.corpus, 0\.. MB' from_file/train.log
claim "the model is that of a text in memory" same_bytes in_memory/latest/model.safetensors from_file/latest/model.safetensors
claim "so are the metrics" same_bytes <(comparable_metrics in_memory) <(comparable_metrics from_file)
train again --cache cache
claim "another run opens it" is_opened again
claim "with the same model" same_bytes in_memory/latest/model.safetensors again/latest/model.safetensors
claim "a run begun in memory goes on from the file" train in_memory --cache cache --after 20u
claim "and the other way about" train from_file --after 20u
claim "to the same model" same_bytes in_memory/latest/model.safetensors from_file/latest/model.safetensors
gzip -k train.en && zstd -q train.de
train packed --cache cache >/dev/null
exec_packed() { xformer-train "${small[@]}" --after 12u -t train.en.gz train.de.zst -m "$1" "${@:2}"; }
claim "packed files have one of their own" exec_packed of_packed --cache cache
claim "and train the same model" same_bytes again/latest/model.safetensors of_packed/latest/model.safetensors
claim "which makes two" equal "$(prepared)" 2
claim "another length makes another" train shorter --cache cache --max-length 12
claim "three" equal "$(prepared)" 3
touch -d '2001-01-01' train.de
claim "a file with another time is read again" train touched --cache cache
claim "four" equal "$(prepared)" 4
claim "to the same model, too" same_bytes again/latest/model.safetensors touched/latest/model.safetensors
for file in cache/*.corpus; do head -c 1000 "$file" >cut && cp cut "$file"; done
claim "damaged ones are made again" train mended --cache cache
claim "to the same model, still" same_bytes again/latest/model.safetensors mended/latest/model.safetensors

# ---- cut short while it is read
long=(--disp-freq 1u --save-freq 30u --quiet)
exec_train broken --cache cut_cache --after 1000000u "${long[@]}" 2>said &
trainer=$!
until [ "$(grep -cs '"event":"train"' broken/metrics.jsonl || true)" -ge 40 ] 2>/dev/null || ! kill -0 "$trainer"; do
  sleep 0.02
done
cp cut_cache/*.corpus kept.corpus
truncate -s 1000 cut_cache/*.corpus
wait "$trainer"
claim "a text that is cut short while training reads it is a read error" equal $? 3
claim "of one line" equal "$(grep -c . said)" 1
claim "that names it" grep -qE '^error: cut_cache/.*\.corpus: was truncated while it was read: it has 1000 bytes, and had' said
saved_at=$(sed -n 's/.*saved at update \([0-9,]*\); the same command resumes from here.*/\1/p' broken/train.log)
updates=${saved_at//,/}
claim "what was learnt before is saved" test "${updates:-0}" -ge 40
cat kept.corpus >"$(echo cut_cache/*.corpus)"
claim "when it is whole again training goes on" train broken --cache cut_cache --after $((updates + 10))u "${long[@]}"
claim "from there" grep -q "resumed from update $saved_at of broken" broken/train.log
claim "as if nothing had been" train unbroken --cache cut_cache --after $((updates + 10))u "${long[@]}"
claim "to the same bits" same_save broken unbroken

# ---- a folder that others may write to
another() { # what lies in the text's place, and a run: it is told, left alone, and not used
  local place=cut_cache/$(basename "$(echo cut_cache/????????????????.corpus)")
  rm -f cut_cache/*."$(id -u)".corpus
  "$@" "$place"
  claim "$1: is not used" train "of_$1" --cache cut_cache 2>said
  claim "$1: which is said, and how it would be" \
    grep -qE "^warning: $place: is (not a regular file|a link|a file of user).*: not used, but cut_cache/.*\.$(id -u)\.corpus; --cache-of-others uses" said
  claim "$1: the next one opens its own" train "of_$1_again" --cache cut_cache
  claim "$1: the log says which" grep -q "text: opened: .*\.$(id -u)\.corpus" "of_$1_again/train.log"
  claim "$1: the model is the same" same_bytes in_memory_12/latest/model.safetensors "of_$1/latest/model.safetensors"
}
claim "the model to compare with" train in_memory_12
pipe() { rm "$1" && mkfifo "$1"; }
link() { rm "$1" && ln -s ../precious "$1"; }
others() { rm "$1" && cp kept.corpus "$1" && chown 4711 "$1"; }
echo precious >precious
another pipe
another link
claim "what it leads to is as it was" equal "$(cat precious)" precious
own=$(echo cut_cache/*."$(id -u)".corpus)
rm "$own" && mkfifo "$own"
claim "with a pipe under either name nobody waits" refused 3 'is not a regular file; remove it, or give another folder with --cache' \
  timeout 60 xformer-train "${small[@]}" --after 12u -t train.en train.de -m none --cache cut_cache --quiet
rm "$own"
if [ "$(id -u)" = 0 ]; then
  another others
  claim "who trusts others uses theirs" train of_trusted --cache cut_cache --cache-of-others
  claim "and no other" grep -qE 'text: opened: cut_cache/[0-9a-f]*\.corpus' of_trusted/train.log
fi
mkfifo cut_cache/.xformer-0123456789abcdef.tmp
rm -f cut_cache/*.corpus
claim "a pipe under the name of a temporary file holds nobody up" timeout 60 xformer-train "${small[@]}" --after 12u -t train.en train.de -m of_temporary --cache cut_cache

# ---- refused
claim "a pipe cannot be prepared" refused 2 'cache: .* is not a regular file' \
  xformer-train "${small[@]}" --cache cache -t <(cat train.en) <(cat train.de) -m none
claim "nor a text that is cut anew each epoch" refused 2 'cache: with bpe-dropout each epoch reads another text' \
  train none --cache cache --bpe-dropout 0.1
claim "or turned round" refused 2 'cache: with bidirectional each epoch reads another text' \
  train none --cache cache --bidirectional 1
claim "a folder that cannot be made is named" refused 5 'train.en/cache: cannot make the folder' train none --cache train.en/cache
printf 'caf\xe9\n' >>train.en && echo Kaffee >>train.de
claim "a broken line is named" refused 3 'train.en:301: invalid UTF-8' train none --cache empty
claim "and leaves nothing" test ! -e empty -a ! -e none
sed -i '$d' train.en train.de

# ---- stopped and killed while it prepares
xformer-vocab demo-corpus --quiet --pairs 400000 -o many
xformer-vocab train -i train.en train.de -m pieces.spm --vocab-size 200 --quiet
prepare_many() { exec xformer-train "${small[@]}" --after 12u -t many/train.en many/train.de -v pieces.spm --cache "$1" -m "$2"; }
half_written() { find "$1" -name '.xformer-*.tmp' -size +0 2>/dev/null | grep -q .; }
wait_for() { # folder; until the trainer writes there, or has ended
  while kill -0 "$trainer" 2>/dev/null && ! half_written "$1"; do sleep 0.02; done
  claim "$1: it has begun to prepare" half_written "$1"
}
for signal in TERM INT; do
  prepare_many stopped none 2>/dev/null &
  trainer=$!
  wait_for stopped
  ln stopped/.xformer-*.tmp "written-till-$signal"
  kill -$signal "$trainer"
  wait "$trainer" 2>/dev/null
  code=$?
  claim "SIG$signal: the exit code" equal $code $((128 + $(kill -l $signal)))
  claim "nothing is left of it" equal "$(find stopped -type f 2>/dev/null)" ""
done
prepare_many killed none 2>/dev/null &
trainer=$!
wait_for killed
kill -KILL "$trainer"
wait "$trainer" 2>/dev/null
claim "killed, it leaves what nobody takes for a text" equal "$(find killed -name '*.corpus')" ""
claim "the next one begins anew" eval '(prepare_many killed after_kill) 2>/dev/null'
for signal in TERM INT; do
  claim "SIG$signal: it did not prepare the rest first" \
    test $((2 * $(stat -c %s "written-till-$signal"))) -lt "$(stat -c %s killed/*.corpus)"
done
claim "and removes what was left" equal "$(find killed -name '.xformer-*')" ""

# ---- several texts
head -n 100 train.en >a.en && head -n 100 train.de >a.de
tail -n +101 train.en >b.en && tail -n +101 train.de >b.de
on_parts() { xformer-train "${small[@]}" $(after "$@") -t a.en a.de b.en b.de -m "$@"; } # shellcheck disable=SC2046
claim "of one text or of its two parts" on_parts parts --cache cache
claim "it is the same model" same_bytes again/latest/model.safetensors parts/latest/model.safetensors
claim "weights of one" on_parts ones --train-weights 1 1
claim "change nothing" same_bytes parts/latest/model.safetensors ones/latest/model.safetensors
claim "a text that counts twice makes an epoch longer" on_parts twice --train-weights 2 1 --cache cache
updates() { grep -o '"updates_per_epoch":[0-9.]*' "$1/metrics.jsonl" | cut -d: -f2; }
claim "by a third" awk -v a="$(updates twice)" -v b="$(updates parts)" 'BEGIN { exit !(a > 1.2 * b && a < 1.5 * b) }'
claim "stopped and gone on with, it is what it was" eval \
  'on_parts halves --train-weights 0.5 1.5 --after 5u && on_parts halves --train-weights 0.5 1.5 --after 40u &&
   on_parts whole --train-weights 0.5 1.5 --after 40u'
claim "byte by byte" same_bytes halves/latest/model.safetensors whole/latest/model.safetensors
claim "a weight is missing" refused 2 'train-weights: 1 for 2 texts; give one for each' on_parts none --train-weights 1
claim "of nothing there is no epoch" refused 2 'train-weights: no pair is left' on_parts none --train-weights 0 0
claim "a file without the other side" refused 2 'train-sets: type translation reads SRC TRG, got 3 files' \
  xformer-train "${small[@]}" -t a.en a.de b.en -m none

# ---- a vocabulary of a sample
claim "a vocabulary is learnt from some of the lines" train sampled --spm-input-sentences 150
claim "and the log says so" grep -q 'learnt from 150 lines a side, sampled from the text' sampled/train.log
claim "it is another one" differ sampled/vocab.spm again/vocab.spm
claim "prepared or not, the same" eval \
  'train sampled_too --spm-input-sentences 150 --cache cache && same_bytes sampled/vocab.spm sampled_too/vocab.spm'
conclude
