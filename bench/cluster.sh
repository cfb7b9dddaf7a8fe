#!/usr/bin/env bash
# What a network costs training with several processes (docs/scaling_cost.md): "hosts" that are network namespaces of this machine,
# with a name and an address each and a link of so many bits a second to a switch. Root, Open MPI and iproute2; everything is
# taken down at the end.
#   bench/cluster.sh [HOSTS [RATE [DELAY [OPTION...]]]]     default: 2 1gbit 0ms; RATE or DELAY 0: as it comes
#   bench/cluster.sh 2 1gbit 1ms --task transformer-base --mini-batch-words 1000
# One process a host, one thread each, on a processor of its own as far as they go. A DELAY, one way: by the kernel's netem, or,
# where it has none, by a switch that is a program (bench/delayed_switch.py, python3), which takes some of a processor itself.
# Prints a line: hosts, seconds of an update (the median behind the first three), target tokens a second, the kilobytes that a host
# sends, and, where ping (iputils-ping) is installed, how long a packet takes to the next host and back. One host is measured without MPI.
set -eu
export LC_ALL=C.UTF-8  # where a comma is the decimal point, awk compares no numbers
cd "$(dirname "$0")/.."
programs=$PWD/build/bin
hosts=${1:-2} rate=${2:-1gbit} delay=${3:-0}
shift $(($# < 3 ? $# : 3))
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-cluster-XXXXXX")
net=10.99.77
updates=${UPDATES:-10}

switch=
take_down() {
  [ -z "$switch" ] || kill "$switch" 2>/dev/null || true
  for i in $(seq "$hosts"); do
    ip link del "xformer0.$i" 2>/dev/null || true
    ip netns del "xformer$i" 2>/dev/null || true
  done
  ip link del xformer0 2>/dev/null || true
  rm -rf "$work"
}
trap take_down EXIT
trap 'exit 1' INT TERM

has_netem() {
  ip link add xformer0 type dummy
  tc qdisc add dev xformer0 root netem delay 1ms 2>/dev/null
  local code=$?
  ip link del xformer0
  return $code
}

# What leaves a host: at the rate, and that much later.
shape() { # namespace
  local parent=root
  if [ "${rate%%[a-z]*}" != 0 ]; then
    ip netns exec "$1" tc qdisc add dev wire root handle 1: tbf rate "$rate" burst 256kb latency 100ms
    parent="parent 1:"
  fi
  # shellcheck disable=SC2086  # two words
  [ -z "$by_kernel" ] || ip netns exec "$1" tc qdisc add dev wire $parent netem delay "$delay" limit 100000
}

# The switch, and a wire to each host.
connect_by_kernel() {
  ip link add xformer0 type bridge
  for i in $(seq "$hosts"); do
    ip link add "xformer0.$i" type veth peer name wire netns "xformer$i"
    ip link set "xformer0.$i" master xformer0 up
  done
}
connect_with_delay() {
  local milliseconds=${delay%ms}
  case $milliseconds in
    *us) milliseconds=$(awk -v us="${milliseconds%us}" 'BEGIN { print us / 1000 }') ;;
  esac
  : >"$work/switch"
  # shellcheck disable=SC2046  # a word for each
  python3 bench/delayed_switch.py "$milliseconds" xformer0 $(seq -f "xformer%g" "$hosts") >"$work/switch" &
  switch=$!
  until grep -q ready "$work/switch"; do
    kill -0 $switch 2>/dev/null || { echo "error: bench/delayed_switch.py does not start; its lines above say why" >&2; exit 1; }
    sleep 0.05
  done
  ip link set xformer0 mtu 65521
  for i in $(seq "$hosts"); do ip -n "xformer$i" link set wire mtu 65521; done
}

set_up() {
  for i in $(seq "$hosts"); do ip netns add "xformer$i"; done
  by_kernel=
  if [ "${delay%%[a-z]*}" = 0 ]; then
    connect_by_kernel
  elif has_netem; then
    by_kernel=yes
    connect_by_kernel
  else
    connect_with_delay
  fi
  ip addr add "$net.254/24" dev xformer0
  ip link set xformer0 up
  for i in $(seq "$hosts"); do
    ip -n "xformer$i" addr add "$net.$i/24" dev wire
    ip -n "xformer$i" link set wire up
    ip -n "xformer$i" link set lo up
    shape "xformer$i"
  done
}

# In place of ssh: a shell in the namespace of an address, under a name of its own.
cat >"$work/agent" <<AGENT
#!/bin/sh
i=\${1##*.}
shift
exec ip netns exec xformer\$i unshare --uts taskset -c \$(((i - 1) % $(nproc))) sh -c "hostname host\$i; \$*"
AGENT
chmod +x "$work/agent"

[ -e "$work/train.en" ] || "$programs/xformer-vocab" demo-corpus --quiet -o "$work/corpus"
corpus=${CORPUS:-$work/corpus}  # a folder with train.en and train.de
options=(-t "$corpus/train.en" "$corpus/train.de" -m "$work/run" --after "${updates}u" --disp-freq 1u --disp-first 0 --save-freq 1000e
  --valid-freq 1000e --early-stopping 0 --cpu-threads 1 --log-format none --report=false "$@")

if [ "$hosts" = 1 ]; then
  OMP_WAIT_POLICY=passive taskset -c 0 "$programs/xformer-train" "${options[@]}"
else
  set_up
  places=$(seq -f "$net.%g" -s , "$hosts")
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_WAIT_POLICY=passive
  mpirun --host "$places" -n "$hosts" --bind-to none -x OMP_WAIT_POLICY --mca plm_rsh_agent "$work/agent" \
    --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include "$net.0/24" --mca pml ob1 --mca btl tcp,self \
    --mca btl_tcp_if_include "$net.0/24" "$programs/xformer-train" "${options[@]}"
  grep -E '^model: |^ranks? ' "$work/run/train.log"
  trip=$(ip netns exec xformer1 ping -q -c 10 -i 0.05 "$net.2" 2>/dev/null | awk -F / '/min.avg.max/ { print $5 }')
  sent=$(ip -n xformer1 -s link show wire | awk '/TX:/ { getline; print $1 }')
  sent=" · $((sent / updates / 1000)) kB sent by rank 0 for each${trip:+ · $trip ms there and back}"
fi

# Seconds of an update: the tokens of a line, by its speed.
grep '"event":"train"' "$work/run/metrics.jsonl" | grep -oE '"seconds":[0-9.]+' | cut -d : -f 2 |
  awk 'NR > 3 { print $1 - before } { before = $1 }' | sort -g >"$work/seconds"
tokens=$(grep '"event":"train"' "$work/run/metrics.jsonl" | grep -oE '"tok_per_s":[0-9.]+' | cut -d : -f 2 | sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }')
awk -v hosts="$hosts" -v rate="$rate" -v delay="$delay" -v tokens="$tokens" -v sent="${sent:-}" \
  '{ a[NR] = $1 } END { printf "hosts %d · %s · %s · %.4f s an update · %.0f target tokens/s%s\n", hosts, rate, delay, a[int((NR + 1) / 2)], tokens, sent }' "$work/seconds"
