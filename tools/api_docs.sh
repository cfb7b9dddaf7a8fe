#!/bin/sh
# The library's interface as pages, by Doxygen, from the comments in the headers: tools/app/xformer.h, the kernels, tensors.
#   tools/api_docs.sh [FOLDER]      default: build/api; then open FOLDER/html/index.html
# Exit code 1, naming it, for a declaration that no comment speaks of.
set -eu
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
folder=${folder:-build/api}
command -v doxygen >/dev/null || {
  echo "error: no doxygen; on Debian: tools/install_packages.sh doxygen" >&2
  exit 1
}
mkdir -p "$folder"
{ cat docs/api/Doxyfile; echo "OUTPUT_DIRECTORY = $folder"; echo "PROJECT_NUMBER = $(sed -n 's/^project(xformer VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"; } |
  doxygen -
echo "$folder/html/index.html"
