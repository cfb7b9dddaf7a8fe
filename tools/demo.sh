#!/bin/sh
# From nothing to a translation: installs what is missing, builds, makes a small English-German corpus, trains on it
# (a few minutes on two cores), translates sentences that the model has not seen, and scores them.
#   tools/demo.sh [FOLDER]      default: build/demo. A run that was stopped goes on.
# Works as root or with sudo on Debian 12 and 13. Exit code 1 if the score is lower than it should be.
set -eu
cd "$(dirname "$0")/.."

PATH=$PWD/build/bin:$PATH

step() {  # what it does, command...
  name=$1
  shift
  "$@" || {
    echo "error: tools/demo.sh: $name failed; the lines above say why" >&2
    exit 1
  }
}

tools/install_packages.sh  # says itself what failed, and so do our programs
step "configuring" cmake --preset release >/dev/null
step "building" cmake --build --preset release --target xformer-vocab xformer-train xformer-translate xformer-score

tools/train_demo.sh "${1:-build/demo}"
