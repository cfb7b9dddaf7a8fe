# Links of pages to files and headings of the project that are not there.
#   awk -f links.awk PAGE...      Exit code 1: there are some
function folder_of(path) { return match(path, /.*\//) ? substr(path, 1, RLENGTH) : "" }

# What a code host makes of a heading: lower case, letters, digits, hyphens; blanks become hyphens.
function anchor_of(heading) {
  heading = tolower(heading)
  gsub(/\]\([^)]*\)/, "", heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

function has_anchor(path, anchor,    line, fenced) {
  if (!(path in read)) {
    read[path] = 1
    while ((getline line <path) > 0) {
      if (line ~ /^```/) fenced = !fenced
      if (!fenced && sub(/^#+ /, "", line)) anchors[path, anchor_of(line)] = 1
    }
    close(path)
  }
  return (path, anchor) in anchors
}

function exists(path) {
  if (!(path in there)) there[path] = system("test -e '" path "'") == 0
  return there[path]
}

FNR == 1 { fenced = 0 }
/^```/ { fenced = !fenced }
!fenced {
  gsub(/`[^`]*`/, "")
  while (match($0, /\]\([^)]*\)/)) {
    target = substr($0, RSTART + 2, RLENGTH - 3)
    $0 = substr($0, RSTART + RLENGTH)
    if (target ~ /^[a-z]+:/) continue
    ++links
    split(target, part, "#")
    path = part[1] == "" ? FILENAME : folder_of(FILENAME) part[1]
    if (!exists(path) || (part[2] != "" && !has_anchor(path, part[2]))) {
      print FILENAME ":" FNR ": no " target
      failed = 1
    }
  }
}
END { print links + 0 " links"; exit failed }
