#!/bin/bash
# The site (tools/site.sh): built from the pages that are there, readable without a network, with a definition for each
# equation's id; and what is wrong on a page is named. Exit code 0: so it is. A minute on two cores.
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
! grep -rlE '<script|<link[^>]* href="https?:|<img[^>]* src="https?:' "$site" --include='*.html' ||
  fail "these pages need scripts or a network"

cp "$site/docs/guide.html" "$work/guide.html"
check() { (cd "$site" && find . -type f -printf '%P\n' | awk -f "$OLDPWD/docs/site/check_links.awk"); }
echo '<a href="nowhere.html">' >>"$site/docs/guide.html"
refuses 'docs/guide.html: no nowhere.html' check
cp "$work/guide.html" "$site/docs/guide.html"
echo '<a href="../index.html#nowhere">' >>"$site/docs/guide.html"
refuses 'docs/guide.html: no ../index.html#nowhere' check

mkdir "$work/other"
refuses "is no site" tools/site.sh "$work/other"
refuses "usage" tools/site.sh --help
mkdir "$work/bin" && ln -s "$(command -v bash)" "$(command -v dirname)" "$work/bin"
refuses "tools/install_packages.sh pandoc" env PATH="$work/bin" tools/site.sh "$site"

# A page with a formula that nobody can read, and one in no section.
mkdir "$work/copy" && tar -c --exclude=./build* --exclude=./.git . | tar -x -C "$work/copy"
echo '$\nonsense{x}$' >>"$work/copy/docs/guide.md"
refuses "docs/guide.md: pandoc" "$work/copy/tools/site.sh" "$work/copy/build/site"
mkdir "$work/copy/data/notes" && echo '# Notes' >"$work/copy/data/notes/README.md"
refuses "data/notes/README.md is in no section" "$work/copy/tools/site.sh" "$work/copy/build/site"
