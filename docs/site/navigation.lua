-- What stands around a page of the site (tools/site.sh): its title, the list of contents, the pages before and behind it.
-- $SITE_PAGE and $SITE_ROOT as in filter.lua; $SITE_LISTS/contents: "SECTION<tab>PATH<tab>TARGET<tab>TITLE" in reading order.

local page, root = os.getenv("SITE_PAGE"), os.getenv("SITE_ROOT")

local entries, own = {}, nil
for line in io.lines(os.getenv("SITE_LISTS") .. "/contents") do
  local section, path, target, title = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
  table.insert(entries, {section = section, target = root .. target, title = title})
  if path == page then own = #entries end
end

local function link(entry, text, attributes)
  return string.format('<a href="%s"%s>%s</a>', entry.target, attributes or "", text)
end

-- The sections, and the pages of the own one. The page's table of contents comes between the two texts.
local function contents()
  local texts, at, shown = {"", ""}, 1, nil
  local function add(text) texts[at] = texts[at] .. text .. "\n" end
  for number, entry in ipairs(entries) do
    local inside = own and entry.section == entries[own].section
    if entry.section ~= shown then
      if shown then add("</ul>") end
      add("<h2>" .. link(entry, entry.section) .. "</h2>\n<ul>")
      shown = entry.section
    end
    if inside then
      add("<li>" .. link(entry, entry.title, number == own and ' aria-current="page"' or ""))
      if number == own then at = 2 end
      add("</li>")
    end
  end
  add("</ul>")
  return texts[1], texts[2]
end

local function neighbour(number, relation)
  local entry = own and entries[number]
  return entry and link(entry, entry.title, ' rel="' .. relation .. '"') or ""
end

-- The page's title leaves the text, so that the table of contents holds what is below it.
function Pandoc(document)
  local meta, title = document.meta, table.remove(document.blocks, 1)
  local before, after = contents()
  meta.title = pandoc.MetaInlines(title.content)
  meta.pagetitle = pandoc.utils.stringify(title)
  meta.root = root
  meta.before = pandoc.RawBlock("html", before)
  meta.after = pandoc.RawBlock("html", after)
  if own then meta.path = pandoc.RawBlock("html", neighbour(own - 1, "prev") .. neighbour(own + 1, "next")) end
  return document
end
