#!/usr/bin/env bash
# Makes a parallel corpus of the descriptions of Debian's packages: English, and the language that volunteers put them into.
#   tools/get_debian_descriptions.sh LANGUAGE FOLDER
# LANGUAGE is as apt names it: de, fr, ja, pt_BR, zh_CN. FOLDER is new or empty, and gets train, val and test, .en and
# .LANGUAGE each, one paragraph a line: short descriptions, the paragraphs of long ones where both have as many of them,
# and the items of lists. No paragraph comes twice, and none that was left in English. The descriptions are those of the
# machine's own package sources, in `apt-get update`'s way, into a folder of our own: this needs no root, and changes
# nothing that apt knows. A description goes to one of the three parts, by the checksum of its English text (2 in 100 to val
# and to test): with the same sources, the corpus is the same. FOLDER gets its name when it is whole.
# Environment: APT_CONFIG, as for apt.
# Exit codes: 0 it is there, 1 fetching failed, 2 usage, 3 no such translations, or FOLDER holds something.
set -euo pipefail
export LC_ALL=C
helper=/usr/lib/apt/apt-helper # which unpacks whatever apt keeps its lists in

fail() { # exit code, message
  echo "error: $2" >&2
  exit "$1"
}

if [ $# -ne 2 ] || [ -z "$2" ] || [ "${2#-}" != "$2" ]; then fail 2 "usage: $0 LANGUAGE FOLDER"; fi
language=$1 folder=$(realpath -m "$2")
[[ $language =~ ^[a-z]{2,3}(_[A-Z]{2})?(@[a-z]+)?$ ]] || fail 2 "'$language' is no language as apt names them: de, pt_BR"
[ "$language" != en ] || fail 2 "English is the other side; give the language of the translations"
[ -x $helper ] || fail 1 "apt is not here: the descriptions come from Debian's package sources"
[ ! -e "$folder" ] || { [ -d "$folder" ] && [ -z "$(ls -A "$folder")" ]; } || fail 3 "$2 holds something; give a new folder"

mkdir -p "$(dirname "$folder")" 2>/dev/null || fail 1 "cannot create $(dirname "$folder")"
partial=$(mktemp -d "$folder.XXXXXX" 2>/dev/null) || fail 1 "cannot write beside $folder"
trap 'rm -rf "$partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$partial/state" "$partial/cache" "$partial/corpus"

private_apt_get() {
  apt-get -o Dir::State="$partial/state" -o Dir::Cache="$partial/cache" -o Acquire::Languages="en,$language" \
    -o Acquire::IndexTargets::deb::Packages::DefaultEnabled=false "$@" 2>>"$partial/said"
}

descriptions() { # language: all that the sources have, as apt writes them
  local files
  # shellcheck disable=SC2016  # apt's variable
  files=$(private_apt_get indextargets --format '$(FILENAME)' 'Created-By: Translations' "Language: $1") || return 1
  while IFS= read -r file; do
    [ -z "$file" ] || $helper cat-file "$file"
  done <<<"$files"
}

private_apt_get -qq update || true # says its errors, whether it ends with 0 or not
descriptions en >"$partial/en"
descriptions "$language" >"$partial/translated"
failure=$(grep '^[WE]:' "$partial/said" | grep -v unsandboxed | cut -c 4-) || true
if [ ! -s "$partial/en" ] || grep -q "Translation-$language" <<<"$failure"; then
  fail 1 "apt cannot fetch the descriptions; check the network and try again: ${failure%%$'\n'*}"
fi
[ -s "$partial/translated" ] || fail 3 "the machine's package sources have no descriptions in '$language'"

# Both files, paragraph by paragraph: English first, then the translations, which are written as they are read.
awk -v language="$language" -v folder="$partial/corpus" '
  function end_paragraph() { if (text != "") { paragraph[++count] = text; text = "" } }
  function add(line) {
    gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
    # Japanese and its like have no space where a line ends.
    spaced = !unspaced || (text ~ /[ -~]$/ && line ~ /^[ -~]/)
    text = text (text != "" && spaced ? " " : "") line
  }
  function part(digest) { # the first two digits of 256: five to test, five to val
    if (digest ~ /^0[0-4]/) return "test"
    return digest ~ /^0[5-9]/ ? "val" : "train"
  }
  function write(english, translated) {
    if (english == "" || translated == "" || english == translated || (english in seen) || (translated in seen)) return
    seen[english]; seen[translated]
    print english >(folder "/" part(md5) ".en")
    print translated >(folder "/" part(md5) "." language)
  }
  function end_description(i) {
    end_paragraph()
    if (md5 != "" && !translating) {
      counts[md5] = count
      for (i = 1; i <= count; i++) english[md5, i] = paragraph[i]
    } else if (md5 in counts)
      for (i = 1; i <= (counts[md5] == count ? count : 1); i++) write(english[md5, i], paragraph[i])
    md5 = ""; count = 0
  }
  FNR == 1 {
    end_description()
    translating = FILENAME ~ /translated$/
    unspaced = translating && language ~ /^(ja|zh|th|km|lo|my)/
  }
  /^$/ { end_description() }
  /^Description-md5: / { md5 = $2 }
  /^Description-[^ ]*: / && !/^Description-md5/ { sub(/^[^ ]* */, ""); add($0); end_paragraph() }
  /^ \.[ \t]*$/ { end_paragraph(); next }
  /^ +[*+-] / { end_paragraph(); sub(/^ +[*+-]/, "") ; add($0); next }
  /^ / { add($0) }
  END { end_description() }' "$partial/en" "$partial/translated"

counts=()
for name in train val test; do
  pair=("$partial/corpus/$name.en" "$partial/corpus/$name.$language")
  [ -s "${pair[0]}" ] || fail 3 "the machine's package sources have too few descriptions in '$language': none for $name"
  lines=$(wc -l <"${pair[0]}")
  [ "$lines" = "$(wc -l <"${pair[1]}")" ] || fail 1 "$name.en and $name.$language differ in their lines; a bug"
  iconv -f UTF-8 -t UTF-8 "${pair[@]}" >/dev/null 2>&1 || fail 3 "the descriptions in '$language' are not all UTF-8"
  counts+=("$lines")
done
sync "$partial"/corpus/*
mv -T "$partial/corpus" "$folder" || fail 1 "cannot make $2"
echo "$2: ${counts[0]} pairs to train on, ${counts[1]} to validate, ${counts[2]} to test"
