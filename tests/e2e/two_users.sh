#!/usr/bin/env bash
# Two users of one machine: what one puts into a folder where everybody may write, as /tmp, changes nothing of the other's.
#   two_users.sh FOLDER_OF_THE_PROGRAMS
# Only root can be both of them.
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
if [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --regid=65534 --clear-groups true; then
  echo "[skipped] only root can be two users"
  exit 0
fi
make_corpus
train run --after 4u --log-format none || exit 1
chmod 755 .
mkdir shared && chown 2 shared && chmod 1777 shared # its owner is a third one
mkdir precious && echo mine >precious/file
other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
unharmed() { equal "$(cat precious/*)" mine; }

# planted KIND NAME: the other one's link to our file, pipe or file.
planted() {
  rm -rf "shared/$2"
  case $1 in
    link) other ln -s "$work/precious/file" "shared/$2" ;;
    dangling) other ln -s "$work/precious/new" "shared/$2" ;;
    pipe) other mkfifo "shared/$2" ;;
    file) other sh -c "echo theirs >'shared/$2'" ;;
    folder) other ln -s "$work/precious" "shared/$2" ;;
  esac
}
refused_in_one_line() { # command...
  timeout 60 "$@" >said 2>err
  local code=$?
  [ "$code" = 5 ] && [ "$(grep -c ^error: err)" = 1 ] && grep -q "^error: .*is another user's" err && return
  echo "        exit code $code:"
  sed 's/^/        /' err
  return 1
}

# ---- every program that writes a file where the user says
outputs=("xformer-translate -m run -i test.en -o"
  "xformer-vocab encode -m run/vocab.spm -i test.en -o" "xformer-vocab decode -m run/vocab.spm -i test.en -o"
  "xformer-vocab train --vocab-size 100 -i train.en --overwrite -o" "xformer-train --report run -o"
  "xformer-explain flow encoder -f svg -o")
for command in "${outputs[@]}"; do
  for kind in link dangling pipe file; do
    planted $kind out
    # shellcheck disable=SC2086  # words
    claim "$command: the other one's $kind is refused" refused_in_one_line $command shared/out
    claim "and nothing of ours is changed" unharmed
  done
done
for kind in link dangling pipe file; do
  for name in out out.unfinished out.unfinished.json; do
    rm -f shared/out*
    planted $kind $name
    timeout 60 xformer-translate -m run -i test.en --continue -o shared/out >said 2>err
    code=$?
    claim "--continue with the other one's $kind $name: is refused" test $code = 5 -o $code = 3 -o $code = 2
    claim "and nothing of ours is changed" unharmed
  done
done
planted folder model
for command in "xformer-export to ctranslate2 -m run -o" "xformer-export average -m run --overwrite -o"; do
  # shellcheck disable=SC2086
  claim "$command: the other one's link to a folder is refused" refused_in_one_line $command shared/model
done
rm -f shared/run && mkdir empty && other ln -s "$work/empty" shared/run
claim "a run in the other one's link to a folder is refused" refused_in_one_line xformer-train "${small[@]}" -t train.en train.de -m shared/run --after 4u
for kind in link pipe file; do
  planted $kind log
  rm -rf logged
  timeout 60 xformer-train "${small[@]}" -t train.en train.de -m logged --after 4u --log shared/log --log-format none >said 2>err
  claim "--log with the other one's $kind: the run goes on without it" equal $? 0
  claim "and says so" grep -q "^warning: shared/log: is another user's" err
  claim "and nothing of ours is changed" unharmed
done

# ---- the other one's link as a folder of the path
rm -rf shared/* && mkdir precious/inner && other ln -s "$work/precious" shared/link
for command in "xformer-translate -m run -i test.en -o shared/link/out" "xformer-vocab train --vocab-size 100 -i train.en -o shared/link/out" \
  "xformer-translate -m run -i test.en --continue -o shared/link/out" "xformer-vocab demo-corpus --overwrite -o shared/link" \
  "xformer-vocab demo-corpus --overwrite -o shared/link/" "xformer-vocab demo-molecules --overwrite -o shared/link/inner" \
  "xformer-export average -m run --overwrite -o shared/link/inner/model" "xformer-train --report run -o shared/link/page.html" \
  "xformer-train ${small[*]} -t train.en train.de --after 4u --log-format none -m shared/link/run" \
  "xformer-train ${small[*]} -t train.en train.de --after 4u --log-format none -m cached --cache shared/link/inner"; do
  # shellcheck disable=SC2086
  claim "$command is refused" refused_in_one_line $command
  claim "and nothing is written there" equal "$(find precious)" $'precious\nprecious/file\nprecious/inner'
done
rm -r precious/inner

# ---- a run folder where everybody may put things
for name in lock train.log metrics.jsonl valid.tsv report.html training.toml loss.svg; do
  for kind in link pipe; do
    rm -rf shared/ours && mkdir shared/ours && chmod 1777 shared/ours
    planted $kind ours/$name
    timeout 60 xformer-train "${small[@]}" -t train.en train.de -m shared/ours --after 4u --overwrite --log-format none >said 2>err
    claim "a run where the other one has put a $kind $name: ends" test $? != 124
    claim "and nothing of ours is changed" unharmed
  done
done

# ---- what is followed: our own links, and those of the folder's owner
echo mine >precious/file
for user in 0 2; do
  rm -f shared/out && setpriv --reuid=$user --clear-groups ln -s "$work/precious/out" shared/out
  xformer-vocab encode -m run/vocab.spm -i test.en -o shared/out
  claim "a link of user $user, who may, is followed" test -s precious/out -a -L shared/out
  rm -f precious/out
done
conclude
