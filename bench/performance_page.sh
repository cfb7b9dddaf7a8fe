#!/bin/bash
# The tables of docs/performance.md, from the results in bench/results that its marker names.
#   bench/performance_page.sh            writes them again
#   bench/performance_page.sh --check    exit code 1, and the differences, where the page has others
# xformer-bench is that of $PATH, or else build/bin's.
set -euo pipefail
cd "$(dirname "$0")/.."
page=docs/performance.md
PATH=$PATH:$PWD/build/bin
read -ra labels < <(sed -n 's/^<!-- xformer-bench report --markdown \(.*\) -->$/\1/p' "$page") || true
[ ${#labels[@]} -gt 0 ] || { echo "error: $page names no results" >&2; exit 1; }
results=("${labels[@]/#/bench/results/}")
written=$(mktemp)
trap 'rm -f "$written"' EXIT
tables=$(xformer-bench report --markdown "${results[@]/%/.json}")
TABLES=$tables awk '/^<!-- end of the tables -->$/ { inside = 0 }
  !inside { print }
  /^<!-- xformer-bench report --markdown / { inside = 1; print "\n" ENVIRON["TABLES"] "\n" }' "$page" >"$written"
case ${1-} in
  --check) diff "$page" "$written" ;;
  '') cat "$written" >"$page" ;;
  *) echo "usage: $0 [--check]" >&2; exit 2 ;;
esac
