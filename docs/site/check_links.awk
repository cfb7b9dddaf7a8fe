# Every link of a site leads to a file of it, and to an id there; none leads out of it but with a scheme.
#   cd SITE && find . -type f -printf '%P\n' | awk -f check_links.awk      Exit code 1: a page and its link are named
function resolved(page, path,    part, count, i, kept, top) {
  if (path == "") return page
  if (sub(/[^\/]*$/, "", page)) path = page path
  count = split(path, part, "/")
  for (i = 1; i <= count; ++i) {
    if (part[i] == "..") --top
    else if (part[i] != "." && part[i] != "") kept[++top] = part[i]
  }
  path = kept[1]
  for (i = 2; i <= top; ++i) path = path "/" kept[i]
  return path
}

function read_page(page,    tag, record) {
  RS = "<"
  while ((getline record <page) > 0) {
    sub(/>.*/, "", record)
    if (match(record, / id="[^"]*"/)) ids[page "#" substr(record, RSTART + 5, RLENGTH - 6)] = 1
    if (match(record, / (href|src)="[^"]*"/)) {
      tag = substr(record, RSTART, RLENGTH)
      gsub(/^ (href|src)="|"$/, "", tag)
      if (tag !~ /^[a-z]+:/) link[++links] = page "\t" tag
    }
  }
  close(page)
  RS = "\n"
}

{ files[$0] = 1 }
/\.html$/ { read_page($0) }
END {
  for (i = 1; i <= links; ++i) {
    split(link[i], of, "\t")
    split(of[2], part, "#")
    target = resolved(of[1], part[1])
    if (!(target in files) || (part[2] != "" && target ~ /\.html$/ && !((target "#" part[2]) in ids))) {
      print of[1] ": no " of[2] > "/dev/stderr"
      failed = 1
    }
  }
  print links + 0 " links"
  exit failed
}
