#!/usr/bin/env bash
# The commands of docs/own_data.md, with less text: descriptions of packages that a folder holds, made of the demo's corpus; and
# in place of a model of OPUS-MT a small one of the same files, with random weights.
#   own_data.sh FOLDER_OF_THE_PROGRAMS
root=$(realpath "$(dirname "$0")/../..")
# shellcheck source=tests/e2e/support.sh
. "$root/tests/e2e/support.sh"
[ -x /usr/lib/apt/apt-helper ] || { echo "[skipped] no apt"; exit 0; }
ln -s "$root/tools" tools
cp -R "$root/tests/fixtures/marian/opus" opus-mt-en-de
xformer-vocab demo-corpus --quiet --pairs 600 -o demo || exit 1

# A description is three pairs: German as it is, and for Japanese and Chinese a sign for each word, without spaces. Of 256
# descriptions five are to test and five to validate.
lists=repository/dists/here/main/i18n
mkdir -p $lists
paste demo/train.en demo/train.de | LC_ALL=C awk -F '\t' -v lists=$lists '
  function sign(word) { # the next of the ideographs, from U+4E00 on, as UTF-8
    if (!(word in signs)) {
      code = 19968 + count++
      signs[word] = sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    }
    return signs[word]
  }
  function without_spaces(german,   words, line, i) {
    for (i = 1; i <= split(german, words, /[ .,?!]+/); i++) if (words[i] != "") line = line sign(words[i])
    return line "。"
  }
  function write(language, text) {
    file = lists "/Translation-" language
    if (NR % 3 == 1)
      printf "Package: p%d\nDescription-md5: %02x%030d\nDescription-%s: %s\n", NR, int(NR / 3) % 256, NR, language, text >file
    else printf "%s %s\n%s", NR % 3 == 0 ? " .\n" : "", text, NR % 3 == 0 ? "\n" : "" >file
  }
  { write("en", $1); write("de", $2); write("ja", without_spaces($2)); write("zh_CN", without_spaces($2)) }'
(
  cd repository/dists/here
  printf 'Suite: here\nComponents: main\nArchitectures: amd64\nSHA256:\n' >Release
  for file in main/i18n/*; do echo " $(sha256sum <"$file" | cut -d ' ' -f 1) $(stat -c %s "$file") $file"; done >>Release
)
echo "deb [trusted=yes] file:$work/repository here main" >sources.list
printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "/dev/null";\n' "$work/sources.list" >apt.conf
chmod 755 . # for the user that root's apt reads the folder as
export APT_CONFIG=$work/apt.conf

follow_page "$root/docs/own_data.md" all
conclude
