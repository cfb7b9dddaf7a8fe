# Each number with a point in a page's prose stands in one of its blocks too, there with as many digits or more. Exempt:
# the targets of links, and what is said of other programs, below a heading "In PyTorch ...".
#   awk -f prose.awk PAGE      Exit code 1: a number that nothing printed
function numbers(line, into,    number) {
  while (match(line, /[0-9]+\.[0-9]+(e[-+]?[0-9]+)?/)) {
    number = substr(line, RSTART, RLENGTH)
    line = substr(line, RSTART + RLENGTH)
    if (into == "shown") shown[number] = 1
    else said[FNR " " number] = 1
  }
}
function digits(number) { return length(number) - index(number, ".") }

/^```/ { fenced = !fenced }
/^#/ && !fenced { elsewhere = /In PyTorch/ }
fenced { numbers($0, "shown") }
!fenced && !elsewhere { gsub(/\]\([^)]*\)/, ""); numbers($0, "said") }
END {
  for (key in said) {
    split(key, word, " ")
    found = 0
    for (number in shown) found = found || sprintf("%." digits(word[2]) "f", number) == word[2]
    if (!found) {
      print FILENAME ":" word[1] ": " word[2] " stands in no output of this page"
      failed = 1
    }
  }
  exit failed
}
