#!/usr/bin/env bash
# tests/runpath.sh finds what is planted, each of its kind, and nothing in what is as it should be.
#   tests/runpath_test.sh COMPILER
set -eu
compiler=$1
check=$(realpath "$(dirname "$0")/runpath.sh")
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-runpath-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

plant() {  # argument of the linker...
  rm -rf planted
  mkdir planted
  echo 'int planted;' >planted.c
  "$compiler" -shared -fPIC -x c planted.c -o planted/planted.so "$@"
}
finds() {  # what it says, argument of the linker...
  local words=$1
  shift
  plant "$@"
  if "$check" planted >said 2>&1 || ! grep -F 'planted/planted.so: ' said | grep -qF "$words"; then
    echo "FAILED  finds no: $words ($*)"
    cat said
    failures=$((failures + 1))
  fi
}
passes() {  # argument of the linker...
  plant "$@"
  "$check" planted >said 2>&1 || { echo "FAILED  finds something in $*"; cat said; failures=$((failures + 1)); }
}

umask 022
mkdir -p open/below
chmod 777 open
ln -s /usr/lib link # in the folder for temporary files
for tags in --enable-new-dtags --disable-new-dtags; do
  for empty in : /usr/lib: :/usr/lib /usr/lib::/lib; do finds "RUNPATH has ''" -Wl,$tags,-rpath,$empty; done
  for relative in . lib ../lib '/usr/lib:lib' "lib/\$ORIGIN"; do
    finds "below the current folder" -Wl,$tags,-rpath,"$relative"
  done
  for anybodys in /tmp /tmp/none/lib /usr/lib/../../var/tmp/lib "$work/link" "$work/open" "$work/open/below" "/usr/lib:$work/open"; do
    finds "which everybody can write or make" -Wl,$tags,-rpath,"$anybodys"
  done
  # shellcheck disable=SC2016  # the loader's variable
  for good in /usr/lib /usr/lib/none:/lib '$ORIGIN' '$ORIGIN/../lib:${ORIGIN}/lib'; do passes -Wl,$tags,-rpath,"$good"; done
done
passes
echo 'int needed;' >needed.c
mkdir -p lib
"$compiler" -shared -fPIC -x c needed.c -o lib/needed.so # without a name of its own: needed by the path it was linked by
finds "needs 'lib/needed.so'" -Wl,--no-as-needed -x none lib/needed.so
passes -Wl,--no-as-needed -x none "$work/lib/needed.so"
finds "needs './loader'" -Wl,--auxiliary,./loader

mkdir nothing
! "$check" nothing >said 2>&1 || { echo "FAILED  a folder without programs passes"; failures=$((failures + 1)); }
# What is packed, and what is not ours.
plant -Wl,-rpath,:
mkdir -p package/DEBIAN package/usr venv
printf 'Package: planted\nVersion: 1\nArchitecture: all\nMaintainer: none <none@localhost>\nDescription: none\n' >package/DEBIAN/control
cp planted/planted.so package/usr
(cd planted && cmake -E tar cf ../planted.whl --format=zip planted.so)
dpkg-deb -b package planted.deb >/dev/null
for packed in planted.deb planted.whl; do
  if "$check" $packed >said 2>&1 || ! grep -qF "RUNPATH has ''" said; then
    echo "FAILED  finds nothing in $packed"
    failures=$((failures + 1))
  fi
done
passes
mkdir planted/venv
cp package/usr/planted.so planted/venv
touch planted/venv/pyvenv.cfg
"$check" planted >said 2>&1 || { echo "FAILED  reads the Python environment of others"; failures=$((failures + 1)); }
echo "$failures failed"
[ "$failures" = 0 ]
