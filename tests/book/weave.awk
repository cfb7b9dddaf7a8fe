# Prints a page of docs/book anew. Below a ```sh block, an ```output block gets what the commands print, or a picture is
# one that they draw. Below <!-- include PATH#REGION -->, a ```cpp block gets the file's name and that code. REGION is a
# function or class by its name, with the comment above it, or LN1..LN5: the lines from the one that cites the first
# equation to the one that cites the last.
#   awk -f weave.awk -v root=. -v scratch=FOLDER -v printed=FILE PAGE      Exit code 1: a command failed, a region is not there
function complain(text) {
  print FILENAME ":" FNR ": " text >"/dev/stderr"
  failed = 1
}

function run(commands,    line) {
  printf "%s", commands >(printed ".sh")
  close(printed ".sh")
  if (system("cd '" scratch "' && bash -e '" printed ".sh' >'" printed "' 2>&1 </dev/null") != 0) {
    complain("this command fails: " commands)
    while ((getline line <printed) > 0) print line >"/dev/stderr"
    close(printed)
  }
  while ((getline line <printed) > 0) print line
  close(printed)
}

function cites(line, id) { return match(line, "(^|[^A-Za-z0-9_])" id "([^0-9]|$)") }

function defines(line, name,    at, before, after) {
  if (line !~ /^[A-Za-z]/ || !(at = index(line, name))) return 0
  before = substr(line, at - 1, at > 1)
  after = substr(line, at + length(name), 1)
  return before !~ /[A-Za-z0-9_:]/ && (after == "(" || line ~ /^(class|struct|enum) /)
}

# The last line of what begins at line `first`: its closing brace in the first column, or the semicolon of a declaration.
function end_of(first, count,    i, body) {
  for (i = first; i <= count; ++i) {
    body = body || code[i] ~ /{/
    if (code[i] ~ /^}/ || (i == first && code[i] ~ /}( *\/\/.*)?$/) || (!body && code[i] ~ /;( *\/\/.*)?$/)) return i
  }
  return count
}

function include(path, region,    line, count, first, last, ids, margin) {
  while ((getline line <(root "/" path)) > 0) code[++count] = line
  close(root "/" path)
  if (split(region, ids, /\.\./) == 2) {
    for (first = 1; first <= count && !cites(code[first], ids[1]); ++first) continue
    for (last = first; last <= count && !cites(code[last], ids[2]); ++last) continue
  } else {
    for (first = 1; first <= count && !defines(code[first], region); ++first) continue
    last = end_of(first, count)
    while (first > 1 && first <= count && code[first - 1] ~ /^(\/\/|template)/) --first
  }
  if (first > count || last > count) return complain("no '" region "' in '" path "'")
  print "// " path
  match(code[first], /^ */)
  margin = "^" substr(code[first], 1, RLENGTH)
  for (; first <= last; ++first) {
    sub(margin, "", code[first])
    print code[first]
  }
}

skipping {  # the old text of a block that was made anew
  if ($0 == "```") { skipping = 0; print }
  next
}
/^<!-- include .*#.* -->$/ { wanted = $3 }
/^```cpp$/ && wanted != "" {
  print
  include(substr(wanted, 1, index(wanted, "#") - 1), substr(wanted, index(wanted, "#") + 1))
  wanted = ""
  skipping = 1
  next
}
/^```cpp$/ { complain("code without <!-- include PATH#REGION --> above it") }
/^```output$/ {
  print
  if (commands == "") complain("an output without a command above it")
  run(commands)
  commands = ""
  skipping = 1
  next
}
/^```sh$/ { in_commands = 1; commands = ""; print; next }
/^```$/ && in_commands { in_commands = 0; print; next }
in_commands { commands = commands $0 "\n" }
commands != "" && /^!\[.*\]\(figures\// { run(commands) }  # the command that draws the figure
!in_commands && NF && !/^<!-- include/ {
  if (wanted != "") complain("an include without a ```cpp block below it")
  wanted = ""
  commands = ""
}
{ print }
END { exit failed }
