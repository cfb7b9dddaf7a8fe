#!/usr/bin/env bash
# xformer-bench's command line; what it measures: tests/bench.
#   bench.sh FOLDER_OF_THE_PROGRAMS
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
bench() { xformer-bench "$@"; }

claim "--help names the options" grep -qE '^ +--fn REGEX ' <(bench --help)
claim "--help-all those that are rare, too" grep -q -- --plant <(bench --help-all)
claim "--list tells names and shapes" grep -qE '^softmax_forward +[0-9x]+' <(bench --fn softmax_forward --list)
echo 'preset = "odd"' >odd.toml
claim "a config file sets options" equal "$(bench --fn softmax_forward --list -c odd.toml)" \
  "$(bench --fn softmax_forward --list --preset odd)"
claim "answers another build, behind the options" equal "$(echo "row nonsense 3x3" | bench --preset odd answer)" none
claim "and before them" equal "$(echo "row nonsense 3x3" | bench answer --preset odd)" none
bench --fn softmax_forward --preset odd --samples 1 --threads 1 --label "$work/before.json" >/dev/null
claim "results are stored" grep -q '"fn": "softmax_forward"' before.json
claim "compared" grep -q '0 of [0-9]* rows slower by more than 5 %' <(bench --compare before.json,before.json)
claim "and drawn" bench report before.json before.json --output page.html
claim "on a page" grep -q '<svg' page.html

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
claim "--add to nothing: 2" refused 2 "--add needs --label" bench --add
claim "results that are not there: 3" refused 3 "nowhere.json" bench --compare nowhere.json,before.json
claim "a page of nothing: 2" refused 2 "needs --results" bench report
conclude
