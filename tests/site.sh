#!/bin/bash
# The site (tools/site.sh): built from the pages that are there, readable without a network, with a definition for each
# equation's id and a search that finds words; and what is wrong on a page is named. Exit code 0: so it is. A minute on
# two cores. With node, the site's own search is asked; without, its index.
#   tests/site.sh
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-site-XXXXXX")
trap 'rm -rf "$work"' EXIT
site=$work/site

fail() {
  echo "error: $1" >&2
  exit 1
}
refuses() {  # words of the message, command...
  local words=$1
  shift
  ! "$@" >"$work/log" 2>&1 || fail "accepted: $words"
  grep -qF "$words" "$work/log" || fail "'$words' expected, and not: $(cat "$work/log")"
}

tools/site.sh "$site"
for id in $(grep -ohE '\\tag\{[A-Z]+[0-9]+' docs/derivations/*.md | cut -d '{' -f 2); do
  grep -qF "<tr id=\"$id\"" "$site"/docs/derivations/*.html || fail "$id: no place in the site"
done
grep -qE 'href="[./]*docs/derivations/layer_norm.html#LN5"' "$site/index.html" || fail "the README's LN5 leads nowhere"
grep -qF 'docs/derivations/layer_norm.html#LN5' "$site/kernels/plain/layer_norm.h.html" || fail "LN5 in the code leads nowhere"
grep -qF '<math' "$site/docs/derivations/layer_norm.html" || fail "no formulas"
! grep -rE '<script|<link[^>]* href="https?:|<img[^>]* src="https?:' "$site" --include='*.html' |
  grep -vE '<script src="[./]*search.js"' || fail "these pages need other scripts or a network"
! grep -nE 'https?:|fetch\(|XMLHttpRequest|import' "$site/search.js" || fail "the search needs a network"

# Words that people look for, and a page that has to be among the first ten results.
finds() {  # words, page
  if command -v node >/dev/null; then
    node -e '
      const { readFileSync } = require("fs"), { runInThisContext } = require("vm"), [site, query, wanted] = process.argv.slice(1);
      for (const name of ["search_index.js", "search.js"]) runInThisContext(readFileSync(`${site}/${name}`, "utf8"));
      const found = find(searchIndex, query).slice(0, 10);
      const shows = ([, , , text]) => excerpt(text, query).join("") !== "";
      process.exitCode = found.some(([target]) => target.startsWith(wanted)) && found.every(shows) ? 0 : 1;
    ' "$site" "$1" "$2"
  else
    [ "$(grep -iF "$1" "$site/search_index.js" | grep -cF "\"$2")" != 0 ]  # grep -q would end the pipe early: an error here
  fi
}
while IFS='|' read -r words page; do
  finds "$words" "$page" || fail "the search finds no $page for: $words"
done <<'WORDS'
multi-head|docs/coming_from.html
padding mask|docs/coming_from.html
position-wise|docs/glossary.html
CrossEntropyLoss|docs/coming_from.html
LambdaLR|docs/coming_from.html
label smoothing|docs/coming_from.html
teacher forcing|docs/glossary.html
KV cache|docs/glossary.html
causal mask|docs/coming_from.html
layer norm|docs/derivations/layer_norm.html
warm-up|docs/glossary.html
Noam|docs/coming_from.html
beam search|docs/glossary.html
BPE|docs/glossary.html
PositionwiseFeedForward|docs/coming_from.html
WORDS
! finds "no such words anywhere" docs || fail "the search finds what is on no page"

cp "$site/docs/python.html" "$work/python.html"
check() { (cd "$site" && find . -type f -printf '%P\n' | awk -f "$OLDPWD/docs/site/check_links.awk"); }
echo '<a href="nowhere.html">' >>"$site/docs/python.html"
refuses 'docs/python.html: no nowhere.html' check
cp "$work/python.html" "$site/docs/python.html"
echo '<a href="../index.html#nowhere">' >>"$site/docs/python.html"
refuses 'docs/python.html: no ../index.html#nowhere' check

mkdir "$work/other"
refuses "is no site" tools/site.sh "$work/other"
refuses "usage" tools/site.sh --help
mkdir "$work/bin" && ln -s "$(command -v bash)" "$(command -v dirname)" "$work/bin"
refuses "tools/install_packages.sh pandoc" env PATH="$work/bin" tools/site.sh "$site"

# A page with a formula that nobody can read, and one in no section.
mkdir "$work/copy" && tar -c --exclude=./build* --exclude=./.git . | tar -x -C "$work/copy"
echo '$\nonsense{x}$' >>"$work/copy/docs/python.md"
refuses "docs/python.md: pandoc" "$work/copy/tools/site.sh" "$work/copy/build/site"
mkdir "$work/copy/data/notes" && echo '# Notes' >"$work/copy/data/notes/README.md"
refuses "data/notes/README.md is in no section" "$work/copy/tools/site.sh" "$work/copy/build/site"
