#!/bin/bash
# Formulas of the pages survive a code host's Markdown, which eats a backslash before punctuation in $...$ and may take _
# behind a bracket for emphasis. Exit code 0: so they do.
#   tests/check_formulas.sh
set -euo pipefail
cd "$(dirname "$0")/.."

fragile() {  # files...: each formula that would not be shown as it is
  perl -ne 'if (/^```/) { $fenced = !$fenced }
    next if $fenced;
    s/`[^`]*`//g;
    while (/\$([^\$]+)\$/g) { my $formula = $1; print "$ARGV: $formula\n" if $formula =~ /\\[[:punct:]]|[^\w\s]_\w/ }' "$@"
}

planted=$(printf '%s\n' 'of $\alpha\, l$, or' 'of $\hat{x}_i$, or' 'of $x_i$ and `$a\,b$`' '```math' '$a\,b$' '```' | fragile)
[ "$planted" = $'-: \\alpha\\, l\n-: \\hat{x}_i' ] || { echo "error: this check found of the planted ones: $planted" >&2; exit 1; }
found=$(fragile README.md docs/*.md docs/*/*.md)
[ -z "$found" ] || { echo "error: formulas that a code host would not show as they are: $found" >&2; exit 1; }
