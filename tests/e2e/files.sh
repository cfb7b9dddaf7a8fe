#!/usr/bin/env bash
# What the programs read and write stays whole: no input, and no file of the user's, is lost to an output.
#   files.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
train run --after 8u --quiet || exit 1
translate() { timeout 60 xformer-translate -m run --quiet -b 1 "$@"; }
encode() { timeout 60 xformer-vocab encode -m run/vocab.spm "$@"; }
head -n 20 test.en >text
translate -i text -o translated || exit 1
encode -i text -o encoded || exit 1

# A folder of its own for each claim about names: `text`, what the test puts there, and nothing else afterwards.
fresh() {
  cd "$work" || exit 1
  rm -rf names
  mkdir names && cp text names/text && cd names || exit 1
  ln -s ../run run
}
holds() { # names...: the folder's files, besides text and run
  equal "$(find . -mindepth 1 ! -name run ! -name text -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')" "${*:+$* }"
}
exits() { # code, command...
  local wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  equal $? "$wanted" || { sed 's/^/        /' "$work/err"; return 1; }
}
one_line() { equal "$(wc -l <"$work/err")" 1; }

# ---- temporary names
fresh
cp text result.tmp
claim "an input called NAME.tmp is translated into NAME" exits 0 translate -i result.tmp -o result
claim "and is as it was" same_bytes text result.tmp
claim "the translation is whole" same_bytes ../translated result
echo precious >other.tmp
claim "a file called NAME.tmp" exits 0 encode -i text -o other
claim "is not touched" equal "$(cat other.tmp)" precious
claim "nothing else is left" holds other other.tmp result result.tmp
fresh
for i in 1 2 3 4 5 6; do encode -i text -o same & done
wait
claim "six programs that write one file leave one whole file" same_bytes ../encoded same
claim "and nothing else" holds same

# ---- the input is never the output
fresh
ln text hard
ln -s text soft
cp ../run/vocab.spm vocabulary
cp -rL ../run own
for name in text ./text "$PWD/text" hard soft; do
  claim "-i text -o $name is refused" exits 2 translate -i text -o "$name"
  claim "in one line" one_line
  claim "so is it of xformer-vocab encode" exits 2 encode -i text -o "$name"
done
claim "so is the standard input as -o" exits 2 encode -o text <text
append() { encode -i text >>text; }
claim "so is >> to the input" exits 2 append
claim "so is the vocabulary that is being used" exits 2 xformer-vocab encode -m vocabulary -i text -o vocabulary
claim "so is the model that is being used" exits 2 xformer-translate -m own -i text -o own/averaged/model.safetensors
claim "so is a vocabulary learnt from itself" exits 2 xformer-vocab train -i text -m hard --vocab-size 60 --overwrite
claim "the text is as it was" same_bytes ../text text
claim "the vocabulary is as it was" same_bytes ../run/vocab.spm vocabulary
claim "the model is as it was" same_bytes ../run/averaged/model.safetensors own/averaged/model.safetensors
rm -r own
claim "nothing else is left" holds hard soft vocabulary

# ---- links, permissions
fresh
mkdir far
echo old >far/target
ln -s far/target link
ln -s far/new dangling
claim "-o LINK" exits 0 encode -i text -o link
claim "leaves the link" equal "$(readlink link)" far/target
claim "and replaces what it points to" same_bytes ../encoded far/target
claim "a link to nothing" exits 0 encode -i text -o dangling
claim "gets its target" same_bytes ../encoded far/new
ln -s endless endless
claim "a link to itself is refused: 5" exits 5 encode -i text -o endless
claim "in one line" one_line
claim "nothing else is left" holds dangling endless far far/new far/target link
fresh
touch kept && chmod 640 kept
(umask 027 && encode -i text -o new)
encode -i text -o kept
claim "a new file has the permissions that the umask leaves" equal "$(stat -c %a new)" 640
chmod 604 kept
encode -i text -o kept
claim "an existing file keeps its own" equal "$(stat -c %a kept)" 604
long=$(printf 'n%.0s' {1..255})
claim "a name of 255 bytes" exits 0 encode -i text -o "$long"
claim "nothing else is left" holds kept new "$long"
chmod 777 . && chmod 755 "$work"
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups timeout 60 "$@"; }
as_nobody() { nobody "$programs/xformer-vocab" encode -m vocabulary "$@"; }
if [ "$(id -u)" = 0 ] && nobody "$programs/xformer-vocab" --version >/dev/null 2>&1 && nobody test -r text; then
  cp ../run/vocab.spm vocabulary
  echo protected >read_only && chown 65534 read_only && chmod 444 read_only
  claim "a file that may not be written is not replaced: 5" exits 5 as_nobody -i text -o read_only
  claim "in one line" one_line
  claim "and is as it was" equal "$(cat read_only)" protected
  mkdir drop && chmod 733 drop
  claim "a folder that may be written and not read" exits 0 as_nobody -i text -o drop/file
  chown 65534 kept
  encode -i text -o kept
  claim "root's output leaves a file its owner" equal "$(stat -c %u kept)" 65534
else
  echo "[not run] permissions: they need root, setpriv, and a folder that others may enter"
fi

# ---- devices, pipes, the standard output under its other names. By links of our own: a program that did replace a device
# should not do it to the machine.
fresh
ln -s /dev/null null
ln -s /dev/full full
ln -s /proc/self/fd/1 stdout
claim "-o /dev/null" exits 0 encode -i text -o null
claim "which is a device still" test -c null
claim "-o /dev/full: 5" exits 5 encode -i text -o full
claim "in one line" one_line
claim "a vocabulary to /dev/full: 5" exits 5 xformer-vocab train -i text -m full --overwrite --vocab-size 60
claim "which is a device still" test -c full
claim "/dev/stdout" exits 0 encode -i text -o stdout
claim "is the standard output" same_bytes ../encoded ../out
claim "and a link still" test -L stdout
echo first >log && encode -i text -o stdout >>log
claim "what is there already stays with >>" same_bytes <(echo first && cat ../encoded) log
encode -i text -o /dev/fd/7 7>seven
claim "/dev/fd/7" same_bytes ../encoded seven
mkfifo pipe
cat pipe >from_pipe &
claim "a named pipe" exits 0 encode -i text -o pipe
wait
claim "has the text" same_bytes ../encoded from_pipe
claim "and is a pipe still" test -p pipe
claim "nothing else is left" holds from_pipe full log null pipe seven stdout

# ---- what cannot be written whole is not written
fresh
for _ in {1..400}; do cat text; done >much
limited() { (ulimit -f 40 && encode -i much -o "$1"); }
claim "a limit on the size of files: 5" exits 5 limited new
claim "in one line" one_line
echo old >out
claim "the same where a file was" exits 5 limited out
claim "which is as it was" equal "$(cat out)" old
{ cat much && printf 'gr\xfcn\n'; } >broken
claim "a text that breaks off: 3" exits 3 encode -i broken -o out
claim "leaves the file as it was" equal "$(cat out)" old
claim "and nothing else" holds broken much out

# ---- streams that are closed
closed_in() { encode -o new <&-; }
claim "a closed standard input: 3" exits 3 closed_in
claim "in one line" one_line
closed_out() { encode -i text >&-; }
claim "a closed standard output: 5" exits 5 closed_out
claim "nothing is left" holds broken much out
closed_errors() { encode -i text -o new 2>&-; }
claim "a closed standard error" exits 0 closed_errors
claim "does not come into the output" same_bytes ../encoded new

for streams in '>&-' '>/dev/full'; do
  claim "a long answer with $streams: 5" exits 5 bash -c "xformer-train --help $streams"
  claim "in one line" one_line
done

# ---- names that lead nowhere
fresh
ln -s endless endless
claim "a vocabulary: 5" exits 5 xformer-vocab train -i text -m endless --vocab-size 60
claim "a text: 3" exits 3 encode -i endless
claim "a model: 3" exits 3 xformer-translate -m endless -i text
claim "a config file: 2" exits 2 encode -i text -c endless
claim "in one line" one_line
claim "a run to go on with: 2" exits 2 xformer-train -m endless
claim "in one line" one_line
claim "an output in no folder: 2" exits 2 encode -i text -o none/new
claim "in one line" one_line
claim "which names the folder" grep -q 'there is no folder none; make it' "$work/err"
claim "so is a vocabulary, before it is learnt: 2" exits 2 xformer-vocab train -i text -m none/new --vocab-size 60
claim "a config file may be a pipe" exits 0 encode -i text -c <(echo 'format = "id"')
claim "which is read" grep -qx '[0-9 ]*' ../out

# ---- packed text
fresh
gzip -c text >packed.gz
cat packed.gz packed.gz >twice.gz
encode -i twice.gz -o twice
claim "two packed texts, one behind the other, are one text" same_bytes <(cat ../encoded ../encoded) twice
claim "a packed text on the standard input" same_bytes ../encoded <(encode <packed.gz)
{ cat packed.gz && head -c 512 /dev/zero; } >padded.gz
claim "zeros behind it are padding" same_bytes ../encoded <(encode <padded.gz)
cat packed.gz text >mixed.gz
claim "text behind it is not lost in silence: 3" exits 3 encode -i mixed.gz -o new
claim "in one line" one_line
head -c 100 packed.gz >cut.gz
claim "a packed text that ends too early: 3" exits 3 encode -i cut.gz -o new
claim "/dev/zero is no text: 3" exits 3 encode -i /dev/zero -o new
claim "nothing is left" holds cut.gz mixed.gz packed.gz padded.gz twice twice.gz

# ---- the log file that --log names
fresh
cp ../train.en ../train.de .
ln -s train.en english
logged() { train logged --after "$1" --save-freq 4u --quiet --log-format none "${@:2}"; }
for _ in {1..100}; do echo precious; done >user.log
cp user.log before.log
claim "a run with --log" exits 0 logged 8u --log user.log
claim "leaves what the file held" same_bytes before.log <(head -n 100 user.log)
claim "and adds to it" grep -q 'done after 8 updates' user.log
cp user.log before.log
claim "another file when the run goes on" exits 0 logged 12u --log ../other.log
claim "and the first again" exits 0 logged 16u --log user.log
claim "lose nothing of the first" same_bytes before.log <(head -n "$(wc -l <before.log)" user.log)
claim "the run's own log" exits 0 logged 20u
cp logged/train.log before.log
claim "is whole after one that goes elsewhere" exits 0 logged 24u --log short.log
claim "and when it is the log again" exits 0 logged 28u
claim "nothing of it is lost" same_bytes before.log <(head -n "$(wc -l <before.log)" logged/train.log)
claim "--log on a text that is trained on is refused: 2" exits 2 train new --after 4u --log english
claim "the text is as it was" same_bytes ../train.en train.en
claim "and no run is begun" test ! -e new

# ---- a stop while a program waits
fresh
mkfifo words
exec 9<>words
waits() { # signal, code, command...: the command, with nothing to read, ends with the code at the first signal
  local signal=$1 wanted=$2 code waiting
  shift 2
  "$@" <words >"$work/out" 2>"$work/err" 9>&- &
  waiting=$!
  sleep 1
  kill "-$signal" "$waiting"
  for _ in {1..50}; do
    kill -0 "$waiting" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$waiting" 2>/dev/null && echo "        still waiting after five seconds"
  wait "$waiting" 2>/dev/null
  code=$?
  equal "$code" "$wanted"
}
set -m # a background job keeps its SIGINT
claim "xformer-translate that waits for text ends at SIGTERM" waits TERM 143 xformer-translate -m run -o new
claim "and at SIGINT" waits INT 130 xformer-translate -m run -o new
claim "the same for a named pipe" waits TERM 143 xformer-translate -m run -i words -o new
claim "xformer-vocab encode" waits TERM 143 xformer-vocab encode -m run/vocab.spm -o new
claim "xformer-vocab decode" waits INT 130 xformer-vocab decode -m run/vocab.spm -o new
claim "xformer-vocab stats" waits TERM 143 xformer-vocab stats words
claim "xformer-score" waits INT 130 xformer-score bleu text
claim "xformer-train" waits TERM 143 xformer-train -t words text -m new
mkfifo unread
claim "xformer-vocab encode that waits for a reader" waits TERM 143 xformer-vocab encode -m run/vocab.spm -i text -o unread
claim "and leaves nothing" holds unread words
conclude
