#!/usr/bin/env bash
# Vocabularies that other toolkits wrote, and text that a vocabulary does not know.
#   vocabularies_of_others.sh FOLDER_OF_THE_PROGRAMS
fixtures=$(cd "$(dirname "$0")/../fixtures/marian" && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus

# ---- lists of words, as they stand in text that is cut already
for side in en de; do
  for set in train valid test; do sed 's/[.,!?]/ &/g' "$set.$side" >"$set.cut.$side"; done
  tr ' ' '\n' <"train.cut.$side" | grep . | sort | uniq -c | sort -k 1,1nr -k 2,2 >counts
  awk '{ print $2 " " $1 }' counts >"dict.$side.txt"                                             # fairseq
  (printf '<unk>\n<pad>\n<s>\n</s>\n' && cut -d' ' -f 1 "dict.$side.txt") >"voc_file.$side"       # joeynmt
  awk '{ gsub(/["\\]/, "\\\\&"); print "\"" $0 "\": " NR - 1 }' \
    <(printf '</s>\n<unk>\n' && cut -d' ' -f 1 "dict.$side.txt") >"vocab.$side.yml"               # Marian
  awk '{ gsub(/["\\]/, "\\\\&"); printf "%s\"%s\": %d", NR == 1 ? "{" : ", ", $0, NR - 1 } END { print "}" }' \
    <(cut -d' ' -f 1 "voc_file.$side") >"vocab.$side.json"                                       # transformers
done
words=(--joint-vocab=false --tied-embeddings-all=false --after 3u --quiet)
cut_text() { # run, options...
  local run=$1
  shift
  xformer-train "${small[@]}" -t train.cut.en train.cut.de --valid-sets valid.cut.en valid.cut.de -m "$run" "${words[@]}" "$@"
}
for lists in "voc_file.en voc_file.de" "dict.en.txt dict.de.txt" "vocab.en.yml vocab.de.yml" "vocab.en.json vocab.de.json"; do
  rm -rf run
  # shellcheck disable=SC2086  # two words
  claim "$lists: are read" cut_text run -v $lists
  claim "and know all of the text" grep -q 'source: .* 0.00% unknown · target: .* 0.00% unknown' run/train.log
  claim "and no warning" test ! "$(grep 'warning: .*unknown' run/train.log)"
  xformer-translate -m run -i test.cut.en -o out.cut --quiet
  claim "a translation is words as they stand" equal \
    "$(xformer-vocab encode -m voc_file.de -i out.cut --format id | grep -cw 0)" 0
  # shellcheck disable=SC2086  # the first of two words
  xformer-vocab encode -m ${lists%% *} -i train.cut.en --format id -o ids && xformer-vocab decode -m ${lists%% *} -i ids --format id -o text
  claim "xformer-vocab: text comes back" same_bytes train.cut.en text
done
claim "a vocabulary learnt of words as they stand" cut_text learnt --tokenizer whitespace
claim "what xformer-vocab makes, too" xformer-vocab train train.cut.en -m whitespace.txt --tokenizer whitespace --quiet
claim "and says so" equal "$(head -n 1 whitespace.txt)" "#words whitespace"
claim "a list by ICU's words is still one" xformer-vocab train train.en -m icu.txt --tokenizer icu --quiet
claim "which knows its text" test "$(xformer-vocab check train.en -m icu.txt | awk '/unknown tokens/ { print $4 < 5 }')" = 1

# ---- text that the vocabulary does not know
rm -rf run
sed 's/^/\xE2\x96\x81/; s/ / \xE2\x96\x81/g' train.cut.de | tr ' ' '\n' | sort -u >pieces
refuses() { # words, options...
  local pattern=$1
  shift
  refused 3 "$pattern.*--allow-unknown" xformer-train "${small[@]}" -m run "${words[@]}" "$@"
}
claim "pieces, and text that is not cut: 3" refuses 'train.de: 100.0% of the tokens are unknown to the vocabulary pieces, the first on train.en, train.de: line 1; its entries are pieces' \
  -t train.en train.de -v voc_file.en pieces --min-freq 1
claim "another language's words: 3, the source too" refuses 'train.en: .* unknown to the vocabulary voc_file.de' -t train.en train.de -v voc_file.de
claim "characters: 3, and the option that reads them" refuses 'give --tokenizer character' -t train.en train.de -v <(fold -w 1 train.en | sort -u | grep -v ' ')
claim "nothing was written" test ! -e run
claim "a list with capitals, and text that is lower-cased: how to keep them" grep -q 'warning: .*voc_file.de, .*give --lowercase=false' <(cut_text cased -v voc_file.en voc_file.de --lowercase 2>&1)
{ cat voc_file.de; printf 'e\xcc\x81te\xcc\x81\n\xc3\xa9t\xc3\xa9\n'; } >both_forms
claim "words that are one in NFC are told, once" equal \
  "$(cut_text forms -v voc_file.en both_forms 2>&1 | grep -c "warning: both_forms: 1 of its words, as 'été'")" 1
claim "told to, it trains" xformer-train "${small[@]}" -m run "${words[@]}" -t train.en train.de -v voc_file.en pieces --allow-unknown
claim "with a warning" grep -q 'warning: train.de: 100.0% of the tokens are unknown' run/train.log
claim "and goes on" xformer-train -m run --after 4u --quiet
yes 'слово' | head -n 300 >train.ru
xformer-vocab train train.de -m de.spm --vocab-size 200 --quiet
claim "a SentencePiece model of another script: 3" refused 3 'train.ru: 100.0% .*; give a SentencePiece model of this language' \
  xformer-train "${small[@]}" -t train.ru train.de -v de.spm -m script --after 3u
claim "a language model" refused 3 'train.ru: 100.0% of the tokens are unknown to the vocabulary de.spm' \
  xformer-train --task language-model -t train.ru -v de.spm -m lm --dec-depth 1 --after 3u
yes $'a\nb' | head -n 300 >labels
claim "a classifier" refused 3 'train.ru: 100.0% of the tokens are unknown to the vocabulary de.spm' \
  xformer-train --task classification -t train.ru labels -v de.spm -m classes --enc-depth 1 --after 3u
train german --after 3u --quiet
claim "fine-tuning a model that does not know the text" refused 3 'train.ru: 100.0% of the tokens are unknown to the vocabulary .*german/vocab.spm' \
  xformer-train --pretrained-model german -t train.ru train.de -m tuned --after 3u
claim "xformer-vocab check: such a text is not ready" equal "$(xformer-vocab check train.ru -m de.spm | tail -n 1)" "  not ready for training"

for set in train valid; do sed 's/\([a-z]\{3\}\)\([a-z]\)/\1@@ \2/g' "$set.de" >"$set.bpe"; done
xformer-vocab train train.bpe -m bpe.txt --tokenizer whitespace --min-freq 1 --quiet
xformer-train "${small[@]}" -m bpe -t train.cut.en train.bpe --valid-sets valid.cut.en valid.bpe -v voc_file.en bpe.txt "${words[@]}" 2>log
claim "BLEU of pieces is said to be that" grep -q 'warning: BLEU and chrF of validations count pieces' log

# ---- a multilingual model of OPUS-MT: tags are entries of its vocabulary
cp -r "$fixtures/opus" opus
sed -i 's/^"ü":/">>fra<<":/; s/^"ä":/">>deu<<":/' opus/vocab.json  # of the target alone
head -n 3 opus/lines >plain
for tag in fra deu xyz; do sed "s/^/>>$tag<< /" plain >"$tag"; done
multilingual() { xformer-translate -m opus --max-length 12 -b 1 --n-best -i "$1" -o "$1.out" 2>log; }
multilingual fra && claim "a line with a tag that the model knows: no warning" test ! "$(grep '>>' log)"
multilingual deu && claim "another tag, another translation or score" differ fra.out deu.out
multilingual xyz
claim "a tag that it lacks is told once" equal "$(grep '>>' log)" "warning: xyz:1: >>xyz<< is unknown to the model; it has >>deu<< >>fra<<"
multilingual plain
claim "so is a line without" equal "$(grep '>>' log)" \
  "warning: plain:1: does not begin with a language tag, and the model has several; begin lines with one of >>deu<< >>fra<<"
paste -d '\n' fra plain | head -n 4 >mixed
xformer-train --pretrained-model opus -t mixed mixed -m multi --after 1u --quiet 2>log
claim "training says how many lines lack one" grep -q 'warning: mixed: 50.0% of the lines do not begin with a language tag' log

# ---- what is no vocabulary
printf '#version: 0.2\nd e\n' >codes
claim "merges are no vocabulary" refused 3 'codes: merges of BPE.*subword-nmt apply-bpe' train none -v codes
claim "nor is text" refused 3 "train.en:1: .* are several words" train none -v train.en
conclude
