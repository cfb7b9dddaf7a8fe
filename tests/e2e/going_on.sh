#!/usr/bin/env bash
# A run that goes on: with what was not said, from another folder, in pieces, on another machine; and what each refusal advises.
#   going_on.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
make_corpus
quiet=(--log-format none)
says() { grep -qE -- "$1" out || { sed 's/^/        /' out; return 1; }; }
exits() { # code, command...: and what it said is in `out`
  local wanted=$1 code
  shift
  "$@" >out 2>&1
  code=$?
  [ "$code" = "$wanted" ] || { echo "        exit code $code, not $wanted:"; tail -n 3 out | sed 's/^/        /'; return 1; }
}

# ---- in pieces: their ends save and validate where nothing is due
pieces=(--save-freq 7u --valid-freq 10u --valid-sets valid.en valid.de --valid-metrics ce-mean-words --lr-schedule plateau
  --lr-decay-patience 0 --lr-decay 0.5 --lr-warmup 3u --learn-rate 0.2 --early-stopping 30 --keep-last 4 --keep-best 2 "${quiet[@]}")
train whole "${pieces[@]}" --after 61u
for end in 5 6 12 23 29 30 42 44 61; do train parts "${pieces[@]}" --after ${end}u; done
claim "a run in nine pieces comes to the same weights" same_bytes whole/latest/model.safetensors parts/latest/model.safetensors
claim "and to the same optimiser" same_bytes whole/latest/optimizer.safetensors parts/latest/optimizer.safetensors
claim "the plateau has cut" grep -q '"event":"rate-cut"' whole/metrics.jsonl
claim "which the log says" grep -q '^plateau: no gain in 1 validation; the learning rate is [0-9.e-]* from here on' whole/train.log
claim "the same average" same_bytes whole/averaged/model.safetensors parts/averaged/model.safetensors
claim "the same checkpoints" equal "$(cd parts/checkpoints && echo *)" "$(cd whole/checkpoints && echo *)"
claim "the same best" equal "$(readlink parts/best)" "$(readlink whole/best)"
claim "no stalling out of nothing" equal "$(grep -c 'stalled [0-9]*/0' whole/train.log)" 0

# ---- with text, and the rest from the run
claim "a run of many options" exits 0 train many --after 12u --save-freq 6u --label-smoothing 0.2 --seed 3 "${quiet[@]}"
claim "goes on with its text alone" exits 0 xformer-train -m many -t train.en train.de --after 18u "${quiet[@]}"
claim "and its task" exits 0 xformer-train -m many --task demo -t train.en train.de --after 24u "${quiet[@]}"
claim "to the weights of one that was told everything" exits 0 train told --after 24u --save-freq 6u --label-smoothing 0.2 --seed 3 "${quiet[@]}"
claim "by the bit" same_bytes told/latest/model.safetensors many/latest/model.safetensors
claim "with --overwrite the text begins anew, as the task has it" exits 0 \
  xformer-train --task demo -m many -t train.en train.de --vocab-size 200 --after 1u --overwrite "${quiet[@]}"
claim "without the old options" equal "$(grep -c 'label-smoothing = 0.2' many/training.toml)" 0

# ---- from another folder
mkdir -p elsewhere/deeper
from_there() { (cd elsewhere/deeper && xformer-train -m ../../told "$@" "${quiet[@]}"); }
claim "-m finds the text where the run was started" exits 0 from_there --after 30u
claim "and the run is told that folder again" equal "$(cat told/started_in.txt)" "$PWD/elsewhere/deeper"
claim "and goes on at home" exits 0 xformer-train -m told --after 36u "${quiet[@]}"
resume_there() { (cd elsewhere && xformer-train --resume ../told/latest -m child --after 40u "${quiet[@]}"); }
claim "so does --resume" exits 0 resume_there
claim "to the same bits" exits 0 train straight --after 36u --save-freq 6u --label-smoothing 0.2 --seed 3 "${quiet[@]}"
claim "as at home" same_bytes straight/latest/model.safetensors told/latest/model.safetensors
cp -r told moved && mkdir away && mv moved away/ && cp train.en train.de away/
move_text() { (cd away && xformer-train -m moved --after 42u "${quiet[@]}"); }
mv train.en kept.en && mv train.de kept.de
claim "a folder that was moved with its text" exits 0 move_text
claim "a text that is gone: the command that says where it is" \
  refused 3 'told: its text .*train.en is missing.*xformer-train -m told --train-sets SRC TRG' xformer-train -m told --after 42u
mv kept.en train.en && mv kept.de train.de

# ---- training.toml that is damaged or lost
cp -r told damaged && : >damaged/latest/training.toml
claim "a damaged one in the newest checkpoint: the run goes back to the previous" exits 0 xformer-train -m damaged --after 42u
claim "and says so" says 'training.toml: damaged: 0 bytes, expected [0-9]*; going back to the previous one'
cp -r told changed && sed -i 's/^seed = 3/seed = 4/' changed/latest/training.toml
claim "one that somebody changed, named by --resume" refused 3 'changed/latest/training.toml: damaged: its checksum differs' \
  xformer-train --resume changed/latest -m child_of_changed --after 42u
cp -r told lost && rm lost/training.toml
claim "without the run's own, the newest checkpoint's counts" exits 0 xformer-train -m lost --after 42u "${quiet[@]}"

# ---- finished
claim "finished by --after" exits 0 xformer-train -m told --after 36u --log-format plain
claim "the advice is of --after" says 'told is finished \(36 updates, --after is reached\); give a larger --after to train on: xformer-train -m told --after N'
stopping=(--valid-sets valid.en valid.de --valid-freq 2u --valid-metrics ce-mean-words --early-stopping 1 --learn-rate 0.5 --lr-warmup 0u
  --lr-schedule constant "${quiet[@]}")
train stopped "${stopping[@]}" --after 200u
claim "a run that --early-stopping has ended" grep -q 'no more progress' stopped/train.log
claim "a larger --after is no way on" exits 0 xformer-train -m stopped --after 300u --log-format plain
claim "and the advice is another" says 'finished \([0-9]+ updates, no progress in 1 validation\); give a larger --early-stopping, or 0 for none, to train on: xformer-train -m stopped --early-stopping 2$'
update() { grep -o '"update": *[0-9]*' stopped/latest/state.json | head -n 1 | tr -dc 0-9; }
before=$(update)
claim "which works" exits 0 xformer-train -m stopped --early-stopping 0 --after $((before + 3))u "${quiet[@]}"
claim "as it says" equal "$(update)" $((before + 3))

# ---- refusals: each names the command, which then does it
advised() { # the command behind `2` in the advice, with NEW as `1` and what else it needs
  local command
  command=$(grep -oE "xformer-train --$2 .*" err | sed -E "s/; or .*//; s/NEW/$1/")
  echo "$command" "${@:3}" | bash
}
claim "another rate" refused 2 'learn-rate was .* leave them out to resume, or apply them in a new folder: xformer-train --resume' \
  xformer-train -m told --learn-rate 0.001 --after 40u
claim "by --resume" advised rate resume --after 38u --quiet
claim "another optimiser" refused 2 'optimizer was ' xformer-train -m told --optimizer sgd --after 40u
claim "without the old moments" advised optimiser resume --after 38u --quiet
claim "another text" refused 2 'not the text that told was trained on.*xformer-train --pretrained-model told -m NEW -t valid.en valid.de' \
  xformer-train -m told -t valid.en valid.de --after 40u
claim "by --pretrained-model" advised text pretrained-model --after 2u --quiet
claim "another width is another model" refused 2 'dim-emb was 32 and is 64; leave them out to resume, or start again' \
  xformer-train -m told --dim-emb 64 --after 40u

# ---- on another machine
on_avx2() { XFORMER_CPU_LEVEL=avx2 ONEDNN_MAX_CPU_ISA=AVX2 DNNL_MAX_CPU_ISA=AVX2 "$@"; }
claim "a machine of other kernels is told" exits 0 on_avx2 xformer-train -m rate --after 40u "${quiet[@]}"
if [ "$(grep -c avx512f /proc/cpuinfo)" != 0 ]; then
  claim "by name" says 'warning: the run was computed with .*avx512 kernels.* and continues with .*avx2 kernels.*: results will differ in their last bits'
fi
claim "--precision auto" exits 0 train precise --precision auto --after 2u "${quiet[@]}"
chosen=$(sed -n 's/^precision = //p' precise/training.toml)
claim "is chosen when the run begins" test "$chosen" = '"float32"' -o "$chosen" = '"bfloat16"'
claim "and kept where another machine would choose otherwise" exits 0 on_avx2 xformer-train -m precise --precision auto --after 4u "${quiet[@]}"
claim "so the bits are those of the run" equal "$(sed -n 's/^precision = //p' precise/training.toml)" "$chosen"
claim "begun there" exits 0 on_avx2 xformer-train "${small[@]}" -t train.en train.de -m modest --precision auto --after 2u --log-format plain
claim "it is float32, and said" says 'precision auto: float32 \(this processor multiplies bfloat16 no faster\)'
claim "and stays so here" exits 0 xformer-train -m modest --after 4u "${quiet[@]}"
claim "by its configuration" grep -q 'precision = "float32"' modest/training.toml
conclude
