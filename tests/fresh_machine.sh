#!/bin/bash
# A machine fresh from Debian's installer, as far as a folder can be one: a minimal root made by debootstrap, with the
# checked-out commit in it (not what is uncommitted), and in there commands as a user would type them.
#   tests/fresh_machine.sh SUITE                 bookworm or trixie: the README's two commands
#   tests/fresh_machine.sh SUITE COMMAND...      others, in this order
# COMMAND is "user LINE", run as a plain user with sudo, or "root LINE", run as root; in the checkout, which then belongs
# to whoever runs it. Packages come from where this machine has them from. Multi30k is there if $XFORMER_MULTI30K or
# ../shared/data/multi30k has it.
# $FRESH_MACHINE_EXCHANGE, a folder of this machine, is /exchange in there: what goes from one root to another.
# Needs root, debootstrap and about 6 GB below $TMPDIR (/var/tmp), all of it gone at the end. Root and mounts live in
# namespaces of their own, and die with this script; only kill -9 leaves the folder.
# The last lines are a table of minutes, ctest's result of each command, and what failed. Exit code 0: everything passed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly default_commands=("user tools/demo.sh" "root tests/run.sh")
readonly home=/home/user checkout=/home/user/xformer attempts=3
# What of this machine's environment tells how its network is reached.
readonly network=(http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY PIP_DEFAULT_TIMEOUT PIP_CERT
  SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE)

fail() {  # message[, exit code]
  echo "error: $1" >&2
  exit "${2:-1}"
}

# --- Outside: a folder, and this script again in namespaces of its own ---

check_machine() {
  [ "$(id -u)" = 0 ] || fail "a root for debootstrap needs root: run this as root or with sudo"
  for program in debootstrap unshare setpriv git; do
    command -v $program >/dev/null || fail "no $program; on Debian: apt-get install debootstrap util-linux git"
  done
}

check_commands() {
  for command in "$@"; do
    case $command in
      "user "?* | "root "?*) ;;
      *) fail "'$command' must be 'user LINE' or 'root LINE'" 2 ;;
    esac
  done
}

outside() {  # suite, command...
  check_machine
  check_commands "${@:2}"
  git -c safe.directory='*' diff --quiet HEAD 2>/dev/null || echo "note: what is uncommitted stays outside"
  folder=$(mktemp -d "${TMPDIR:-/var/tmp}/xformer-root-XXXXXX")
  child=
  # Whoever is killed takes the rest along: the kernel does it. Processes on their way out may still write.
  trap '[ -z "$child" ] || kill -KILL $child 2>/dev/null; wait; rm -rf "$folder" || { sleep 2; rm -rf "$folder"; }' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  # A shell's background ignores Ctrl-C, and would hand that down to tests about it.
  env --default-signal=INT,QUIT FRESH_MACHINE="$folder" setpriv --pdeathsig KILL \
    unshare --mount --pid --fork --kill-child --mount-proc "$PWD/tests/fresh_machine.sh" "$@" </dev/null &
  child=$!
  code=0
  wait $child || code=$?
  child=
  exit $code
}

# --- Inside the namespaces: make the root ---

# The address of the machine's own package source for "its own suite$1"; nothing if it has none.
source_of() {
  # shellcheck disable=SC1091
  . /etc/os-release
  [ "$ID" = debian ] || return 0
  # shellcheck disable=SC2016  # apt's variables
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' |
    awk -v release="$VERSION_CODENAME$1" '$1 == release && $2 == "main" && !found++ { print $3 }'
}

# debootstrap and the commands in the root reach the network as this machine's apt does.
take_proxies() {
  for protocol in http https; do
    local name=${protocol}_proxy proxy=
    eval "$(apt-config shell proxy "Acquire::$protocol::Proxy")"
    [ -n "${!name:-}" ] || [ -z "$proxy" ] || export "$name=$proxy"
  done
}

# Into a folder of its own each time: an attempt that failed may have left mounts behind.
bootstrap() {
  local mirror
  mirror=$(source_of "")
  for ((attempt = 1; attempt <= attempts; ++attempt)); do
    root=$folder/root$attempt
    # shellcheck disable=SC2086  # none: debootstrap's own
    debootstrap --variant=minbase --include=sudo "$suite" "$root" $mirror >"$folder/log" 2>&1 && return
    tail -n 20 "$folder/log" >&2
    echo "debootstrap: attempt $attempt of $attempts failed" >&2
  done
  fail "debootstrap made no root"
}

add_network() {
  local list=$root/etc/apt/sources.list security  # debootstrap left one line in it
  sed -n "s/ $suite / $suite-updates /p" "$list" >>"$list.more"
  security=$(source_of -security)
  [ -z "$security" ] || echo "deb $security $suite-security main" >>"$list.more"
  cat "$list.more" >>"$list" && rm "$list.more"
  apt-config dump Acquire | grep -vE '^Acquire( |::(IndexTargets|Changelogs|CompressionTypes|cdrom))' \
    >"$root/etc/apt/apt.conf.d/99machine" || true
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    [ ! -e $file ] || cp -L $file "$root$file"
  done
  # Both where programs look, and where the package ca-certificates keeps it when it comes.
  local bundle=/etc/ssl/certs/ca-certificates.crt
  if [ -e $bundle ]; then
    install -D -m 644 $bundle "$root$bundle"
    install -D -m 644 $bundle "$root/usr/local/share/ca-certificates/machine.crt"
  fi
}

add_user() {
  chroot "$root" useradd --create-home --home-dir $home --shell /bin/bash user
  {
    echo "user ALL=(ALL) NOPASSWD: ALL"
    echo "Defaults env_keep += \"${network[*]}\""
  } >"$root/etc/sudoers.d/user"
}

add_checkout() {
  mkdir "$root$checkout"
  git -c safe.directory='*' archive HEAD | tar -x -C "$root$checkout"
  local data=${XFORMER_MULTI30K:-../shared/data/multi30k}
  if [ -e "$data/train.en" ]; then
    mkdir -p "$root$home/shared/data"
    cp -rL "$data" "$root$home/shared/data/multi30k"
  fi
}

make_root() {
  take_proxies
  bootstrap
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  if [ -n "${FRESH_MACHINE_EXCHANGE:-}" ]; then
    mkdir "$root/exchange"
    mount --bind "$FRESH_MACHINE_EXCHANGE" "$root/exchange"
  fi
  add_network
  add_user
  add_checkout
}

# --- Inside the root: the commands ---

in_root() {  # "user LINE" or "root LINE"
  local who=${1%% *} line=${1#* } variables=() name
  for name in "${network[@]}" CI TERM; do
    [ -z "${!name:-}" ] || variables+=("$name=${!name}")
  done
  [ "$who" = user ] && variables+=("HOME=$home") || variables+=("HOME=/root")
  chroot "$root" chown -R "$who:" $checkout
  chroot --userspec="$who:" "$root" env -i "${variables[@]}" "USER=$who" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c "cd $checkout && $line" 2>&1 | tee "$folder/log"
}

# What a command's output says of its tests, in a line.
result_in() {  # log
  awk '/\*\*\*Skipped/ { skipped++ }
       /^[0-9]+% tests passed/ { ran += $NF; failed += $4 }
       /^(BLEU|caught) [0-9]/ || /^([0-9]+ passed, )?[0-9]+ failed$/ { other = $0 }
       END { print ran ? ran - skipped - failed " passed, " skipped + 0 " skipped, " failed " failed" : other }' "$1"
}

table=
stage() {  # name, command...
  name=$1 begun=$SECONDS
  echo "=== $suite: $name"
  : >"$folder/log"
  "${@:2}"
  end_stage ""
}

end_stage() {  # what went wrong, or nothing
  local seconds=$((SECONDS - begun))
  table+=$(printf '%s: %-32s %3d min %2d s   %s' "$suite" "$name" $((seconds / 60)) $((seconds % 60)) \
    "$(result_in "$folder/log")$1")$'\n'
}

inside() {  # suite, command...
  folder=$FRESH_MACHINE
  trap 'code=$?; [ $code = 0 ] || end_stage "  FAILED with exit code $code"; printf "\n%s" "$table"' EXIT
  stage "a minimal root" make_root
  for command in "${@:2}"; do stage "$command" in_root "$command"; done
}

suite=${1:-}
case $suite in
  bookworm | trixie) shift ;;
  *)
    echo "usage: tests/fresh_machine.sh bookworm|trixie ['user LINE'|'root LINE']..." >&2
    exit 2
    ;;
esac
[ $# -gt 0 ] || set -- "${default_commands[@]}"
if [ -n "${FRESH_MACHINE:-}" ]; then inside "$suite" "$@"; else outside "$suite" "$@"; fi
