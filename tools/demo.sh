#!/bin/sh
# From nothing to a translation: installs what is missing, builds, makes a small English-German corpus, trains on it
# (a few minutes on two cores), translates sentences that the model has not seen, and scores them.
#   tools/demo.sh [FOLDER]      default: build/demo. A run that was stopped goes on.
# Where tools/build.sh builds the CUDA backend, too, a GPU that works is used, and the log says why none is.
# Works as root or with sudo on Debian 12 and 13. Exit code 1 if the score is lower than it should be.
set -eu
usage() { sed -n '2,4s/^# *//p' "$0"; }
case ${1:-} in
  -h | --help) usage; exit ;;
  -*) usage >&2; exit 2 ;;
esac
folder=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."

tools/install_packages.sh  # says itself what failed, and so do our programs
tools/build.sh xformer-vocab xformer-train xformer-translate xformer-score xformer-explain || {
  echo "error: tools/demo.sh: building failed; the lines above say why" >&2
  exit 1
}
PATH=$PWD/build/bin:$PATH

tools/train_demo.sh "${folder:-build/demo}"
