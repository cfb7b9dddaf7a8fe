#!/usr/bin/env bash
# Models to and from other toolkits: what our own readers say of it, and models that transformers made
# (tests/golden/make_marian.py), and models as Marian writes them (tests/golden/make_marian_npz.py).
#   exchange.sh FOLDER_OF_THE_PROGRAMS
# With those toolkits themselves: exchange_peers.sh.
fixtures=$(cd "$(dirname "$0")/../fixtures/marian" && pwd)
npz=$(cd "$(dirname "$0")/../fixtures/marian_npz" && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
make_run() { train "$@" --after 8u --save-freq 4u --quiet; }
to() { xformer-export to "$@"; }
translate() { xformer-translate -m "$1" -i test.en -b 3 --n-best --word-scores --quiet "${@:2}"; }
same_translations() { same_bytes <(translate "$1") <(translate "$2"); }
same_scores() { # within 2e-5 a token, and the same text
  paste -d ' ' <(translate "$1" | tr ' ' '\n') <(translate "$2" | tr ' ' '\n') | awk '
    $1 == $2 { next }
    $1 !~ /^-?[0-9.]+$/ || $2 !~ /^-?[0-9.]+$/ || ($1 - $2) ^ 2 > ($1 ^ 2 + 1) * 4e-10 { bad = 1; print "        " $0 }
    END { exit bad }'
}
make_run run || exit 1

# ---- to CTranslate2 and back
claim "to ctranslate2" to ctranslate2 -m run -o ct2 --verify 2>log
claim "says what it compared" grep -qE "^verified: read again, log-probabilities differ by at most 0$" log
claim "the folder translates as the run does, to the bit" same_translations run ct2
for _ in $(seq 230); do cat test.en; done >long.en # of 6,400 lines at a time
go_on() { exec xformer-translate -m ct2 -i long.en -o later.de --continue --quiet; }
finished() { (go_on); }
go_on &
while kill -0 $! 2>/dev/null && ! grep -qs '"lines":[1-9]' later.de.unfinished.json; do sleep 0.02; done
kill -KILL $!
wait $! 2>/dev/null
touch -r ct2/model.bin stamp && touch -d 2001-01-01 ct2/model.bin
claim "a file that is finished later is not, with its model changed" refused 2 "started with another model, input or options" finished
touch -r stamp ct2/model.bin
claim "and is with its own" finished
claim "as in one go" same_bytes later.de <(xformer-translate -m ct2 -i long.en --quiet)
claim "as a model of this project, too" to xformer -m ct2 -o back --quiet
claim "it translates the same" same_translations run back
to ctranslate2 -m back -o again --quiet
claim "to there and back: the same tensors" same_bytes ct2/model.bin again/model.bin
bytes() { stat -c %s "$1"; }
for type in float16 int8; do
  claim "to ctranslate2 in $type" to ctranslate2 -m run -o "ct2-$type" --quantization $type --verify --quiet
  claim "it is smaller" test "$(bytes "ct2-$type/model.bin")" -lt "$(bytes ct2/model.bin)"
  claim "and translates" test "$(translate "ct2-$type" | wc -l)" -ge 60
done
variants=(
  "pre --norm pre --transformer-ffn-activation gelu"
  "learned --transformer-train-positions --max-length 60 --transformer-ffn-activation swish"
  "rotary --transformer-rotary-positions"
  "split --position-layout split"
  "untied --tied-embeddings-all=false --joint-vocab=false"
  "target --tied-embeddings-all=false --tied-embeddings --joint-vocab=false --dec-depth 2"
  "words --tokenizer icu --min-freq 1"
)
for variant in "${variants[@]}"; do
  read -r name options <<<"$variant"
  # shellcheck disable=SC2086  # one word per option
  make_run "$name" $options
  claim "to ctranslate2: $options" to ctranslate2 -m "$name" -o "$name.ct2" --verify --quiet
  claim "translates as the run does" same_translations "$name" "$name.ct2"
done

# ---- to MarianMT and back
claim "to hf-marian" to hf-marian -m run -o hf --verify 2>log
claim "translates as the run does, but for the order of sums" same_scores run hf
claim "as a model of this project, too" to xformer -m hf -o hf.run --quiet
to hf-marian -m hf.run -o hf.again --quiet
claim "to there and back: the same tensors" same_bytes hf/model.safetensors hf.again/model.safetensors
claim "and the same settings" same_bytes hf/config.json hf.again/config.json
for name in split untied target; do
  claim "to hf-marian: $name" to hf-marian -m "$name" -o "$name.hf" --verify --quiet
  claim "translates as the run does" same_scores "$name" "$name.hf"
done
claim "of sinusoids in its own order, to the bit" same_translations split split.hf

# ---- models that transformers made
few() { xformer-translate -m "$1" -i "$2/lines" -b 1 --max-length 12 --max-length-factor 100 --quiet "${@:3}"; }
# as_theirs MODEL FOLDER BOUND: its texts are the folder's, and its log-probabilities within the bound.
as_theirs() {
  same_bytes <(few "$1" "$2") "$2/greedy" || return 1
  awk -v bound="$3" '
    FNR == NR { theirs[NR] = $0; next }
    { if (split(theirs[FNR], a) != NF) exit bad = 1
      for (i = 1; i <= NF; ++i) if ((a[i] - $i) ^ 2 > bound ^ 2) { bad = 1; print "        " a[i], $i } }
    END { exit bad + (FNR != 24) }' "$2/log_probabilities" <(few "$1" "$2" --word-scores | sed 's/.* ||| WordScores= //')
}
for name in opus separate untied; do
  model=$fixtures/$name
  claim "MarianMT, $name: text and log-probabilities of transformers" as_theirs "$model" "$model" 1e-5
  claim "as a model of this project" to xformer -m "$model" -o "$name.run" --quiet
  claim "the same text" as_theirs "$name.run" "$model" 1e-5
done
claim "and in the older form of PyTorch's files as in the newer one" test -s "$fixtures/untied/pytorch_model.bin"
to safetensors -m opus.run -o opus.safetensors --quiet
to hf-marian -m opus.run -o opus.hf --quiet
claim "to there, here and there: the same tensors" same_bytes opus.hf/model.safetensors \
  <(to xformer -m opus.hf -o opus.back --quiet && to hf-marian -m opus.back -o opus.hf2 --quiet && cat opus.hf2/model.safetensors)

# ---- a multilingual model: its tags are cut out of text by SentencePiece as well, for who has nothing else
cp -r "$fixtures/opus" tagged && chmod -R u+w tagged && sed -i 's/^"b": /">>fra<<": /' tagged/vocab.json
sed 's/^/>>fra<< /' "$fixtures/opus/lines" >tagged.en
to xformer -m tagged -o tagged.run --quiet 2>log
claim "to ctranslate2, with tags" to ctranslate2 -m tagged.run -o tagged.ct2 --verify 2>log
claim "a warning says how to give them" grep -qF '[">>fra<<"] + pieces.encode(TEXT)' log
cut_tagged() { xformer-vocab encode -m "$1" -i tagged.en; }
claim "the tag is a piece, and none is before it" equal "$(cut_tagged tagged.run | cut -d ' ' -f 1 | uniq)" ">>fra<<"
claim "the export's file cuts the same here" same_bytes <(cut_tagged tagged.run) <(cut_tagged tagged.ct2/vocab.source.spm)
claim "it is the same model" same_bytes <(few tagged.run "$fixtures/opus" --word-scores) <(few tagged.ct2 "$fixtures/opus" --word-scores)
to xformer -m tagged.ct2 -o tagged.back --quiet 2>log
claim "whose vocabulary comes back" same_bytes tagged.run/vocab.source.spm tagged.back/vocab.source.spm

# ---- models as Marian writes them, whose layer normalisation adds 1e-6 to the variance: with 1e-5 they are up to 5e-5 off
for name in post pre; do
  model=$npz/$name
  claim "Marian, $name-norm: text and log-probabilities of its equations" as_theirs "$model" "$model" 1e-5
  claim "the file by its name, too" as_theirs "$model/model.npz" "$model" 1e-5
  claim "as a model of this project" to xformer -m "$model" -o "$name.marian" --quiet
  claim "the same text" as_theirs "$name.marian" "$model" 1e-5
  claim "for CTranslate2 and back" to ctranslate2 -m "$name.marian" -o "$name.marian.ct2" --verify --quiet
  claim "the same text" as_theirs "$name.marian.ct2" "$model" 1e-5
done
# A folder without SentencePiece models, as classical models of Marian are: text is cut already, by whom ever. A vocabulary may
# be a plain list, too.
cp -r "$npz/post" cut.npz && rm cut.npz/*.spm
xformer-vocab encode -m post.marian/vocab.source.spm -i "$npz/post/lines" -o pieces
xformer-translate -m post.marian -i pieces --no-spm-encode --no-spm-decode -b 1 --max-length 12 --quiet >as_pieces
claim "without SentencePiece lines are pieces" same_bytes as_pieces \
  <(xformer-translate -m cut.npz -i pieces -b 1 --max-length 12 2>log)
claim "and a warning says so" grep -q "warning: cut.npz: no SentencePiece model .* lines must be pieces of the model's vocabulary, separated by spaces" log
to xformer -m cut.npz -o cut.run --quiet 2>log
claim "as a model of this project, too" same_bytes as_pieces <(xformer-translate -m cut.run -i pieces -b 1 --max-length 12 --quiet)
sed 's/^"\(.*\)": [0-9]*$/\1/; s/^\([^"].*\): [0-9]*$/\1/; s/\\\(.\)/\1/g' "$npz/post/opus.vocab.yml" >cut.npz/list
sed 's/opus.vocab.yml/list/g' "$npz/post/decoder.yml" >cut.npz/decoder.yml
claim "its vocabulary may be a plain list" same_bytes as_pieces <(xformer-translate -m cut.npz -i pieces -b 1 --max-length 12 2>log)
claim "to hf-marian: 2" refused 2 "positions have Marian's frequencies" to hf-marian -m post.marian -o new
cp -r "$npz/post" other.npz
echo "word-penalty: 0.5" >>other.npz/decoder.yml
xformer-translate -m other.npz -i "$npz/post/lines" --max-length 12 >/dev/null 2>log
claim "a search's option that is not read is named" grep -q "^warning: other.npz/decoder.yml: not read, and would change translations there: word-penalty$" log
cp -r "$npz/post" hurt.npz && rm hurt.npz/opus.vocab.yml
claim "without its vocabulary: 3" refused 3 "opus.vocab.yml: is missing; the model's vocabulary must be in the same folder" to xformer -m hurt.npz -o new
head -c 3000 "$npz/post/model.npz" >hurt.npz/model.npz
claim "half of a file: 3" refused 3 "hurt.npz/model.npz: not a valid archive" to xformer -m hurt.npz -o new
cp "$npz/pre/model.npz" hurt.npz/other.npz && rm hurt.npz/model.npz && cp hurt.npz/other.npz hurt.npz/another.npz
claim "two: 2" refused 2 "2 .npz files and none is model.npz; name the one" to xformer -m hurt.npz -o new

# ---- one file
claim "to safetensors" to safetensors -m run -o run.safetensors --quiet
claim "with as many parameters" equal "$(xformer-export inspect run.safetensors | grep '^total')" "$(xformer-export inspect run | grep '^total')"
claim "of another toolkit's model, too" to safetensors -m ct2 -o ct2.safetensors --quiet
claim "the same tensors" xformer-export diff run.safetensors ct2.safetensors
claim "to text" to text -m run -o run.txt --quiet
claim "a line for each tensor, and one for each row" equal "$(grep -c '^[a-z]' run.txt)" "$(grep -c 'F32' <(xformer-export inspect run))"
claim "the embedding's first row" equal "$(grep -A 1 '^embedding.weight 200 32$' run.txt | tail -n 1 | wc -w)" 32

# ---- refusals
claim "pre-norm to MarianMT: 2" refused 2 "norm is pre, and MarianMT has post-norm alone; export to ctranslate2" to hf-marian -m pre -o new
claim "learnt positions: 2" refused 2 "positions are learnt, and MarianMT computes sinusoids" to hf-marian -m learned -o new
claim "rotary positions: 2" refused 2 "positions are rotary, and MarianMT computes sinusoids" to hf-marian -m rotary -o new
claim "a vocabulary of words: 2" refused 2 "MarianMT's tokenizer needs SentencePiece" to hf-marian -m words -o new
quirky() { train quirky --after 2u --quirks pad-axis=both --tied-embeddings-all=false --quiet; }
quirky
claim "quirks: 2" refused 2 "trained with --quirks" to ctranslate2 -m quirky -o new
claim "their weights have a file" to safetensors -m quirky -o quirky.safetensors --quiet
xformer-train --task language-model --dim-emb 32 --transformer-dim-ffn 64 --dec-depth 1 --vocab-size 200 -t train.de -m lm --after 2u --quiet
claim "a language model: 2" refused 2 "a language model, and hf-marian has models that translate" to hf-marian -m lm -o new
xformer-export quantize -m run -o small --quiet
claim "a model in eight bits: 2" refused 2 "its weights are int8; give the model before quantization" to ctranslate2 -m small -o new
claim "nothing is left of all that" test ! -e new -a ! -e new.tmp
claim "what exists is left: 2" refused 2 "ct2 exists" to ctranslate2 -m run -o ct2
claim "--overwrite replaces it" to ctranslate2 -m run -o ct2 --overwrite --quiet
ln -s ct2 link
claim "behind a link too, which stays" to ctranslate2 -m run -o link --overwrite --quiet
claim "and is the folder's" test -L link -a -f ct2/model.bin
ln -s nowhere dangling
claim "a link that leads nowhere: 2" refused 2 'dangling is a link that leads to no folder' to ctranslate2 -m run -o dangling --quiet
claim "inspect: another toolkit's is called so: 2" refused 2 "ct2: another toolkit's model" xformer-export inspect ct2
claim "average, too: 2" refused 2 "hf: another toolkit's model" xformer-export average hf -o new
touch ct2/notes
claim "not with more in it: 2" refused 2 "more than a model" to ctranslate2 -m run -o ct2 --overwrite
claim "nor a run: 2" refused 2 "more than a model" to ctranslate2 -m run -o run --overwrite
no_room() { (ulimit -f 16 && to ctranslate2 -m run -o new); }
claim "no room: 5" refused 5 "new" no_room
claim "and nothing is left" test ! -e new -a ! -e new.tmp
claim "an unknown format: 2" refused 2 "format" to onnx -m run -o new
claim "no format: 2" refused 2 "needs --format ctranslate2\|hf-marian\|safetensors\|text\|xformer; see" to -m run -o new
claim "no model of another toolkit: 2" refused 2 "run: no model of another toolkit" to xformer -m run -o new
claim "an option of another format: 2" refused 2 "quantization is for ctranslate2" to hf-marian -m run -o new --quantization int8
damage() { rm -rf hurt && cp -r "$1" hurt && printf '\377\377\377' | dd of="hurt/$2" bs=1 seek="$3" conv=notrunc status=none; }
damage again model.bin 30
claim "a damaged model.bin: 3" refused 3 "hurt/model.bin" xformer-translate -m hurt -i test.en
head -c 2000 again/model.bin >hurt/model.bin
claim "half of it: 3" refused 3 "hurt/model.bin: not a valid CTranslate2 model: it ends too early" to xformer -m hurt -o new
rm -rf hurt && cp -r hf hurt && sed -i 's/"d_model": 32/"d_model": 64/' hurt/config.json
claim "settings that do not fit: 3" refused 3 "the other tensors make it" to xformer -m hurt -o new
rm -rf hurt && cp -r hf hurt && sed -i 's/"relu"/"tanh"/' hurt/config.json
claim "an activation that is not here: 2" refused 2 "activation_function is 'tanh'" to xformer -m hurt -o new
rm -rf hurt && cp -r "$fixtures/separate" hurt && python_code='cposix\nsystem\n(X\005\000\000\000touchtR.'
printf "$python_code" >hurt/pytorch_model.bin
claim "a pickle that calls something: 3" refused 3 "it calls posix system" to xformer -m hurt -o new
claim "nothing is left of these either" test ! -e new -a ! -e new.tmp
conclude
