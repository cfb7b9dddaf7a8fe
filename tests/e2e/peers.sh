#!/usr/bin/env bash
# A translation benchmark against a peer: a scripted one in place of CTranslate2's Python, so that nothing is fetched.
#   peers.sh FOLDER_OF_THE_PROGRAMS
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/e2e/support.sh
. "$root/tests/e2e/support.sh"
make_corpus
train run --after 5u --quiet || exit 1
head -n 3 test.en >input.en

mkdir -p venv/bin
printf '#!/bin/sh\nexec "%s/tests/bench/fake_peer.sh" "$@"\n' "$root" >venv/bin/python
chmod +x venv/bin/python
# The ids of our own translations, which the peer answers with.
xformer-export to ctranslate2 -m run -o exported --quiet || exit 1
FAKE_IDS=$(xformer-translate -m run -i input.en -b 1 --no-spm-decode --quiet | awk '
  FNR == NR { if (/^ *"/) { gsub(/^ *"|",?$/, ""); id[$0] = n++ } next }
  { line = ""; for (i = 1; i <= NF; ++i) line = line (i > 1 ? "," : "") id[$i]; all = all (FNR > 1 ? "," : "") "[" line "]" }
  END { print "[" all "]" }' exported/shared_vocabulary.json -)
export XFORMER_PEERS_VENV=$work/venv FAKE_TOKENS=10 FAKE_IDS
bench() { # OPTIONS...; in the repository, where the peers' scripts are
  (cd "$root" && xformer-bench --end-to-end translate --model "$work/run" --input "$work/input.en" --beam 1 \
    --mini-batch 1 --samples 2 --baseline ctranslate2 "$@")
}

export FAKE_SETTINGS='{"settings": [{"name": "slow", "options": {"seconds": 400}},
  {"name": "broken", "options": {"does": "dies"}}, {"name": "fast", "options": {"seconds": 100}}]}'
claim "translation against a peer ends with exit code 0" bench --format json >results.json
for fact in '"peer": "fast"' '"peer_why": "fastest of 3 settings on a part; 1 of them did not run"' \
  '"setting": "slow"' '"seconds": 400.0' 'Killed, as it got ready' '"baseline": "ctranslate2 1.2, fast"' \
  '0 of 3 lines differ'; do
  claim "its JSON tells $fact" grep -qF "$fact" results.json
done
claim "the table names the setting and why" grep -q "the peer, fastest of 3 settings" <(bench)

export FAKE_SETTINGS='{"settings": [{"name": "broken", "options": {"does": "dies"}}]}'
bench --format json >results.json
claim "a peer that never runs leaves ours with its times" grep -qE '"median_s": [0-9]' results.json
claim "and no ratio" grep -qF '"ratio": null' results.json
claim "but the reason" grep -qF 'no baseline: python: Killed, as it got ready' results.json

FAKE_IDS='[[0], [0], [0]]' bench --format json >results.json
claim "a peer that translates otherwise gets no ratio" grep -qF '"ratio": null' results.json
claim "and the reason" grep -qF 'no baseline: 3 of 3 lines are translated otherwise' results.json
conclude
