#!/usr/bin/env bash
# Bad input gets one line that says what, where and what to do, the exit code of its class, and nothing is written.
#   bad_input.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
head -n 299 train.de >short.de
{ head -n 41 train.de; printf 'gr\xfcn\n'; tail -n +43 train.de; } >latin1.de
: >empty.de

# The same for a training that would go to the folder `run`, which must not be there afterwards.
refused_before_writing() {
  refused "$@" && [ ! -e run ] && return
  [ ! -e run ] || echo "        the run folder was made"
  rm -rf run
  return 1
}

exits() { # code, command...
  local wanted=$1
  shift
  "$@" >/dev/null 2>&1
  equal $? "$wanted"
}

train_on() { # source, target, options...
  local source=$1 target=$2
  shift 2
  xformer-train "${small[@]}" -t "$source" "$target" -m run --after 4u "$@"
}
good() { train_on train.en train.de "$@"; }

# ---- data: 3
claim "a missing file is named" refused_before_writing 3 'missing\.de' train_on train.en missing.de
claim "unequal line counts are told" refused_before_writing 3 '(train\.en.*300.*short\.de.*299|300.*299)' train_on train.en short.de
claim "invalid UTF-8 is named by line" refused_before_writing 3 'latin1\.de:42' train_on train.en latin1.de
iconv -f utf-8 -t utf-16be train.en >utf16.en
claim "so is UTF-16, which ASCII text in it is UTF-8 too" refused_before_writing 3 'utf16\.en:1: a NUL at byte 1: UTF-16.*iconv' train_on utf16.en train.de
claim "and of it check says so" equal "$(xformer-vocab check utf16.en | grep -cE 'NUL bytes, as in UTF-16 +[0-9]+  line 1, 2|not ready')" 2
claim "an empty file is named" refused_before_writing 3 'empty\.de' train_on train.en empty.de
claim "a folder is no text" refused_before_writing 3 'full' train_on full train.de
claim "validation text is checked as well" refused_before_writing 3 'latin1\.de:42' good --valid-sets train.en latin1.de
claim "a missing vocabulary is named" refused_before_writing 3 'missing\.spm' good -v missing.spm
cp train.en broken.spm
claim "text is no vocabulary" refused_before_writing 3 'broken\.spm' good -v broken.spm

# ---- usage: 2
claim "an unknown option, with the nearest one" \
  refused_before_writing 2 "unknown option '--lern-rate'.*'--learn-rate'" good --lern-rate 0.1
claim "a value of the wrong type" refused_before_writing 2 "learn-rate.*'?fast'?" good --learn-rate fast
claim "a value out of range" refused_before_writing 2 'transformer-dropout' good --transformer-dropout 1.5
claim "an unknown task, with the list" refused_before_writing 2 "unknown task 'demi'.*demo" good --task demi
printf '# mine\nenc-depth = 1\nlern-rate = 0.1\n' >typo.toml
claim "a mistyped key, by file and line" refused_before_writing 2 "typo\.toml:3: unknown key 'lern-rate'.*learn-rate" good -c typo.toml
printf 'enc-depth = "two"\n' >kind.toml
claim "a key's wrong value, by file and line" refused_before_writing 2 "kind\.toml:1: .*enc-depth" good -c kind.toml
printf 'seed = 1\nenc-depth = = 2\n' >syntax.toml
claim "no TOML, by file and line" refused_before_writing 2 'syntax\.toml:2' good -c syntax.toml
claim "a missing config file" refused_before_writing 2 'missing\.toml' good -c missing.toml
claim "heads that do not divide the width" refused_before_writing 2 'transformer-heads: 5.*32' good --transformer-heads 5
claim "float16 is refused by name" refused_before_writing 2 'bf16' good --fp16
claim "a device that is none" refused_before_writing 2 "device: 'gpu' is none of auto, cpu, cuda" good --device gpu
claim "a device that is not there, before the text is read" \
  refused_before_writing 2 'cuda:99: .*use --device cpu' train_on train.en missing.de --device cuda:99
claim "no training text" refused_before_writing 2 'train-sets' xformer-train -m run
claim "no run folder" refused 2 'model' xformer-train -t train.en train.de

# ---- run folders
mkdir others && echo precious >others/file
claim "a folder with other things in it is refused" refused 2 'others is not empty' train others --after 4u
claim "and left alone" equal "$(ls -A others)" file
claim "a run folder that cannot be written: 5" refused 5 'train\.en/run' train train.en/run --after 4u

claim "both directions need one vocabulary" refused 2 'bidirectional: both sides must share a vocabulary' \
  train none --bidirectional 1 --joint-vocab=false --tied-embeddings-all=false
claim "and batches that hold either side" refused 2 'bidirectional: a source has .* tokens, a batch holds' \
  train none --bidirectional 1 --mini-batch-words 12

train begun --after 12u --save-freq 4u --quiet || exit 1
cp -r begun before
claim "other options than the run's: the list of them" \
  refused 2 'enc-depth was 1 and is 2.*learn-rate was 0\.003 and is 0\.1' train begun --after 12u --save-freq 4u --enc-depth 2 --learn-rate 0.1
claim "other training text than the run's" \
  refused 2 'train-sets' xformer-train "${small[@]}" -t train.de train.en -m begun --after 12u --save-freq 4u
claim "--resume and --pretrained-model: 2" refused 2 'leave out one of them' train none --resume begun/latest --pretrained-model begun
claim "--resume of an average: 3" refused 3 "begun/averaged has no optimiser state; --pretrained-model begun/averaged starts" \
  train none --resume begun/averaged
claim "of a checkpoint that has lost its optimiser: 3" refused 3 'update-000004 .*--no-optimizer-reload resumes without' \
  train none --resume begun/checkpoints/update-000004
claim "--resume of a run is that of its latest checkpoint" train from_run --resume begun --after 14u --quiet
claim "which it goes on from" grep -q 'resumed from update 12 of begun/latest' from_run/train.log
claim "--resume never on a run" refused 2 'holds a run already' train begun --after 12u --save-freq 4u --resume never
claim "all of these left the run as it was" diff -r before begun

# ---- a truncated checkpoint
truncate -s -100 begun/checkpoints/update-000012/model.safetensors
train begun --after 16u --save-freq 4u 2>err
claim "a truncated checkpoint: training goes back to the one before it" equal $? 0
claim "and says so" grep -q 'update-000012/model.safetensors: damaged: [^;]*; going back to the previous one' err
claim "and where it began" grep -q 'resumed from update 8' err
train straight --after 16u --save-freq 4u --quiet
claim "the bytes are those of a run without the accident" \
  same_bytes begun/latest/model.safetensors straight/latest/model.safetensors
for checkpoint in before/checkpoints/*; do truncate -s -100 "$checkpoint/model.safetensors"; done
train before --after 16u --save-freq 4u 2>err
claim "none whole: 3" equal $? 3
claim "and the last line says so" grep -q '^error: .*all of its checkpoints are damaged' <(tail -n 1 err)

# ---- translation and score
claim "no model here: 3" refused 3 'others' xformer-translate -m others -i test.en -o out.de
truncate -s -100 straight/averaged/model.safetensors
claim "a truncated model: 3" refused 3 'averaged/model.safetensors' xformer-translate -m straight -i test.en -o out.de
claim "a missing input: 3" refused 3 'missing\.en' xformer-translate -m begun -i missing.en -o out.de
claim "invalid UTF-8 in the input: 3, by line" refused 3 'latin1\.de:42' xformer-translate -m begun -i latin1.de -o out.de
claim "UTF-16 as well" refused 3 'utf16\.en:1: .*UTF-16' xformer-translate -m begun -i utf16.en -o out.de
claim "no output is left of any" test ! -e out.de -a ! -e out.de.tmp
claim "a sentence behind the model is no model: 2" refused 2 "'A dog.' is not a model; text comes from -i FILE or the standard input" \
  xformer-translate -m begun "A dog."
claim "nor is its file: 2" refused 2 "'test.en' is not a model; text comes from -i FILE" xformer-translate -m begun test.en
as_rank() { OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$1 "${@:2}"; }
claim "several processes would translate it all: 2" refused 2 'started as 2 processes.*only xformer-train divides it' \
  as_rank 0 xformer-translate -m begun -i test.en -o out.de
claim "the first of them says so at once" equal "$(as_rank 1 timeout 1 xformer-translate -m begun -i test.en -o out.de 2>&1)" ""
claim "no output is left of these" test ! -e out.de
claim "a hypothesis in the reference's place: 3" \
  refused 3 'the standard input has 0 lines, the reference train\.de has 300; translations are given with -i HYP' \
  xformer-score bleu train.de train.de </dev/null
seq 200 | tr '\n' ' ' >long.en
claim "check: lines that are all too long are not ready" equal "$(xformer-vocab check long.en long.en | tail -n 1)" "  not ready for training"
claim "and 1" exits 1 xformer-vocab check long.en long.en
claim "of one text, too" equal "$(xformer-vocab check long.en | tail -n 1)" "  not ready for training"
claim "one that is gets a line as well" equal "$(xformer-vocab check train.en | tail -n 1)" "  ready for training"
claim "unequal files to score: 3" refused 3 '300.*299|299.*300' xformer-score bleu train.de -i short.de
conclude
