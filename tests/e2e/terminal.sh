#!/usr/bin/env bash
# What a terminal is sent: script(1) of util-linux gives the programs one. Progress stays within its width, names and texts
# cannot steer it, and a file keeps the bytes that it is given.
#   terminal.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
unset COLUMNS NO_COLOR CLICOLOR_FORCE
export TERM=xterm
make_corpus
train run --after 12u --quiet || exit 1

# on_terminal COLUMNS COMMAND...: all that a terminal of so many columns gets of it. script(1) waits 10 ms for what the kernel
# has not handed over yet when a command ends: so the end is marked, and waited for.
on_terminal() {
  local columns=$1 command
  shift
  printf -v command '%q ' "$@"
  : >on_screen
  SHELL=$BASH script -qec "stty cols $columns; $command; code=\$?
    printf '\003'; until grep -aq \$'\003' on_screen; do sleep 0.01; done; exit \$code" /dev/null </dev/null >on_screen
  local code=$?
  tr -d '\003' <on_screen
  return $code
}
has() { grep -aqF -- "$1" "$2" || { echo "        $2 has no '$1'"; return 1; }; }
lacks() { ! grep -aqF -- "$1" "$2" || { echo "        $2 has '$1'"; return 1; }; }

# ---- progress
translate=(xformer-translate -m run -i test.en --mini-batch 4)
on_terminal 100 "${translate[@]}" >shown
claim "translating a file on a terminal says how far it is" has "/60 lines · " shown
on_terminal 100 "${translate[@]}" -o translated >shown
claim "also when the translations go to a file" has "/60 lines · " shown
claim "which has all of them" equal "$(wc -l <translated)" 60
on_terminal 100 "${translate[@]}" --quiet >shown
claim "not with --quiet" lacks "/60 lines" shown
"${translate[@]}" >plain 2>said
claim "nor on a pipe" lacks "/60 lines" said
claim "a file has the bytes that a terminal's run wrote to its own" same_bytes plain translated
on_terminal 20 "${translate[@]}" --stat-freq 20 -o translated >shown
drawn() { tr '\r' '\n' <shown | sed -n 's/^\x1b\[K//p'; }
too_wide() { drawn | grep /60 | sed 's/·/./g' | awk 'length($0) > 19' | head -n 1; }
claim "a narrow terminal gets lines that fit" equal "$(too_wide)" ""
claim "and some" test "$(drawn | grep -c /60)" -gt 0
claim "--stat-freq's lines stand apart" equal "$(tr '\r' '\n' <shown | grep -cE '(20|40|60) lines, [0-9,]+ tokens in')" 4
on_terminal 100 xformer-score lm -m run -t valid.en valid.de >shown
claim "xformer-score lm says how far it is" has "/40 lines · " shown

small_training=(--vocab-size 120 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 16 --enc-depth 1 --after 2u --quiet)
paste -d '\n' test.en test.de >text
sed 's/.*/en\nde/' test.en >labels
xformer-train --task classification "${small_training[@]}" -t text labels -m classes || exit 1
on_terminal 100 xformer-classify -m classes -i text --mini-batch 2 >shown
claim "so does xformer-classify" has "/120 lines · " shown
xformer-train --task language-model "${small_training[@]}" --enc-depth 0 --dec-depth 1 -t text -m lm || exit 1
on_terminal 100 xformer-generate -m lm --samples 40 --mini-batch 2 --max-length 9 >shown
claim "so does xformer-generate" has "/40 lines · " shown

# ---- counts
"${translate[@]}" --no-spm-decode -b 1 >pieces 2>said
cut=$(sed -nE 's/^warning: ([0-9]+) translations? cut.*/\1/p' said)
tokens=$(($(wc -w <pieces) + 60 - ${cut:-0}))
for options in "-b 1" "-b 1 --n-best" "-b 1 --word-scores" "-b 1 --alignment hard" "-b 1 --no-spm-decode" "-b 1 --mini-batch 64"; do
  # shellcheck disable=SC2086  # several words
  "${translate[@]}" $options 2>&1 >/dev/null | tr -d , >said
  claim "tokens are counted: $options" has "60 lines $tokens tokens in " said
done
for options in "-m run run -b 1" "--output-sampling topk 3" "-b 1 --precision int8" "-b 3"; do
  # shellcheck disable=SC2086
  "${translate[@]}" $options 2>&1 >/dev/null | tr -d , >said
  claim "and are some: $options" test "$(grep -cE '^60 lines [1-9][0-9]* tokens in [0-9.]+ s \([1-9][0-9]* tokens/s\)' said)" = 1
done
{ head -n 3 test.en; yes dog | head -n 5000 | tr '\n' ' '; echo; tail -n 2 test.en; } >long.en
xformer-translate -m run -i long.en -b 1 2>said >/dev/null
claim "a line that is cropped is named" has "1 line cropped: too long to read (line 4 of long.en)" said
xformer-classify -m classes -i long.en 2>said >/dev/null
claim "by xformer-classify too" has "1 line cropped: too long to read (line 4 of long.en)" said

# ---- what names and texts hold
escape=$'\x1b[31m\xc2\x9b2J\xe2\x80\xae' shown_as='\x1b[31m\u009b2J\u202e'
raw() { LC_ALL=C grep -aqF -e $'\x1b[31m' -e $'\xc2\x9b' -e $'\xe2\x80\xae' "$1"; }
clean() { ! raw "$1" && has "$shown_as" "$1"; }
for command in "xformer-translate -m no$escape" "xformer-score no$escape" "xformer-export inspect no$escape" \
  "xformer-train -c no$escape" "xformer-vocab encode -m no$escape" "xformer-explain op no$escape" "xformer-train --task no$escape"; do
  # shellcheck disable=SC2086
  on_terminal 100 $command >shown
  claim "${command%% no*}: an error shows such a name in plain letters" clean shown
done
cp -r run "run$escape"
on_terminal 200 "${translate[@]}" -m "run$escape" -o translated >shown
claim "so does a summary" clean shown
on_terminal 200 xformer-export inspect "run$escape" >shown
claim "and xformer-export inspect" clean shown
on_terminal 200 xformer-export inspect "run$escape" -f json >shown
claim "and its JSON, in JSON's letters" eval '! raw shown && has "\u001b[31m\u009b2J\u202e" shown'
python_header='{"a'$escape'":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
for value in 0 1; do
  { printf "%b" "$(printf '\\x%02x' "$(printf %s "$python_header" | sed 's/\x1b/\\u001b/' | wc -c)")\0\0\0\0\0\0\0"
    printf %s "$python_header" | sed 's/\x1b/\\u001b/'
    printf "\0\0\0\\x0$value"; } >"model$value.safetensors"
done
xformer-export inspect model0.safetensors >shown
claim "a tensor's name too, also in a file" clean shown
xformer-export diff model0.safetensors model1.safetensors >shown
claim "and xformer-export diff" clean shown
claim "a picture holds no such codes" eval 'xformer-explain attention -m run "the$escape house" -f svg -o a.svg && ! raw a.svg'
claim "nor a page" eval 'xformer-explain attention -m run "the$escape house" -f html -o a.html && ! raw a.html'
claim "nor what is written as text" eval 'xformer-explain attention -m run "the$escape house" -f text >shown && ! raw shown'

sed "s/^/$escape /" test.en >steering.en
xformer-vocab train --tokenizer character -i steering.en -m characters --quiet
xformer-vocab encode -m characters -i steering.en >pieces
claim "a file keeps the bytes of a text" raw pieces
on_terminal 100 xformer-vocab encode -m characters -i steering.en >shown
raw shown && echo "        $(head -c 300 shown | cat -v)"
claim "a terminal does not get them" test "$(LC_ALL=C grep -acF $'\xc2\x9b' shown)" = 0
# ---- typed lines
typed() { # COMMAND...: what it answers to a line, one that is no text, and the first one again
  local command
  printf -v command '%q ' "$@"
  printf 'a dog\nM\344nner\na dog\n' | SHELL=$BASH script -qec "stty -echo; exec $command" /dev/null
}
for program in "translate -m run --quiet" "classify -m classes --quiet" "vocab encode -m run/vocab.spm"; do
  typed xformer-$program >shown
  claim "$program: a typed line that is no text ends nothing" equal $? 0
  claim "$program: what is wrong with it is said" has "error: standard input:2: invalid UTF-8" shown
  claim "$program: the others are answered alike" equal "$(tr -d '\r' <shown | grep -av 'error:\|a dog\|^$\|nner' | sort | uniq -c | awk '{ print $1 }')" 2
done

conclude
