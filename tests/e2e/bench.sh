#!/usr/bin/env bash
# xformer-bench's command line; what it measures: tests/bench.
#   bench.sh FOLDER_OF_THE_PROGRAMS
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
bench() { xformer-bench "$@"; }
mkdir dir.json

claim "--help names the options" grep -qE '^ +--fn REGEX ' <(bench --help)
claim "--help-all those that are rare, too" grep -q -- --inject-slowdown <(bench --help-all)
claim "--list tells names and shapes" grep -qE '^softmax_forward +[0-9x]+' <(bench --fn softmax_forward --list)
echo 'preset = "odd"' >odd.toml
claim "a config file sets options" equal "$(bench --fn softmax_forward --list -c odd.toml)" \
  "$(bench --fn softmax_forward --list --preset odd)"
claim "answers another build, behind the options" equal "$(echo "row nonsense 3x3" | bench --preset odd answer)" none
claim "and before them" equal "$(echo "row nonsense 3x3" | bench answer --preset odd)" none
bench --fn softmax_forward --preset odd --samples 1 --threads 1 --label "$work/before.json" >/dev/null
claim "results are stored" grep -q '"fn": "softmax_forward"' before.json
claim "compared" grep -q '0 of [0-9]* rows slower by more than 5 %' <(bench --compare before.json,before.json)

# Two runs of three rows: the second is a tenth slower, or lacks a row, or has too few samples.
results() { # file, seconds of a sample, function...
  local file=$1 seconds=$2 fn rows=
  shift 2
  for fn in "$@"; do
    rows+=${rows:+, }"{\"fn\": \"$fn\", \"shape\": \"4x4\", \"dtype\": \"f32\", \"device\": \"cpu\", \"bytes\": 1, \"flops\": 1,
      \"floor_s\": null, \"baseline\": \"none\", \"baseline_s\": null, \"samples_s\": [$seconds]}"
  done
  echo "{\"label\": \"${file%.json}\", \"header\": {}, \"rows\": [$rows]}" >"$file"
}
gate() { bench --compare "one.json,$1" --fail-if-regression 5% >gate; }
ends_with_1() { gate "$1"; equal $? 1; }
results one.json "1.00, 1.01, 1.02, 1.03, 1.04, 1.05" copy scale
results same.json "1.01, 1.00, 1.02, 1.03, 1.05, 1.04" copy scale
results slower.json "1.10, 1.11, 1.12, 1.13, 1.14, 1.15" copy scale
results fewer.json "1.00, 1.01, 1.02, 1.03, 1.04, 1.05" copy new
results short.json "1.00, 1.01" copy scale
claim "a program that is as fast passes" gate same.json
claim "one that is 10 % slower ends with 1" ends_with_1 slower.json
claim "and each row says so" grep -q '^2 of 2 rows slower by more than 5 %' gate
claim "a row that did not run does not pass" ends_with_1 fewer.json
claim "and is named last" equal "$(tail -n 1 gate)" "nothing is known of scale 4x4 f32 cpu: in one run only, or fewer than 5 samples"
claim "nor do two samples" ends_with_1 short.json
claim "and drawn" bench report before.json before.json --output page.html
claim "on a page" grep -q '<svg' page.html

bench report --markdown before.json before.json >tables.md
claim "or as a table in Markdown" grep -q '^| softmax_forward [^|]*, f32 |' tables.md
claim "docs/performance.md has the rows that are stored" "$root/bench/performance_page.sh" --check
[ -z "$(command -v python3)" ] || claim "docs/performance/gpu_step.md has the budget of the stored times" python3 "$root/bench/gpu_budget.py" \
  "$root/bench/results/2026-11-28-h200.txt" now "$root"/bench/results/2026-11-26-h200-second-{tiny,base}-bf16.json \
  --check "$root/docs/performance/gpu_step.md"
claim "--markdown writes no page: 2" refused 2 "makes nothing of --output" bench report --markdown before.json --output page.html

claim "an unknown option: 2" refused 2 "unknown option '--lable'; did you mean '--label'" bench --lable x
claim "a name of other toolkits: 2" refused 2 "unknown option '--batch_size'" bench --batch_size 3
claim "an unknown command: 2" refused 2 "no command 'reprot'; did you mean 'report'" bench reprot
claim "an unknown word: 2" refused 2 "preset: unknown value 'tin'; did you mean 'tiny'" bench --preset tin
claim "a function that is not there: 2" refused 2 "nonsense" bench --fn nonsense
claim "a comparison of what cannot be compared: 2" refused 2 "--compare makes nothing of --label" bench --compare a,b --label c
claim "two comparisons: 2" refused 2 "--compare reads results and --against times" bench --compare a,b --against c
claim "one label: 2" refused 2 "two labels" bench --compare before.json
claim "a threshold without comparison: 2" refused 2 "needs --against" bench --fail-if-regression 5%
claim "a threshold that is none: 2" refused 2 "soon" bench --compare a,b --fail-if-regression soon
claim "500 % for 5 %: 2" refused 2 "'5' is not a share of time" bench --compare a,b --fail-if-regression 5
for wrong in "--list --format csv" "--list --scaling" "--list --end-to-end train" "--list --count-launches" "--scaling --fn sgd" \
  "--end-to-end translate --fn sgd" "--compare a,b --fn sgd" "--compare a,b --preset tiny" "--compare a,b --threads 2" \
  "--compare a,b --warm"; do
  # shellcheck disable=SC2086  # words
  claim "$wrong: 2" refused 2 "makes nothing of --" bench $wrong
done
claim "a model without translation: 2" refused 2 "--model is for --end-to-end translate" bench --fn sgd --model x
claim "a size twice: 2" refused 2 "N twice; write N=4,5" bench --fn softmax_forward --shape N=4,N=5,D=8
claim "sizes that no memory holds: 5" refused 5 "take smaller sizes" bench --fn softmax_forward --shape N=4294967296,D=4294967296
claim "text that is not there: 3" refused 3 "no file nowhere/train.en" bench --end-to-end train --data nowhere
claim "a label that is a folder: 2, before anything is timed" refused 2 "is a folder" bench --fn softmax_forward --label "$work/dir.json"
sed 's/"device": "cpu"/"device": "cuda:7"/' before.json >other.json
claim "--add to another device's: 2, as early" refused 2 "choose another label" bench --fn softmax_forward --add --label "$work/other.json"
sed 's/"copy_gbs": [0-9.]*/"copy_gbs": "fast"/' before.json >broken.json
claim "a ceiling that is no number: 3" refused 3 "not the results of a benchmark" bench --compare broken.json,before.json
claim "--add to nothing: 2" refused 2 "--add needs --label" bench --add
claim "results that are not there: 3" refused 3 "nowhere.json" bench --compare nowhere.json,before.json
claim "a page of nothing: 2" refused 2 "needs --results" bench report
conclude
