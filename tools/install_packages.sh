#!/bin/sh
# Installs the Debian packages that the build and the tests need, if any is missing. Root, or a user with sudo.
#   tools/install_packages.sh [PACKAGE...]      those, and others
set -eu

# libopenmpi-dev and openmpi-bin: for training with several processes, which is left out of a build without them.
# Two that other packages need without depending on them: ocl-icd-opencl-dev oneDNN's CMake files, libprotobuf-dev
# sentencepiece's pkg-config file (Debian 13).
packages="g++ cmake ninja-build pkg-config
  libdnnl-dev ocl-icd-opencl-dev libicu-dev libsentencepiece-dev libprotobuf-dev libcli11-dev libtomlplusplus-dev
  libyaml-cpp-dev nlohmann-json3-dev libfmt-dev liblzma-dev zlib1g-dev libzstd-dev zstd catch2 libbenchmark-dev
  libboost-context-dev libopenmpi-dev openmpi-bin"

missing=
for package in $packages "$@"; do
  case $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) in
    installed) ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then
  exit 0
fi

as_root=
if [ "$(id -u)" != 0 ]; then
  as_root=sudo
  command -v sudo >/dev/null || {
    echo "error: packages are missing and need root to install:$missing" >&2
    exit 1
  }
fi

# A download that fails is tried again.
apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=5 "$@" || {
    echo "error: 'apt-get $*' failed; its lines above say why" >&2
    exit 1
  }
}
echo "installing:$missing"
apt_get update
# shellcheck disable=SC2086  # one word per package
apt_get install --yes --no-install-recommends $missing >/dev/null
