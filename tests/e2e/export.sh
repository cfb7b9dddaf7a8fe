#!/usr/bin/env bash
# xformer-export: averages on demand, and what a model consists of.
#   export.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
train run --after 12u --save-freq 2u --keep-last 4 --valid-sets valid.en valid.de --valid-freq 2u \
  --valid-metrics ce-mean-words --quiet || exit 1
average() { xformer-export average "$@"; }
inspect() { xformer-export inspect "$@"; }
same_model() { same_bytes "$1/model.safetensors" "$2/model.safetensors" && same_bytes "$1/training.toml" "$2/training.toml"; }
another_model() { ! cmp -s "$1/model.safetensors" "$2/model.safetensors"; }
saves=run/checkpoints

# ---- average
average -m run -o same 2>log
claim "without a number: the bytes of the average that training wrote" same_model same run/averaged
claim "--quiet says nothing" equal "$(average -m run --last 4 -o last --quiet 2>&1)" ""
claim "which are fewer than are kept, where fewer are better" another_model last run/averaged
average $saves/update-0000{06,08,10,12} -o named --quiet
claim "the last four are the same by their names" same_model named last
average -m run --last 2 -o two/ 2>two.log
claim "of fewer it is another" another_model two last
loss=$(awk '$1 == 10 { printf "%.4f", $4 }' run/valid.tsv)
claim "it says what it took, with its score" grep -qxF "update 10  ce-mean-words $loss  $saves/update-000010" two.log
claim "and how many" grep -qx "two: the mean of 2 checkpoints" two.log
average -m run --best 1 -o best --quiet
claim "--best 1 is the best" same_bytes best/model.safetensors run/best/model.safetensors
mkdir elsewhere && mv two elsewhere/
claim "the folder stands alone: it translates" xformer-translate -m elsewhere/two -i test.en -o translated --quiet -b 1
claim "each line" equal "$(wc -l <translated)" "$(wc -l <test.en)"

claim "what exists is left: 2" refused 2 "same exists" average -m run --last 1 -o same
claim "and is as it was" same_model same run/averaged
claim "--overwrite replaces a model" average -m run --last 2 -o same --overwrite --quiet
claim "by the other" another_model same run/averaged
touch same/notes
claim "a folder with more in it is not replaced: 2" refused 2 "more than a model" average -m run -o same --overwrite
claim "nor is a run" refused 2 "more than a model" average -m run -o run --overwrite
claim "nor is a save counted twice: 2" refused 2 "would count twice" average $saves/update-000012 run/latest -o twice
claim "nor what is averaged" refused 2 "is an input as well" average $saves/update-000010 $saves/update-000012 \
  -o $saves/update-000010 --overwrite
mkdir new.tmp && touch new.tmp/precious
claim "a folder called NAME.tmp is in the way: 2" refused 2 "in the way" average -m run -o new
claim "and is not touched" test -e new.tmp/precious
rm -r new.tmp
claim "more checkpoints than there are: 2" refused 2 "checkpoints?, not 99" average -m run --last 99 -o new
claim "no place to write to: 2" refused 2 "needs --output" average -m run
claim "no checkpoints: 2" refused 2 "needs --model RUN or checkpoints" average -o new
claim "a folder that is no run: 3" refused 3 "no checkpoints here" average -m full -o new
claim "a checkpoint that is not there: 3" refused 3 "nowhere: no such folder" average nowhere -o new
no_room() { (ulimit -f 16 && average -m run -o new); }
claim "no room: 5" refused 5 "new" no_room
claim "nothing is left of all that" test ! -e new -a ! -e new.tmp

train gelu --after 2u --transformer-ffn-activation gelu --vocabs run/vocab.spm --quiet
claim "a model that computes otherwise is refused: 3" \
  refused 3 'transformer-ffn-activation is "gelu", not "relu"' average run/best gelu -o new
train narrow --after 2u --dim-emb 16 --vocabs run/vocab.spm --quiet
claim "a model of another shape is refused by its name: 3" refused 3 "narrow/averaged is another model than run/best: dim-emb is 16" average run/best narrow -o new
train reworded --after 2u --vocab-size 150 --quiet
claim "one of another vocabulary, too: 3" refused 3 "reworded/averaged and run/best have different vocabularies" \
  average run/best reworded -o new
cp -rL run broken
printf X | dd of=broken/checkpoints/update-000010/model.safetensors bs=1 seek=3000 conv=notrunc status=none
claim "a damaged one, too: 3" refused 3 "update-000010/model.safetensors: damaged" average -m broken --last 4 -o new

# ---- quantize
quantize() { xformer-export quantize "$@"; }
xformer-translate -m run -i test.en -o eight.nbest --precision int8 --n-best --word-scores --quiet
quantize -m run -o small/ 2>small.log
claim "quantize: the model in eight bits translates as --precision int8 does, with the same scores" same_bytes eight.nbest \
  <(xformer-translate -m small -i test.en --n-best --word-scores --quiet)
claim "with --precision int8 as well" same_bytes eight.nbest \
  <(xformer-translate -m small -i test.en --n-best --word-scores --quiet --precision int8)
claim "otherwise than in f32" differ eight.nbest <(xformer-translate -m run -i test.en --n-best --word-scores --quiet)
xformer-export to ctranslate2 -m run -o theirs --quiet
claim "of another toolkit's model, too" quantize -m theirs -o small.theirs 2>theirs.log
claim "which it names" grep -q "^small.theirs: [0-9,]* bytes, made of theirs$" theirs.log
claim "with its vocabulary, so that it translates the same" same_bytes eight.nbest \
  <(xformer-translate -m small.theirs -i test.en --n-best --word-scores --quiet)
bytes() { stat -c %s "$1/model.safetensors"; }
claim "in less than half of the bytes, of rows as short as these" test $((2 * $(bytes small))) -lt "$(bytes run/averaged)"
claim "and says both" grep -q "^small: $(bytes small | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta') bytes, " small.log
claim "an ensemble of both" xformer-translate -m small run -i test.en --quiet -o ensemble.de
claim "it is explained" xformer-explain attention -m small "$(head -n 1 test.en)" --output explained.html --quiet
claim "float32 of it is refused: 2" refused 2 "small: its weights are int8.*; give the model before quantization" \
  xformer-translate -m small -i test.en --precision float32
claim "a loss, too: 2" refused 2 "small: its weights are int8" xformer-score lm -m small -t test.en test.de
claim "and gradients: 2" refused 2 "small: its weights are int8" xformer-explain gradients --model small \
  --source "$(head -n 1 test.en)" --target "$(head -n 1 test.de)"
trained_on="small/model.safetensors: its weights are int8 and cannot be trained"
claim "to train on: 3" refused 3 "$trained_on" train more --resume small
claim "with a new optimiser, too: 3" refused 3 "$trained_on" train more --resume small --no-optimizer-reload
claim "an average is not a place in a training: 2" refused 2 'last: a model without training state' \
  train more --resume last --no-optimizer-reload
claim "and leaves nothing" test ! -e more
claim "to average: 3" refused 3 "small: '.*' is i8" average run/best small -o new
claim "to quantize it again: 2" refused 2 "small has int8 weights already" quantize -m small -o new
claim "what exists is left: 2" refused 2 "small exists" quantize -m run -o small
claim "--overwrite replaces a model" quantize -m run/best -o small --overwrite --quiet
cp -r small hurt
printf X | dd of=hurt/model.safetensors bs=1 seek=9000 conv=notrunc status=none
claim "a damaged one is refused by name: 3" refused 3 "hurt/model.safetensors: damaged" xformer-translate -m hurt -i test.en
claim "inspect: as many parameters as before" equal "$(inspect small | grep '^total' | tr -s ' ')" "$(inspect run | grep '^total' | tr -s ' ')"
claim "types, and scales for each row" equal "$(inspect small | grep -E '^  embedding.weight(_scale)? ' | tr -s ' ')" \
  " embedding.weight_scale F32 [200] 0
 embedding.weight I8 [200, 32] 6,400"

# ---- inspect
parameters=$(grep -o '"parameters":[0-9]*' run/metrics.jsonl | cut -d : -f 2)
inspect run --format json >run.json
claim "inspect: as many parameters as training says" grep -qx "  \"parameters\": $parameters," run.json
claim "the update" grep -qx '  "update": 12,' run.json
mean_of() { inspect "$1" --format json | tr -d ' \n' | grep -o '"averaged":[^]]*]'; }
claim "what it is the mean of" equal "$(mean_of last)" '"averaged":[6,8,10,12]'
claim "what training took" equal "$(mean_of run)" '"averaged":[12]'
claim "the configuration" grep -q '"dim-emb": 32' run.json
claim "the vocabulary's checksum, as the model has it" equal \
  "$(grep -o '"crc64": "[0-9a-f]*"' run.json | tail -n 1 | grep -o '"[0-9a-f]*"$')" \
  "$(grep -o '"vocabulary_crc64": "[0-9a-f]*"' run.json | grep -o '"[0-9a-f]*"$')"
claim "the file's, as the checkpoint has it" equal "$(grep -m 1 -o '"crc64": "[0-9a-f]*"' run.json)" \
  "$(grep -A 2 '"model.safetensors"' run/averaged/state.json | grep -o '"crc64": "[0-9a-f]*"')"
claim "as text: the total" grep -qE "^total +$(echo "$parameters" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta')$" <(inspect run)
claim "a tensor with its type and shape" grep -qE '^  [a-z_.0-9]+ +F32  +\[200, 32\] +6,400$' <(inspect run)
for model in run/best run/averaged elsewhere/two run/averaged/model.safetensors; do
  claim "of $model, too" test "$(inspect $model | grep -c '^total')" = 1
done
claim "a model that has lost its run is shown" inspect elsewhere/two --format json >/dev/null
claim "nothing there: 3" refused 3 "nowhere: no such folder" inspect nowhere
claim "no model: 2" refused 2 "needs --model MODEL" inspect
claim "a foreign file: 3" refused 3 "train.en is not a safetensors file" inspect train.en
claim "a damaged checkpoint: 3" refused 3 "damaged: its checksum differs" inspect broken/checkpoints/update-000010
head -c 5000 run/averaged/model.safetensors >cut.safetensors
claim "half a file: 3" refused 3 "not a valid safetensors file" inspect cut.safetensors

# ---- diff
diff_models() { xformer-export diff "$@"; }
differs() { diff_models "$@" >differences; [ $? = 1 ]; }
claim "a model and itself: nothing" equal "$(diff_models run/averaged run)" ""
claim "nor from its file" equal "$(diff_models run/averaged/model.safetensors run/averaged)" ""
claim "two checkpoints differ: 1" differs run/best last
claim "in tensors alone" equal "$(grep -vcE '^tensor +[a-z_.0-9]+ +f32 \[[0-9, ]+\]  at most [0-9.e-]+, relative [0-9.e-]+$' differences)" 1
claim "which are counted" grep -qE "^[0-9]+ of [0-9]+ tensors differ$" differences
claim "not within a tolerance" diff_models run/best last --tolerance 100
claim "as JSON" differs run/best last --format json
claim "it says so" grep -q '"same": false' differences
train deeper --after 2u --dec-depth 2 --vocab-size 190 --quiet
claim "another model: 1" differs run deeper
claim "its settings" grep -qE "^setting +dec-depth: 1 and 2$" differences
claim "its vocabulary" grep -qE "^vocabulary +source: 200 and 190 pieces; the first that differs is [0-9]+, '" differences
claim "its shapes" grep -qE "^tensor +embedding.weight +f32 \[200, 32\] and f32 \[190, 32\]$" differences
claim "of which there is no distance, in JSON" differs run deeper --format json
claim "null" equal "$(grep -A 4 '"name": "embedding.weight"' differences | tr -d ' \n' | grep -o '"largest.*')" '"largest":null,"relative":null'
differs run deeper
claim "and what it has alone" grep -qE "^tensor +decoder.layers.1.feed_forward.in.weight +only in b: f32 \[64, 32\]$" differences
xformer-export to ctranslate2 -m run -o diff.ct2 --quiet
claim "the same model of another toolkit: nothing" equal "$(diff_models run diff.ct2)" ""
# FILE TYPE SHAPE BYTES: a safetensors file of the one tensor x; bytes as printf has them.
one_tensor() {
  local bytes header
  bytes=$(printf "$4" | wc -c)
  header=" {\"x\":{\"dtype\":\"$2\",\"shape\":$3,\"data_offsets\":[0,$bytes]}}"
  { printf "\\x$(printf %x ${#header})\\0\\0\\0\\0\\0\\0\\0"; printf %s "$header"; printf "$4"; } >"$1"
}
one_tensor a.f16 F16 '[1,1,1,1,2]' '\000\074\000\100' # 1 and 2, IEEE 754's halves; 1 and 2.5
one_tensor b.f16 F16 '[1,1,1,1,2]' '\000\074\000\101'
claim "files of other types: how far" differs a.f16 b.f16
claim "as numbers" equal "$(head -n 1 differences)" "tensor      x  f16 [1, 1, 1, 1, 2]  at most 0.5, relative 0.224"
one_tensor a.i64 I64 '[]' '\001\0\0\0\0\0\0\0'
one_tensor b.i64 I64 '[]' '\004\0\0\0\0\0\0\0'
claim "whole numbers, too" differs a.i64 b.i64
claim "a scalar" equal "$(head -n 1 differences)" "tensor      x  i64 []  at most 3, relative 3"
claim "of two types: which" differs a.f16 b.i64
claim "no distance" equal "$(head -n 1 differences)" "tensor      x  f16 [1, 1, 1, 1, 2] and i64 []"
claim "one model: 2" refused 2 "models" diff_models run
claim "nothing there: 3" refused 3 "nowhere: no such folder" diff_models run nowhere
claim "an unknown command: 2" refused 2 "no command 'averag'; did you mean 'average'" xformer-export averag
conclude
