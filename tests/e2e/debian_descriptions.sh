#!/usr/bin/env bash
# tools/get_debian_descriptions.sh with apt, whose only source is a repository of four packages in a folder.
#   debian_descriptions.sh FOLDER_OF_THE_PROGRAMS
get=$(realpath "$(dirname "$0")/../../tools/get_debian_descriptions.sh")
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
[ -x /usr/lib/apt/apt-helper ] || { echo "[skipped] no apt"; exit 0; }
chmod 755 . # for the user that root's apt reads the repository as

describe() { # language, MD5, then the description's lines
  printf 'Package: p%s\nDescription-md5: %s\nDescription-%s: %s\n' "$2" "$2" "$1" "$3"
  [ $# -lt 4 ] || printf ' %s\n' "${@:4}"
  echo
}
lists=repository/dists/here/main/i18n
mkdir -p $lists
# By its first two digits, 30 goes to train, 07 to val, 02 to test. The last repeats a paragraph of the first.
{
  describe en 30a 'fast   editor' 'It edits,' 'and	undoes.' . 'Features:' ' * small' ' * quick,' '   very.'
  describe en 07b 'slow editor' 'One paragraph.'
  describe en 02c 'no editor' 'Left as it is.' . 'Second.'
  describe en ffd 'an editor' 'It edits, and undoes.'
} >$lists/Translation-en
{
  describe de 30a 'schneller Editor' 'Er ändert' 'und nimmt zurück.' . 'Vorzüge:' ' - klein' ' - schnell,' '   sehr.'
  describe de 07b 'langsamer Editor' 'Ein Absatz,' . 'und einer mehr.'
  describe de 02c 'kein Editor' 'Left as it is.' . 'Zweitens.'
  describe de ffd 'ein Editor' 'Ändert.'
  describe de aaa 'ohne Vorlage'
} >$lists/Translation-de
{
  describe ja 30a '速い エディタ' '編集と' '取消し GNU' 'Emacs。' . '特長:' ' * 小' ' * 速く、' '   とても。'
  describe ja 07b '遅い'
  describe ja 02c '無い'
} >$lists/Translation-ja
describe nl 30a 'snelle editor' >$lists/Translation-nl
release() {
  printf 'Suite: here\nCodename: here\nComponents: main\nArchitectures: amd64\nSHA256:\n'
  (cd repository/dists/here && for file in main/i18n/*; do
    printf ' %s %s %s\n' "$(sha256sum <"$file" | cut -d ' ' -f 1)" "$(stat -c %s "$file")" "$file"
  done)
}
release >repository/dists/here/Release
echo "deb [trusted=yes] file:$work/repository here main" >sources.list
printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "/dev/null";\n' "$work/sources.list" >apt.conf
export APT_CONFIG=$work/apt.conf

holds() { equal "$(cat "$1")" "$(printf '%s\n' "${@:2}")"; } # file, its lines
said=$("$get" de new/corpus)
claim "it makes a corpus, and counts" equal "$said" "new/corpus: 6 pairs to train on, 1 to validate, 2 to test"
claim "paragraphs and items, joined lines, each paragraph once" holds new/corpus/train.en \
  'fast editor' 'It edits, and undoes.' Features: small 'quick, very.' 'an editor'
claim "and their translations beside them" holds new/corpus/train.de \
  'schneller Editor' 'Er ändert und nimmt zurück.' Vorzüge: klein 'schnell, sehr.' 'ein Editor'
claim "of other paragraphs the short description alone" holds new/corpus/val.de 'langsamer Editor'
claim "and none that was left in English" holds new/corpus/test.de 'kein Editor' Zweitens.
claim "nothing else is left" equal "$(ls new)" corpus
claim "a second time it is refused" refused 3 "new/corpus holds something; give a new folder" "$get" de new/corpus
claim "Japanese gets no spaces where lines end" equal \
  "$("$get" ja ja >/dev/null && cat ja/train.ja)" "$(printf '%s\n' '速い エディタ' '編集と取消し GNU Emacs。' 特長: 小 '速く、とても。')"
"$get" de again >/dev/null
claim "twice it is the same" diff -r new/corpus again

claim "a language without translations is told" refused 3 "no descriptions in 'pt_BR'" "$get" pt_BR none
claim "so are too few" refused 3 "too few descriptions in 'nl': none for val" "$get" nl none
claim "so is what is no language" refused 2 "'German' is no language" "$get" German none
claim "or nothing" refused 2 usage: "$get" de
mv repository away
claim "without its sources it says so in one line" refused 1 "cannot fetch .*check the network" "$get" de none
claim "and of what failed nothing is left" equal "$(find . -maxdepth 1 -name 'none*')" ""
conclude
