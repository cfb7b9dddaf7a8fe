#!/bin/bash
# tests/book/weave.sh and links.awk notice what is wrong, and only that: mistakes planted one at a time in a page.
#   tests/book/weave_test.sh
set -u
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d "${TMPDIR:-/tmp}/xformer-weave-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0
claim() { # sentence, status
  if [ "$2" = 0 ]; then echo "ok      $1"; else echo "FAILED  $1" && cat "$work/log" && failures=$((failures + 1)); fi
}

cat >"$work/true.md" <<'PAGE'
# A page

<!-- include kernels/plain/softmax.h#softmax_backward -->
```cpp
```

<!-- include nn/attention_block.cpp#AB4..AB5 -->
```cpp
```

```sh
printf 'shares [1, 3]  %s %s\n' 0.09003057 0.2447285
echo 'off by 2e-08'
```

```output
```

The first share is 0.09.

```sh
printf '<svg><path d="M 1.50 2.50"/></svg>\n' >docs/book/figures/line.svg
```

![A line](figures/line.svg)
PAGE
weave() { bash "$here/weave.sh" "$@" >"$work/log" 2>&1; }
weave "$work/true.md"
claim "empty blocks are noticed" $((!$?))
weave --update "$work/true.md" && weave "$work/true.md"
claim "--update makes a page true" $?
grep -q 'ds\[j\] = p\[j\] \* (dp\[j\] - delta);  // SM3' "$work/true.md" && grep -q '^out_.backward_weight.*AB5$' "$work/true.md"
claim "code is read from the files" $?

planted() { # sed's expression
  sed -E "$1" "$work/true.md" >"$work/page.md"
  ! cmp -s "$work/true.md" "$work/page.md" && weave "$work/page.md"
}
notices() { # sentence, sed's expression, words of the report
  planted "$2"
  [ $? = 1 ] && grep -qF -e "$3" "$work/log"
  claim "$1" $?
}
accepts() {
  planted "$2"
  claim "$1" $?
}
notices "a wrong digit" 's/^shares(.*) 0.2447285/shares\1 0.2457285/' "0.2457285"
accepts "the last digits of another processor" 's/^shares(.*) 0.2447285/shares\1 0.2447291/'
accepts "what is left of a rounding" 's/^off by 2e-08/off by 7e-09/'
notices "an error that is no rounding" 's/^off by 2e-08/off by 2e-03/' "2e-03"
notices "a whole number that differs" 's/^shares \[1, 3\]/shares [1, 4]/' "[1, 4]"
notices "a word that differs" 's/^shares/shapes/' "shapes"
notices "code that was changed by hand" 's/dp\[j\] - delta/dp[j] + delta/' "dp[j] + delta"
notices "a function that is not there" 's/#softmax_backward/#softmax_backwards/' "no 'softmax_backwards' in 'kernels/plain/softmax.h'"
notices "an equation that the file does not cite" 's/AB4\.\.AB5/AB4..AB99/' "no 'AB4..AB99'"
notices "a command that fails" "s/^echo .*/build\/bin\/no-such-program/" "this command fails"
notices "code without a source" 's/^<!-- include nn.*//' "code without"
notices "an output without a command" 's/^```sh$/```/' "an output without a command"
notices "a number that nothing printed" 's/is 0.09/is 0.08/' "0.08 stands in no output"
notices "a figure that nothing draws" 's/figures\/line.svg\)/figures\/curve.svg)/' "no command of the page draws figures/curve.svg"
sed -i 's/2.50/2.60/' "$work/figures/line.svg" && weave "$work/true.md"
claim "a figure that differs" $((!$?))

links() { awk -f "$here/links.awk" "$work/linked.md" >"$work/log"; }
printf '# A `heading`: one, two\n[here](#a-heading-one-two) [there](true.md#a-page) [away](https://example.org)\n' >"$work/linked.md"
links
claim "links that lead somewhere" $?
for link in 'false.md' '#another' 'true.md#another'; do
  printf '# A heading\n[here](%s)\n' "$link" >"$work/linked.md"
  ! links && grep -qF "linked.md:2: no $link" "$work/log"
  claim "a link to $link" $?
done
[ "$failures" = 0 ]
