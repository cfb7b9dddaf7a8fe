#!/usr/bin/env bash
# The Debian package of the programs on a machine without compiler or checkout: installs with what it depends on, and
# trains and uses the demo as a plain user.
#   tests/installed_package.sh xformer_*.deb      root or sudo
set -eu
package=$(realpath "$1")
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get -qq -o Acquire::Retries=5 update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=5 install --yes --no-install-recommends \
  "$package" >/dev/null
! command -v g++ || { echo "error: there is a compiler here: this is no test of the package's own needs" >&2; exit 1; }
cd "$(mktemp -d)"
xformer-train --build-info
/usr/share/xformer/train_demo.sh demo
