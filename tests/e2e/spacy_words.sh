#!/usr/bin/env bash
# Words by spaCy's rules, from raw text to translations.
#   spacy_words.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
multi30k=${XFORMER_MULTI30K:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/shared/data/multi30k}
make_corpus

# ---- vocabularies from raw text
claim "a vocabulary is made" xformer-vocab train full/train.de -m de.txt --tokenizer spacy3 --lowercase --quiet
claim "its first entries are told" grep -q 'entries (<unk> <pad> <sos> <eos> ' \
  <(xformer-vocab train full/train.de -m told.txt --tokenizer spacy3 --lowercase 2>&1)
claim "it says by which rules" equal "$(head -n 1 de.txt)" "#words spacy3 de lowercase"
claim "specials come first" equal "$(sed -n 2,5p de.txt | tr '\n' ' ')" "<unk> <pad> <sos> <eos> "
claim "it cuts as it says, then lower-cases" \
  equal "$(echo "Das T-Shirt, z.B. am 3. Mai." | xformer-vocab encode -m de.txt --lowercase | tr -cd ' ' | wc -c)" 7
cp full/train.de text
refused=$(xformer-vocab train text -m x.txt --tokenizer spacy3 2>&1)
claim "a text without a language is refused" equal "$? ${refused/*--languages*/--languages}" "2 --languages"
claim "and made with one" xformer-vocab train text -m x.txt --tokenizer spacy3 --languages de --lowercase --quiet
claim "the same" same_bytes de.txt x.txt
joint=$(xformer-vocab train full/train.de full/train.en -m y.txt --tokenizer spacy3 2>&1)
claim "one vocabulary of two languages is refused" equal "$? ${joint/*joint-vocab*/joint-vocab}" "2 joint-vocab"

# ---- a model
words=(--tokenizer spacy2.2 --lowercase --joint-vocab=false --tied-embeddings-all=false)
claim "a model is trained on such words" train run --after 20u --quiet "${words[@]}"
claim "a vocabulary for each side lies in its folder" \
  equal "$(head -qn 1 run/vocab.*.txt)" "$(printf '#words spacy2.2 %s lowercase\n' en de)"
claim "it translates" xformer-translate -m run -i test.en -o out.de --quiet
claim "a line for a line" equal "$(wc -l <out.de)" "$(wc -l <test.en)"
claim "capitals do not matter to it" \
  same_bytes <(xformer-translate -m run -i test.en --quiet) <(tr '[:upper:]' '[:lower:]' <test.en | xformer-translate -m run --quiet)
claim "its vocabularies serve another run" train again --after 2u --quiet "${words[@]}" -v run/vocab.source.txt run/vocab.target.txt
other=$(train wrong --after 2u --quiet -v run/vocab.source.txt run/vocab.target.txt --tied-embeddings-all=false 2>&1)
claim "but not one that lower-cases before it cuts" equal "$? ${other/*--tokenizer*/--tokenizer}" "2 --tokenizer"

# ---- the vocabularies of the systems that docs/guide/vocabularies.md names; counted outside this project, by spaCy's published rules
sha() { tail -n +2 "$1" | head -c -1 | sha256sum | cut -c 1-16; }
if [ -e "$multi30k/train.en" ]; then
  while read -r rules language entries hash; do
    file=$rules.$language.txt
    xformer-vocab train "$multi30k/train.$language" -m "$file" --tokenizer "$rules" --lowercase --min-freq 2 --quiet
    claim "$rules $language: entries and SHA-256" equal "$(($(wc -l <"$file") - 1)) $(sha "$file")" "$entries $hash"
  done <<'EOF'
spacy3 en 5893 d375e38affcd2982
spacy3 de 7853 c6709555cdc54fa5
spacy2.2 en 5893 cd8acfb5ca0cd34f
spacy2.2 de 7855 72745f775458ca10
EOF
else
  echo "[skipped] no Multi30k: set XFORMER_MULTI30K to a folder with train.en"
fi
conclude
