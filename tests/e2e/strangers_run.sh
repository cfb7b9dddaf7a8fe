#!/usr/bin/env bash
# A run folder that came from a stranger: going on with it writes nowhere but in it, waits for nobody, and says what it leaves.
#   strangers_run.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
valid=(--valid-sets valid.en valid.de --valid-print 1,2)
steps=(--save-freq 4u --valid-freq 4u --disp-freq 1u --early-stopping 0)

train original --after 8u "${steps[@]}" "${valid[@]}" --log-format none || exit 1
train other --after 8u "${steps[@]}" --log-format none || exit 1

# What a link in the run may lead to: files and a folder of ours, and all of another run.
mkdir precious && echo mine >precious/file && echo mine >precious/sentence-1.tsv
cp -a other precious/run
ours() { (cd precious && find . \( -type f -exec cksum {} + -o -type l -exec readlink {} + \) | sort); }
ours >ours
unharmed() { diff ours <(ours) | sed 's/^/        /'; diff -q ours <(ours) >/dev/null; }

# go_on: with a time that no training here needs; leaves what it said in `out`, and its exit code.
go_on() {
  timeout 60 xformer-train -m run --after 12u --log-format none "$@" >out 2>&1
  code=$?
}
says() { grep -q "$1" out || { sed 's/^/        /' out; return 1; }; }
fresh() { rm -rf run && cp -a original run; }

# ---- each file of a run, as a link to ours, as another name of it, and as a pipe
(cd original && find . -maxdepth 1 -type f -printf '%P\n'; printf '%s\n' samples/sentence-{1,2}.tsv) | sort >files
claim "the run has the files that are meant" \
  test "$(grep -cxE 'lock|train.log|metrics.jsonl|valid.tsv|report.html|training.toml|loss.svg|samples/sentence-1.tsv' files)" = 8
while read -r file; do
  for kind in link hard pipe; do
    fresh
    rm "run/$file"
    case $kind in
      link) ln -s "$work/precious/file" "run/$file" ;;
      hard) ln precious/file "run/$file" ;;
      pipe) mkfifo "run/$file" ;;
    esac
    go_on
    claim "$file, a $kind: nothing of ours is changed" unharmed
    case $file-$kind in
      training.toml-* | vocab.*) claim "$file, a $kind: ends" test $code -lt 124 ;; # it says what ours says
      *-hard) claim "$file, another name: the run goes on" equal $code 0 ;;
      lock-*)
        claim "$file, a $kind: 5, in one line that says what to do" test $code = 5 -a "$(wc -l <out)" = 1
        claim "which names it" says "^error: run/$file: .*remove it$"
        ;;
      train.log-* | metrics.jsonl-* | valid.tsv-* | samples/*)
        claim "$file, a $kind: the run goes on without it" test $code = 0 -o $code = 2
        claim "and names it" says "run/$file: "
        ;;
      *)
        claim "$file, a $kind: is replaced" test $code = 0 -a -f "run/$file" -a ! -L "run/$file"
        ;;
    esac
  done
done <files

# ---- folders
for folder in samples averaged crash checkpoints/interrupted checkpoints/update-000004 checkpoints/update-000012; do
  fresh
  rm -rf "run/$folder"
  ln -s "$work/precious/run/checkpoints/update-000008" "run/$folder"
  [ $folder != samples ] || ln -sfn "$work/precious" run/samples
  go_on
  claim "$folder, a link: nothing of ours is changed" unharmed
  claim "$folder, a link: and the run goes on" equal $code 0
done
for link in latest best; do
  fresh
  ln -sfn "$work/precious/run/checkpoints/update-000008" run/$link
  go_on
  claim "$link, which leads elsewhere: nothing of ours is changed" unharmed
  claim "and the run goes on from its own" equal $code 0
done
fresh
rm -rf run/checkpoints && ln -s ../precious/run/checkpoints run/checkpoints
go_on
claim "checkpoints, a link: nothing of ours is changed" unharmed
claim "and it is refused" test $code = 5
claim "in a line that says what to do" says "^error: run/checkpoints: is a link, .*the whole run folder$"
for link in latest best; do
  fresh
  ln -sfn "$work/precious/run" run/$link.tmp
  go_on
  claim "$link.tmp, a link: nothing of ours is changed" unharmed
done
fresh
go_on --overwrite --task demo -t train.en train.de "${valid[@]}" "${small[@]:2}"
claim "without links, --overwrite begins anew" equal $code 0
fresh
ln -sfn "$work/precious" run/samples && rm -rf run/averaged && ln -s "$work/precious/run" run/averaged
go_on --overwrite --task demo -t train.en train.de "${valid[@]}" "${small[@]:2}"
claim "with them, too" equal $code 0
claim "and removes nothing of ours" unharmed

fresh
rm run/metrics.jsonl && mkdir run/metrics.jsonl && touch run/metrics.jsonl/file
go_on --overwrite --task demo -t train.en train.de "${valid[@]}" "${small[@]:2}"
claim "a folder in place of a file: --overwrite is refused" test $code = 2
claim "before it removes anything" test -e run/averaged/model.safetensors -a -e run/checkpoints/update-000008

# ---- a pipe in place of what a model is read from, for every program that reads one
readers=("xformer-translate -m run -i test.en -o translated" "xformer-export inspect -m run" "xformer-export to ctranslate2 -m run -o exported"
  "xformer-train --report run -o page.html" "xformer-score table run" "xformer-train --resume run/latest -m new --after 12u"
  "xformer-train --pretrained-model run -t train.en train.de -m new --after 2u" "xformer-train -m run --after 12u")
for file in averaged/{state.json,training.toml,model.safetensors} latest/{state.json,optimizer.safetensors} training.toml; do
  for command in "${readers[@]}"; do
    fresh
    rm "run/$file" && mkfifo "run/$file"
    # shellcheck disable=SC2086
    timeout 60 $command >out 2>&1
    claim "$file, a pipe: $command does not wait for it" test $? != 124
    rm -rf new exported
  done
done

# ---- what its configuration names
for key in "log = \"$work/precious/file\"" "log = \"$work/precious/new\"" "cache = \"$work/precious\"" \
  "model = \"$work/precious/run\"" "model = \"$work/precious/other\"" "output = \"$work/precious/file\""; do
  fresh
  sed -i "/^${key%% *} /d" run/training.toml && echo "$key" >>run/training.toml
  go_on
  claim "its training.toml says $key: nothing of ours is changed" unharmed
  timeout 60 xformer-train --resume run -m new --after 12u --log-format none >out 2>&1
  claim "nor by --resume" unharmed
  timeout 60 xformer-train --resume run --after 12u --log-format none >out 2>&1
  claim "nor without a --model" unharmed
  claim "which must be given" says "xformer-train needs --model"
  timeout 60 xformer-translate -m run -i test.en -o translated >out 2>&1
  claim "nor by a translation" unharmed
  rm -rf new
done

# ---- what a killed save has left
fresh
touch run/.xformer-0123456789abcdef.tmp && mkfifo run/.xformer-0123456789abcdee.tmp
go_on
claim "a file that a killed process had begun is gone" test $code = 0 -a ! -e run/.xformer-0123456789abcdef.tmp


# ---- a copy by cp -al
rm -rf run && cp -al original run
go_on
claim "a copy of hard links goes on" equal $code 0
claim "and writes its logs" grep -q 'resumed from update 8' run/train.log
claim "those of the original are as they were" test "$(grep -c resumed original/train.log)" = 0

# ---- what the user names may be a pipe, and a stop ends the wait for its reader
mkfifo log
exec_train waits --after 4u --log log --log-format none 2>err &
trainer=$!
for _ in $(seq 500); do
  [ ! -e waits/lock ] || break
  sleep 0.02
done
sleep 0.5
kill "$trainer"
for _ in $(seq 500); do
  kill -0 "$trainer" 2>/dev/null || break
  sleep 0.02
done
claim "a --log that nobody reads: SIGTERM ends the wait" test ! -d "/proc/$trainer"
kill -9 "$trainer" 2>/dev/null
wait "$trainer"
claim "as a stop does" equal $? 143
conclude
