#!/bin/sh
# A peer that does nothing and says what it is told to: the other side of bench/peer_program.h, for the tests.
#   fake_peer.sh ... --settings     prints $FAKE_SETTINGS
#   fake_peer.sh ...                answers; a setting's options are "seconds", its answer to "turn", and "does": skips,
#                                   dies (before it is ready), dies_later (at the third turn), rambles (a turn is no time),
#                                   sleeps (for long, at a turn)
# Every start and every request is a line of $FAKE_LOG, where that is set, with $FAKE_WORD, as a setting's variable.
log() { [ -z "${FAKE_LOG:-}" ] || echo "$*" >>"$FAKE_LOG"; }
option() { echo "$rest" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
die() {
  echo "Killed, $1" >&2
  exit 3
}

case "$*" in *--settings)
  echo "$FAKE_SETTINGS"
  exit ;;
esac
log "start ${FAKE_WORD:-}"
while read -r word rest; do
  log "$word"
  case $word in
    set)
      seconds=$(option seconds) does=$(option does) turns=0
      [ "$does" != dies ] || die "as it got ready"
      case $does,$rest in
        skips,*) echo '{"skip": "not on a Tuesday"}' ;;
        *'"sample":true'*) echo '{"version": "1.2", "on": "a part"}' ;;
        *) echo "{\"version\": \"1.2\", \"on\": \"all\", \"tokens\": ${FAKE_TOKENS:-0}}" ;;
      esac ;;
    turn)
      turns=$((turns + 1))
      [ "$does" != dies_later ] || [ $turns -lt 3 ] || die "at a turn"
      case $does in
        rambles) echo "soon" ;;
        sleeps) exec sleep 600 ;;
        *) echo "$seconds" ;;
      esac ;;
    ids) echo "${FAKE_IDS:-[]}" ;;
  esac
done
