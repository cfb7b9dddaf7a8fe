#!/usr/bin/env bash
# Fetches Multi30k task 1, English and German (Elliott et al. 2016, arXiv:1605.00459), into a folder.
#   tools/get_multi30k.sh DIR
# Writes train, val and test_2016_flickr, .en and .de each, one sentence a line. Every file is checked before it gets
# its name, so DIR never holds a wrong or half-written file of ours. Files that are right already are not fetched again;
# a file of that name with other content is left alone and refused.
# Environment: MULTI30K_URL, the folder with the .gz files (a file:// address needs curl).
# Exit codes: 0 all six files are there and right, 1 fetching failed, 2 usage, 3 a file with other content.
set -euo pipefail

url=${MULTI30K_URL:-https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw}

checksums() {
  cat <<'SHA256'
460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6  train.en
2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72  train.de
1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227  val.en
660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660  val.de
399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182  test_2016_flickr.en
4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16  test_2016_flickr.de
SHA256
}

fail() {  # exit code, message
  echo "error: $2" >&2
  exit "$1"
}

has_checksum() {  # sha256, file
  [ "$(sha256sum <"$2")" = "$1  -" ]
}

fetch() {  # address, file
  if command -v curl >/dev/null; then
    curl --fail --location --silent --show-error --retry 3 --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --tries=3 --output-document="$2" "$1"
  else
    fail 1 "neither curl nor wget is installed; install one of them"
  fi
}

dir=${1:-}
if [ $# -ne 1 ] || [ -z "$dir" ] || [ "${dir#-}" != "$dir" ]; then fail 2 "usage: $0 DIR"; fi

missing=()  # "sha256 name"; found before anything is written, so that a complete folder may be read-only
while read -r sum name; do
  if [ ! -e "$dir/$name" ]; then
    missing+=("$sum $name")
  elif ! has_checksum "$sum" "$dir/$name"; then
    fail 3 "$dir/$name is not the file of Multi30k (its SHA-256 differs); move it away or give another folder"
  fi
done < <(checksums)
if [ ${#missing[@]} -eq 0 ]; then
  echo "$dir already holds the six files of Multi30k, all of them right"
  exit 0
fi

mkdir -p "$dir" || fail 1 "cannot create the folder $dir"
partial=$(mktemp -d "$dir/.get_multi30k.XXXXXX") || fail 1 "cannot write into $dir"
trap 'rm -rf "$partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for entry in "${missing[@]}"; do
  read -r sum name <<<"$entry"
  fetch "$url/$name.gz" "$partial/$name.gz" || fail 1 "cannot fetch $url/$name.gz; check the network and try again"
  gzip --decompress --stdout "$partial/$name.gz" >"$partial/$name" || fail 3 "$url/$name.gz is not a whole gzip file"
  has_checksum "$sum" "$partial/$name" ||
    fail 3 "$url/$name.gz is not the file of Multi30k (its SHA-256 differs); it was not kept"
  sync "$partial/$name"
  mv "$partial/$name" "$dir/$name"
done
echo "$dir: fetched ${#missing[@]} of the six files of Multi30k, all of them right"
