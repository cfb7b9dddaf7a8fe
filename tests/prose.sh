#!/bin/bash
# Pages are in plain words: the mean sentence of a page has at most 20 words and none has more than 40, house words
# (tests/prose_words.txt) are absent, no line of prose has more than 120 columns, no page more than 400 lines (the README
# 100, a generated option reference any number). How sentences and words are counted: tests/prose.pl.
#   tests/prose.sh [PAGE...]              every finding as PAGE:LINE: finding; without PAGE, all pages but docs/log/
#   tests/prose.sh --measure [PAGE...]    a table instead: sentences, words per sentence, the longest, lines
# Exit code 1: there are findings. 2: a page cannot be read.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
measure=
[ "${1-}" != --measure ] || { measure=--measure; shift; }
if [ $# = 0 ]; then
  cd "$here/.."
  readarray -t pages < <(find docs -name '*.md' -not -path 'docs/log/*' | sort)
  set -- README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md "${pages[@]}"
fi
exec perl "$here/prose.pl" $measure "$here/prose_words.txt" "$@"
