# Whether two texts are the same: letter by letter, but for blanks' number and for numbers within ```output blocks (or
# everywhere, with -v everywhere=1). Two whole numbers must be equal. Of others the difference may be 1e-4 of the larger; and
# 1e-6 in any case, for what is left of a rounding ("off by 2e-08") differs from processor to processor.
#   awk -f compare.awk WRITTEN MADE      Prints lines that differ. Exit code 1: there are some
function close_to(a, b,    difference, largest) {
  if (a == b) return 1
  if (a !~ /[.eE]/ && b !~ /[.eE]/) return 0
  difference = a - b
  if (difference < 0) difference = -difference
  largest = a < 0 ? -a : a + 0
  if ((b < 0 ? -b : b + 0) > largest) largest = b < 0 ? -b : b + 0
  return difference <= 1e-6 + 1e-4 * largest
}

function same(a, b,    number, before, value) {
  if (a == b) return 1
  number = "[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?"
  gsub(/[ \t]+/, " ", a)
  gsub(/[ \t]+/, " ", b)
  while (match(a, number)) {
    before = substr(a, 1, RSTART - 1)
    value = substr(a, RSTART, RLENGTH)
    a = substr(a, RSTART + RLENGTH)
    if (!match(b, number) || substr(b, 1, RSTART - 1) != before) return 0
    if (!close_to(value, substr(b, RSTART, RLENGTH))) return 0
    b = substr(b, RSTART + RLENGTH)
  }
  return a == b
}

NR == FNR { written[FNR] = $0; name = FILENAME; lines = FNR; next }
{
  if ($0 ~ /^```/) in_output = $0 == "```output"
  if (in_output || everywhere ? !same(written[FNR], $0) : written[FNR] != $0) {
    if (++different <= 10) printf "%s:%d: differs\n  there  %s\n  made   %s\n", name, FNR, written[FNR], $0
  }
}
END { exit different > 0 || lines != FNR }
