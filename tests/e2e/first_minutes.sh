#!/usr/bin/env bash
# The commands of docs/first_minutes.md, one after the other as they stand there: each ends as the page shows, and says the
# errors and warnings that the page shows. Numbers, which depend on the processor, may differ.
#   first_minutes.sh FOLDER_OF_THE_PROGRAMS
page=$(realpath "$(dirname "$0")/../../docs/first_minutes.md")
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"

# Of the page's console blocks: "$ COMMAND", lines "> REST OF IT", and what it prints.
code=0 command='' shown=''
finish() { # runs `command`, of which the page shows `shown`
  [ -n "$command" ] || return 0
  # shellcheck disable=SC2016
  if [ "$command" = 'echo $?' ]; then
    claim "which ends with $shown" equal "$code" "$shown"
    code=0
    return
  fi
  claim "the one before ends with 0" equal "$code" 0
  echo "\$ $command"
  eval "$command" >said 2>&1
  code=$?
  local line
  while read -r line; do
    case $line in
      error:* | warning:* | cause:* | try:*) claim "it says: $line" grep -qxF -- "$line" said ;;
    esac
  done <<<"$shown"
}
inside=
while IFS= read -r line; do
  case $line in
    '```console') inside=yes ;;
    '```') inside= ;;
    *)
      [ "$inside" ] || continue
      case $line in
        '$ '*)
          finish
          command=${line#'$ '} shown=''
          ;;
        '> '*) command+=$'\n'${line#'> '} ;;
        *) shown+=${shown:+$'\n'}$line ;;
      esac
      ;;
  esac
done <"$page"
finish
claim "the page has commands" test -n "$command"
claim "the last one ends with 0" equal "$code" 0
conclude
