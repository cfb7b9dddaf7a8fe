#!/usr/bin/env bash
# What there is not enough of: files that may be open at a time, and numbers that anybody could mean. A program works, or
# ends in one line with the reason; it does not hang, and takes nothing that it could not read for empty.
#   limits.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
head -n 3 test.en >t.en && head -n 3 test.de >t.de
tiny=(--vocab-size 120 --dim-emb 16 --transformer-heads 2 --transformer-dim-ffn 16 --enc-depth 1 --dec-depth 1 --quiet)
training=(xformer-train "${tiny[@]}" -t train.en train.de --valid-sets t.en t.de --after 2u)
claim "a model" "${training[@]}" -m made
paste -d '\n' test.en test.de >text
sed 's/.*/en\nde/' test.en >labels
claim "one of language" xformer-train "${tiny[@]}" --task language-model --enc-depth 0 --dec-depth 1 -t text -m lm --after 2u
claim "one that classifies" xformer-train "${tiny[@]}" --task classification --enc-depth 1 --dec-depth 0 -t text labels -m classes --after 2u

# ---- open files
# told COMMAND...: with room for 4 to 16 files each, and a run and an output as they were.
told() {
  local files code wrong=0
  for files in {4..16}; do
    rm -rf out run && cp -r made run
    timeout 60 prlimit --nofile="$files:$files" "$@" >printed 2>said
    code=$?
    [ "$code" = 0 ] || grep -q '^error: .*Too many open files' said && continue
    [ "$code" = 127 ] && grep -q 'loading shared libraries' said && continue # the system, before the program
    echo "        with $files files: exit code $code:"
    sed 's/^/        /' said
    wrong=1
  done
  return $wrong
}
claim "few files: training" told "${training[@]}" -m out
claim "few files: training in the place of a run" told "${training[@]}" -m run --overwrite
claim "few files: going on" told xformer-train -m run --after 4u --quiet
claim "few files: a prepared text" told "${training[@]}" -m out --cache out_cache
claim "few files: translating" told xformer-translate -m run -i t.en -o out --quiet
claim "few files: with --continue" told xformer-translate -m run -i t.en -o out --continue --quiet
claim "few files: scoring" told xformer-score bleu t.de -i t.de
claim "few files: measuring" told xformer-score lm -m run -t t.en t.de
claim "few files: a vocabulary" told xformer-vocab train -i t.en -o out --vocab-size 60 --quiet
claim "few files: averaging" told xformer-export average -m run -o out
claim "few files: exporting" told xformer-export to ctranslate2 -m run -o out
claim "few files: looking inside" told xformer-export inspect -m run

# ---- absurd numbers
counts() { # PROGRAM [COMMAND]: its options that take a number
  "$@" --help-all | grep -oE -- '--[a-z0-9-]+ (N|X|P|A|K|W|MB|SECONDS|N,\.\.\.|N\[,N\]|[NXW]\.\.\.|N M)( |$)' | cut -d ' ' -f 1 | sort -u
}
# borne 'PROGRAM [COMMAND]' ARGUMENT...: with each of its numbers absurd.
borne() {
  local program=$1 option value code wrong=0 tried=0
  shift
  read -ra program <<<"$program"
  for option in $(counts "${program[@]}"); do
    for value in 4294967298 4611686018427387904 1e400 nan; do
      rm -rf out
      tried=$((tried + 1))
      timeout 20 "${program[@]}" "$@" "$option=$value" >printed 2>said </dev/null
      code=$?
      case $code in
        0) continue ;;
        2 | 3 | 4) grep -q '^error: ' said && ! grep -qE 'vector|basic_string|std::' said && continue ;;
      esac
      echo "        $option=$value: exit code $code:"
      tail -n 3 said | sed 's/^/        /'
      wrong=1
    done
  done
  [ "$tried" -gt 0 ] || { echo "        no number was found"; return 1; }
  return $wrong
}
claim "absurd numbers: xformer-train" borne xformer-train "${training[@]:1}" -m out
claim "absurd numbers: --print-model" refused 2 'vocab-sizes: 4611686018427387904 is out of range' \
  xformer-train --print-model --vocab-sizes 4611686018427387904 4611686018427387904
claim "absurd numbers: xformer-translate" borne xformer-translate -m made -i t.en --quiet
claim "absurd numbers: xformer-generate" borne xformer-generate -m lm --quiet
claim "absurd numbers: xformer-classify" borne xformer-classify -m classes -i t.en --quiet
claim "absurd numbers: xformer-score" borne xformer-score bleu t.de -i t.de
claim "absurd numbers: xformer-score lm" borne "xformer-score lm" -m made -t t.en t.de
claim "absurd numbers: xformer-vocab train" borne "xformer-vocab train" -i t.en -o out --quiet
claim "absurd numbers: xformer-vocab field" borne "xformer-vocab field" t.en
claim "absurd numbers: xformer-vocab batches" borne "xformer-vocab batches" -i t.en t.de
claim "absurd numbers: xformer-export average" borne "xformer-export average" -m made -o out
claim "absurd numbers: xformer-explain positions" borne "xformer-explain positions"
claim "absurd numbers: xformer-explain beam" borne "xformer-explain beam" -m made 'a dog'
claim "absurd numbers: xformer-explain logits" borne "xformer-explain logits" -m made 'a dog'
conclude
