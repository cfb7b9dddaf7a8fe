#!/bin/bash
# The documentation as a site to be read offline: pages, formulas, figures, each source file they name, and a search box.
# Only the search needs scripts, which are the site's own.
#   tools/site.sh [OUT]      OUT: build/site; what a site there had before is replaced
# Pages and their order: docs/site/contents. Needs Debian's pandoc, fonts-texgyre and fonts-texgyre-math.
# Half a minute on two cores that are free.
# Exit code 1: a page is in no section, a formula cannot be read, or a link leads nowhere; a line names page and link.
set -euo pipefail
to=${1-}
case $to in '' | /*) ;; *) to=$PWD/$to ;; esac
cd "$(dirname "$0")/.."
shopt -s nullglob

fail() {  # message[, exit code]
  echo "error: $1" >&2
  exit "${2:-1}"
}

# docs/python.md is shown at docs/python.html, a folder's README.md at its index.html, kernels/adam.h at kernels/adam.h.html.
target_of() {
  local target=${1%.md}.html
  echo "${target/README.html/index.html}"
}

root_of() { dirname "$1" | sed -E 's|^\.$||; s|[^/]+/?|../|g'; }  # from a page to the site's root: docs/python.md has ../

# docs/site/contents with each page's path, target and title.
make_contents() {
  local line path section=
  declare -A listed
  while IFS= read -r line; do
    case $line in
      '#'*) ;;
      ' '*)
        for path in ${line// /}; do
          [ -e "$path" ] && [ -z "${listed[$path]:-}" ] || continue
          listed[$path]=yes
          printf '%s\t%s\t%s\t%s\n' "$section" "$path" "$(target_of "$path")" \
            "$(sed -n '/^# /{s///; s/`//g; s/&/\&amp;/g; s/</\&lt;/g; p; q}' "$path")"
        done
        ;;
      *) section=$line ;;
    esac
  done <docs/site/contents
  for path in $(grep '\.md$' "$SITE_LISTS/files"); do
    [ -n "${listed[$path]:-}" ] || fail "$path is in no section of docs/site/contents"
  done
}

# What docs/site/filter.lua wants to know.
make_lists() {
  find . -type f -not -path './.*/*' -not -path './build*' -printf '%P\n' >"$SITE_LISTS/files"
  make_contents >"$SITE_LISTS/contents"
  awk -F '\t' '{ print $2, $3 }' "$SITE_LISTS/contents" >"$SITE_LISTS/pages"
  grep -oE '\\tag\{[A-Z]+[0-9]+\}' docs/derivations/*.md | sed -E 's|(.*)\.md:.*\{(.*)\}|\2 \1.html#\2|' >"$SITE_LISTS/equations"
  sed -E \
    's|(.*) (.*)|/class="co"/s,\\b\1\\b,<a href="{{root}}\2">\1</a>,g|' "$SITE_LISTS/equations" >"$SITE_LISTS/links"
  mkdir "$SITE_LISTS/needed" "$SITE_LISTS/search"
}

# Markdown on the input; pandoc's arguments.
render() {  # path, argument...
  local target
  target=$(target_of "$1")
  mkdir -p "$out/$(dirname "$target")"
  SITE_PAGE=$1 SITE_ROOT=$(root_of "$1") pandoc --standalone \
    --template=docs/site/template.html --lua-filter=docs/site/navigation.lua "${@:2}" >"$out/$target" || return 1
  sed -E -i -f docs/site/mathml.sed "$out/$target"
}

make_page() {  # path
  render "$1" --from=gfm+tex_math_dollars-raw_tex-emoji --mathml --lua-filter=docs/site/search.lua \
    --lua-filter=docs/site/filter.lua --toc --fail-if-warnings <"$1" || fail "$1: pandoc's line above says what it cannot read"
}

# A source with its lines numbered; an equation's id leads to its derivation.
make_source() {  # path
  local language=
  case $1 in
    *.h | *.cpp | *.cu | *.cuh | *.in) language=cpp ;;
    *.cmake | *CMakeLists.txt) language=cmake ;;
    *.sh | .ci/run) language=bash ;;
    *.py | *.toml | *.awk | *.json) language=${1##*.} ;;
  esac
  { echo "# \`$1\`" && echo && echo "~~~~~~~~~~ {.$language .numberLines}" && cat "$1" && echo && echo "~~~~~~~~~~"; } |
    render "$1" --from=markdown -V source=yes
  sed -E -i -f "$SITE_LISTS/links" "$out/$1.html"
  sed -i "s|{{root}}|$(root_of "$1")|g" "$out/$1.html"
}
export -f fail target_of root_of render make_page make_source

copy_fonts() {
  mkdir -p "$out/fonts"
  cp $fonts/tex-gyre/texgyrepagella-{regular,italic,bold,bolditalic}.otf $fonts/tex-gyre-math/texgyrepagella-math.otf \
    /usr/share/doc/fonts-texgyre/copyright "$out/fonts"
}

[ $# -le 1 ] && [[ ${1:-} != -* ]] || fail "usage: tools/site.sh [OUT]" 2
export out=${to:-build/site} fonts=/usr/share/texmf/fonts/opentype/public
[ -n "$(command -v pandoc)" ] && [ -e $fonts/tex-gyre ] && [ -e $fonts/tex-gyre-math ] ||
  fail "the site needs three packages: tools/install_packages.sh pandoc fonts-texgyre fonts-texgyre-math"
[ ! -e "$out" ] || [ -e "$out/style.css" ] || fail "$out is there and is no site: name another folder"
SITE_LISTS=$(mktemp -d)
export SITE_LISTS
trap 'rm -rf "$SITE_LISTS"' EXIT

make_lists
rm -rf "$out"
mkdir -p "$out"
cp docs/site/style.css docs/site/search.js "$out"
copy_fonts
each() { xargs -d '\n' -P "$(nproc)" -I PATH bash -c "set -eu; $1 \"\$1\"" - PATH; }  # function; paths on the input
cut -d ' ' -f 1 "$SITE_LISTS/pages" | each make_page
{ echo 'var searchIndex = [' && cut -d ' ' -f 1 "$SITE_LISTS/pages" | tr / % | (cd "$SITE_LISTS/search" && xargs -d '\n' cat) &&
  echo '];'; } >"$out/search_index.js"
sort -u "$SITE_LISTS"/needed/* >"$SITE_LISTS/shown"
picture='\.(svg|png)$'
{ grep -E "$picture" "$SITE_LISTS/shown" || true; } | xargs -r -d '\n' cp --parents -t "$out"
{ grep -vE "$picture" "$SITE_LISTS/shown" || true; } | each make_source
(cd "$out" && find . -type f -printf '%P\n' | awk -f "$OLDPWD/docs/site/check_links.awk") || fail "links above lead nowhere"
echo "$out/index.html: $(wc -l <"$SITE_LISTS/pages") pages, $(grep -cvE "$picture" "$SITE_LISTS/shown") sources"
