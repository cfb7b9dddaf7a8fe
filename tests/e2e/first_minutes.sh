#!/usr/bin/env bash
# The commands of docs/first_minutes.md.
#   first_minutes.sh FOLDER_OF_THE_PROGRAMS
page=$(realpath "$(dirname "$0")/../../docs/first_minutes.md")
# shellcheck source=tests/e2e/support.sh
. "$(dirname "$0")/support.sh"
follow_page "$page"
conclude
