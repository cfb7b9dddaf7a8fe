#!/usr/bin/env bash
# Molecules as a user has them: a corpus, a language model of characters, validity of its samples; a translation model
# from random strings to canonical ones, and what it looks at.
#   molecules.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"

# ---- the corpus
xformer-vocab demo-molecules --quiet full
claim "demo-molecules: ends with 0" equal $? 0
xformer-vocab demo-molecules --quiet --seed 2 other
claim "demo-molecules: another seed, other molecules" test "$(cmp full/test.smi other/test.smi)"
claim "demo-molecules: files that exist are left" refused 2 "exists" xformer-vocab demo-molecules full
claim "demo-molecules: a folder is needed" refused 2 "needs --output" xformer-vocab demo-molecules
cp full/test.smi before
claim "demo-molecules: --overwrite writes the same again" xformer-vocab demo-molecules --quiet --overwrite full
claim "demo-molecules: byte by byte" same_bytes before full/test.smi
for set in train valid; do
  for end in smi random.smi; do head -n 300 "full/$set.$end" >"$set.$end"; done
done

# ---- validity
xformer-score smiles -i full/test.smi --train full/train.smi >scores
claim "score smiles: the test strings are valid, different, and none is of the training text" equal \
  "$(tr -s ' \n' ' ' <scores)" "lines 1000 read 100.00 valid 100.00 unique 100.00 novel 100.00 "
claim "score smiles: the random strings are of the same molecules" equal \
  "$(xformer-score smiles full/test.random.smi --train full/test.smi | value novel)" 0.00
printf 'CCO\nC(C\nOCC\nc1cccc1\n' | xformer-score smiles --faults faults >scores
claim "score smiles: two of four are valid, and one molecule" equal "$(tr -s ' \n' ' ' <scores)" \
  "lines 4 read 100.00 valid 50.00 unique 50.00 "
claim "score smiles: where they cannot be written, before anything is scored: 2" refused 2 "there is no folder nowhere" \
  xformer-score smiles -i full/test.smi --faults nowhere/faults
claim "score smiles: what is wrong with the others, by line" equal "$(cut -f1 faults | tr '\n' ' ')" "2 4 "
claim "score smiles: no lines are an error" refused 3 "is empty" xformer-score smiles -i /dev/null
claim "score smiles: a missing file is one" refused 3 "none.smi" xformer-score smiles none.smi

# ---- a language model: exact resume, samples
tiny=(--dim-emb 32 --transformer-dim-ffn 64 --mini-batch-words 400 --learn-rate 0.01 --lr-warmup 20u --save-freq 20u
  --lr-schedule inverse-sqrt --valid-freq 30u --disp-freq 1u --log-format none --early-stopping 0)
language_model() { # run, options...
  xformer-train --task smiles "${tiny[@]}" --dec-depth 1 --transformer-dropout 0.1 -t train.smi \
    --valid-sets valid.smi -m "$@"
}
language_model whole --after 60u
claim "language model: a run ends with 0" equal $? 0
for updates in 25u 60u; do language_model parts --after $updates; done
claim "language model: in two parts it ends in the same model, byte by byte" \
  same_bytes whole/latest/model.safetensors parts/latest/model.safetensors
claim "language model: its vocabulary is of characters" equal "$(head -n 1 whole/vocab.txt)" "#words character"
xformer-generate -m whole --samples 50 -o samples 2>/dev/null
claim "language model: 50 samples, without the spaces of words" equal "$(wc -l <samples) $(grep -c ' ' samples)" "50 0"
xformer-score smiles -i samples --faults faults >scores
claim "language model: each sample is valid or has a fault" equal \
  "$(awk -v faults="$(wc -l <faults)" '$1 == "valid" { print $2 / 2 + faults }' scores)" 50

# ---- a translation model, and what its atoms look at
xformer-train --task demo --tokenizer character "${tiny[@]}" --enc-depth 1 --dec-depth 1 --after 20u \
  -t train.random.smi train.smi --valid-sets valid.random.smi valid.smi -m pairs
claim "translation of characters: a run ends with 0" equal $? 0
xformer-translate -m pairs -i valid.random.smi -o out.smi 2>/dev/null
claim "translation of characters: a line for each" equal "$(wc -l <out.smi)" 300
xformer-explain attention -m pairs 'OCCCl' --target 'OCCCl' -f json >maps.json
claim "attention: a row for each character, two for Cl" grep -q '"O", *"C", *"C", *"C", *"l"' maps.json
conclude
