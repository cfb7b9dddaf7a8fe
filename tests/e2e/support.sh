# shellcheck shell=bash
# What the end-to-end tests share. Sourced: the caller gets the folder of the programs as its first argument, and works
# in a scratch folder of its own, which is removed at the end.
#   claim TEXT COMMAND...   one sentence and the command that shows it; a failure is counted and told
#   conclude                the exit code of the test
set -u
programs=$(realpath -m "$1")
export PATH="$programs:$PATH" OMP_WAIT_POLICY=passive
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-e2e-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

claim() {
  local text=$1
  shift
  if "$@"; then
    echo "ok      $text"
  else
    echo "FAILED  $text  ($*)" | tee -a "$work/failed"
    failures=$((failures + 1))
  fi
}

# A program that the machine lacks must not let a claim pass in silence.
command_not_found_handle() {
  echo "        no program called $1 on this machine" | tee -a "$work/missing" >&2
  return 127
}

conclude() {
  [ ! -e "$work/missing" ] || failures=$((failures + 1))
  echo "$failures failed"
  [ ! -e "$work/failed" ] || cat "$work/failed"  # again: of a long output, some keep the end alone
  exit $((failures > 0))
}

equal() { [ "$1" = "$2" ] || { echo "        got '$1', not '$2'"; return 1; }; }
same_bytes() { cmp "$1" "$2"; }
differ() { ! cmp -s "$1" "$2" || { echo "        $1 and $2 are the same"; return 1; }; }

# refused EXIT_CODE WORDS COMMAND...: all of WORDS, a pattern, in the one line on the standard error.
refused() {
  local wanted=$1 words=$2
  shift 2
  "$@" >out 2>err
  local code=$? lines
  lines=$(wc -l <err)
  [ "$code" = "$wanted" ] && [ "$lines" = 1 ] && [ ! -s out ] && grep -qE "^error: .*$words" err && return
  echo "        exit code $code, not $wanted; $lines lines; should say '$words':"
  sed 's/^/        /' err
  return 1
}

# The same of a command that mpirun starts, which has lines of its own.
one_error() {
  local wanted=$1 words=$2
  shift 2
  "$@" >out 2>&1
  local code=$?
  [ "$code" = "$wanted" ] && [ "$(grep -c '^error: ' out)" = 1 ] && grep -qE "^error: .*$words" out && return
  echo "        exit code $code, not $wanted; should say '$words':"
  sed 's/^/        /' out
  return 1
}

# Of lines "name value" on the standard input.
value() { awk -v name="$1" '$1 == name { print $2 }'; }

# The first pairs of the demo corpus: 300 to train on, 40 to validate, 60 to test.
make_corpus() {
  xformer-vocab demo-corpus --quiet -o full || exit 1
  local side
  for side in en de; do
    head -n 300 "full/train.$side" >"train.$side"
    head -n 40 "full/valid.$side" >"valid.$side"
    head -n 60 "full/test.$side" >"test.$side"
  done
}

# A model that trains in a second, with all three dropouts on.
small=(--task demo --vocab-size 200 --dim-emb 32 --transformer-dim-ffn 64 --enc-depth 1 --dec-depth 1
  --transformer-dropout 0.2 --transformer-dropout-attention 0.1 --transformer-dropout-ffn 0.1 --mini-batch-words 200
  --lr-warmup 200u)

# train RUN OPTIONS...
train() { (exec_train "$@"); }
exec_train() {
  local run=$1
  shift
  exec xformer-train "${small[@]}" -t train.en train.de -m "$run" "$@"
}

# A log without what design and machine leave free: time, speed, memory and the run folder's name.
comparable_metrics() { # run
  sed -E 's/"(time)":"[^"]*"/"\1":0/; s/"(tok_per_s|mem_mb|seconds)":[-+.0-9e]+/"\1":0/g' "$1/metrics.jsonl"
}
comparable_log() { # run
  sed -E "s|$1|RUN|g; s/[0-9.]+k? tok\/s/0 tok\/s/; s/([0-9]+:)?[0-9]+:[0-9]{2}:[0-9]{2}/TIME/g; s/^about .* until the end/about TIME until the end/" \
    "$1/train.log"
}
comparable_table() { cut -f 1,2,4- "$1/valid.tsv"; } # run

# Two runs: the bytes of what they saved last, and of their average; and what they measured.
same_save() { # run, run
  same_bytes "$1/latest/model.safetensors" "$2/latest/model.safetensors" &&
    same_bytes "$1/latest/optimizer.safetensors" "$2/latest/optimizer.safetensors" &&
    same_bytes "$1/averaged/model.safetensors" "$2/averaged/model.safetensors"
}
same_run() { same_save "$1" "$2" && same_bytes <(comparable_metrics "$1") <(comparable_metrics "$2"); }

# follow_page PAGE [all]: its console blocks, one command after the other as they stand there: "$ COMMAND", lines "> REST OF
# IT", and what it prints. Each ends as the page shows, and says the errors and warnings that the page shows; with `all` each
# line that the page shows, whatever its numbers, for a test with less text than the page has.
follow_page() {
  local line inside='' code=0 command='' shown='' commands=0 compared=${2:-errors}
  while IFS= read -r line; do
    case $line in
      '```console') inside=yes ;;
      '```') inside= ;;
      *)
        [ "$inside" ] || continue
        case $line in
          '$ '*)
            finish_command
            command=${line#'$ '} shown=''
            ;;
          '> '*) command+=$'\n'${line#'> '} ;;
          *) shown+=${shown:+$'\n'}$line ;;
        esac
        ;;
    esac
  done <"$1"
  finish_command
  claim "the page has commands" test "$commands" -gt 0
  claim "the last one ends with 0" equal "$code" 0
}
# Runs `command`, of which the page shows `shown`, and leaves `code`.
finish_command() {
  [ -n "$command" ] || return 0
  # shellcheck disable=SC2016
  if [ "$command" = 'echo $?' ]; then
    claim "which ends with $shown" equal "$code" "$shown"
    code=0
    return
  fi
  claim "the one before ends with 0" equal "$code" 0
  echo "\$ $command"
  eval "$command" >said 2>&1
  code=$?
  commands=$((commands + 1))
  local line
  while read -r line; do
    case $compared$line in
      all) ;; # an empty line
      all*) claim "it says: $line" grep -qxF -- "$(without_numbers <<<"$line")" <(without_numbers <said) ;;
      errorserror:* | errorswarning:* | errorscause:* | errorstry:*)
        claim "it says: $line" grep -qxF -- "$line" said
        ;;
    esac
  done <<<"$shown"
}
without_numbers() { sed -E 's/[0-9]+([.,:][0-9]+)*/N/g'; }
