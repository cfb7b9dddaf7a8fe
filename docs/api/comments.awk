# A header as Doxygen reads it: our comments are plain, and one speaks for all declarations below it up to an empty line.
#   awk -f docs/api/comments.awk HEADER
# Paragraph by paragraph. The head of the file documents the file, and what comes before any other comment. What kernels have
# for their backends (Args, and functions of Cpu<L> and Cuda) is left out: it is no interface.
BEGIN { RS = ""; FS = "\n" }

function is_comment(line) { return line ~ /^ *\/\// }
function comment_of(line) { return match(line, / +\/\/ /) ? substr(line, RSTART + RLENGTH) : "" }
function code_of(line) { return match(line, / +\/\/ /) ? substr(line, 1, RSTART - 1) : line }
# A declaration begins where the one before it ended.
function begins(line) {
  return line ~ /^(  )?[A-Za-z~]/ && line !~ /^ *(public|private|namespace)/ && (last == "" || last ~ /[;}:{]$/)
}
function text(words) {
  gsub(/</, "\\&lt;", words)
  return words
}
# Names of one type have a line each.
function print_code(line, comment,    indent, parts, count, i, type) {
  indent = line ~ /^  / ? "  " : ""
  if (line !~ /^[A-Za-z0-9_: ]+ [A-Za-z_0-9]+( = [^(){}<>,;]+)?(, [A-Za-z_0-9]+( = [^(){}<>,;]+)?)+;$/) {
    if (comment != "") print indent "/// " text(comment)
    print line
    return
  }
  count = split(line, parts, /, /)
  type = parts[1]
  sub(/( = .*)?$/, "", type)
  sub(/[A-Za-z_0-9]+$/, "", type)
  for (i = 1; i <= count; ++i) {
    sub(/;$/, "", parts[i])
    if (i > 1 && comment == "") comment = said
    if (comment != "") print indent "/// " text(comment)
    print (i == 1 ? "" : type) parts[i] ";"
  }
}

FNR == 1 {
  print "/** \\file"
  for (i = 1; i <= NF && is_comment($i); ++i) print text(substr($i, 3))
  print "*/"
  next
}

skipping || /[A-Za-z]Args[ <&]|\((Cpu<|Cuda|Backend)|^XF_BACKENDS/ {
  skipping += gsub(/{/, "") - gsub(/}/, "")
  next
}

{
  said = commented ? "" : "As the head of the file says."
  last = ""
  for (i = 1; i <= NF; ++i) {
    if (is_comment($i)) {
      said = "As said above."
      commented = 1
      sub(/\/\//, "///", $i)
      print text($i)
      continue
    }
    if (!begins($i)) print code_of($i)
    else if (comment_of($i) != "") print_code(code_of($i), comment_of($i))
    else if (i > 1 && $(i - 1) ~ /^ *\/\/\//) print_code($i, "")
    else print_code($i, said)
    if (code_of($i) ~ /^[a-z].*{$/ && comment_of($i) != "") said = "As said above."
    last = code_of($i)
  }
  print ""
}
