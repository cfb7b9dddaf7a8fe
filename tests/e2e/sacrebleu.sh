#!/usr/bin/env bash
# Scores beside sacreBLEU's own on made-up texts, where python3, or $XFORMER_PEERS_VENV's, has the package; else skipped, and
# tests/golden/scores.tsv has to do.
#   sacrebleu.sh FOLDER_OF_THE_PROGRAMS [PAIRS OF FILES, 20] [SEED, 1]
set -u
python=${XFORMER_PEERS_VENV:+$XFORMER_PEERS_VENV/bin/}python3
command -v "$python" >/dev/null || { echo "[skipped] no $python"; exit 0; }
exec "$python" "$(dirname "$0")/../peers/compare_sacrebleu.py" "$1/xformer-score" --pairs "${2:-20}" --seed "${3:-1}"
