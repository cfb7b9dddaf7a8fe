-- A page of Markdown for the site (tools/site.sh): links go to the site's own pages, (LN5) to its definition, a file's name
-- to that file's page, and formulas become tables of rows, each with its id.
-- $SITE_PAGE is the page's path in the project, $SITE_ROOT the way from its HTML to the site's root. Lists in $SITE_LISTS:
-- pages ("PATH TARGET"), equations ("ID TARGET"), files (of the project). Written there: needed/PAGE, files to be shown.

local page, root, lists = os.getenv("SITE_PAGE"), os.getenv("SITE_ROOT"), os.getenv("SITE_LISTS")

local function read_map(name)
  local map = {}
  for line in io.lines(lists .. "/" .. name) do
    local key, value = line:match("^(%S+) ?(%S*)$")
    map[key] = value
  end
  return map
end
local pages, equations, files = read_map("pages"), read_map("equations"), read_map("files")
local titles = {}
for line in io.lines(lists .. "/contents") do
  local path, title = line:match("^.-\t(.-)\t.-\t(.*)$")
  titles[path] = title
end
local needed = io.open(lists .. "/needed/" .. page:gsub("/", "%%"), "w")

-- "docs/derivations" + "../notation.md" = "docs/notation.md"
local function joined(folder, path)
  local parts = {}
  for part in (folder .. "/" .. path):gmatch("[^/]+") do
    if part == ".." then
      table.remove(parts)
    elseif part ~= "." then
      table.insert(parts, part)
    end
  end
  return table.concat(parts, "/")
end

-- Where the site shows a file of the project; nil for what is none.
local function target_of(path)
  path = path:gsub("/$", "")
  if pages[path] or pages[path .. "/README.md"] then return root .. (pages[path] or pages[path .. "/README.md"]) end
  if not files[path] then return nil end
  needed:write(path, "\n")
  local is_picture = path:match("%.svg$") or path:match("%.png$")
  return root .. path .. (is_picture and "" or ".html")
end

local here = page:match("^(.*)/[^/]*$") or ""

-- A page that is called by its file's name has its title here.
local function project_link(link)
  local path, anchor = link.target:match("^([^#]*)(.*)$")
  if path ~= "" and not path:match("^%a+:") then
    local target = target_of(joined(here, path))
    if pages[joined(here, path)] and pandoc.utils.stringify(link):match("%.md$") then
      link.content = {pandoc.Str(titles[joined(here, path)])}
    end
    if target then link.target = target .. anchor end
  end
  return link, false
end

-- The width that an SVG asks for, in pixels.
local function width_of(path)
  local file = io.open(path)
  if not file then return 0 end
  local head = file:read(400) or ""
  file:close()
  return tonumber(head:match('width="([%d.]+)"')) or 0
end

local function image(element)
  local path = joined(here, element.src)
  if width_of(path) > 700 then element.classes:insert("wide") end
  element.src = target_of(path) or element.src
  return pandoc.Link({element}, element.src), false
end

-- A file is named by its path, or, after a neighbour in its folder, by its name alone.
local folder = ""
local function code(element)
  local text = element.text
  if equations[text] then return pandoc.Link({element}, root .. equations[text]), false end
  if not text:match("^[%w_./-]+%.?%w*$") or text:match("/$") then return end
  local path = text:find("/") and text or joined(folder, text)
  if not path:find("/") or not (files[path] or pages[path]) then return end
  folder = path:match("^(.*)/")
  return pandoc.Link({element}, target_of(path)), false
end

-- "(LN5)," in running text.
local function citation(element)
  local before, id, after = element.text:match("^(.-%()(%u%u%d+)(%).*)$")
  if not id or not equations[id] then return end
  return {pandoc.Str(before), pandoc.Link({pandoc.Str(id)}, root .. equations[id]), pandoc.Str(after)}, false
end

-- Headings lead to themselves; the table of contents drops such links.
local function heading(element)
  element.content = {pandoc.Link(element.content, "#" .. element.identifier)}
  return element, false
end

-- The rows of a display: lines up to one that ends in \\ outside of an inner environment.
local function rows_of(tex)
  local rows, row, depth = {}, "", 0
  tex = tex:gsub("\\begin{align[ed]*%*?}", ""):gsub("\\end{align[ed]*%*?}", "")
  for line in (tex .. "\n"):gmatch("(.-)\n") do
    for _ in line:gmatch("\\begin{") do depth = depth + 1 end
    for _ in line:gmatch("\\end{") do depth = depth - 1 end
    local whole, breaks = line:gsub("%s*\\\\%s*$", depth == 0 and "" or "%0")
    row = row .. whole .. "\n"
    if depth == 0 and breaks > 0 then
      table.insert(rows, row)
      row = ""
    end
  end
  if row:match("%S") then table.insert(rows, row) end
  return rows
end

-- Upright letters are an attribute in pandoc's MathML that browsers no longer read, but for \text. It does not know \Bigl,
-- and lets each pair of brackets grow, not only \left and \right.
local function mathematics(element)
  local tex = element.text:gsub("\\mathrm{", "\\text{"):gsub("\\mathrm (%a)", "\\text{%1}")
  tex = tex:gsub("\\[bB]igg?l", "\\left"):gsub("\\[bB]igg?r", "\\right")
  element.text = tex:gsub("(\\?%a*)([%(%)%[%]])", function(before, bracket)
    return before .. ((before == "\\left" or before == "\\right") and bracket or "{" .. bracket .. "}")
  end)
  return element
end

local function html(text) return pandoc.RawInline("html", text) end
local function math(tex) return tex:match("%S") and pandoc.Math("DisplayMath", tex) or pandoc.Str("") end

local function equation(cells, tex)
  local id = tex:match("\\tag{(%u%u%d+)}")
  tex = tex:gsub("\\tag{.-}", "")
  table.insert(cells, html(id and string.format('<tr id="%s"><td class="tag"><a href="%s%s">(%s)</a></td>', id, root,
                                                equations[id] or pages[page] .. "#" .. id, id)
                              or '<tr><td class="tag"></td>'))
  local left, right = tex:match("^(.-)&(.*)$")
  if left and not left:match("\\begin{") then
    for _, piece in ipairs({html('<td class="left">'), math(left), html("</td><td>"), math("{}" .. right)}) do
      table.insert(cells, piece)
    end
  else
    table.insert(cells, html('<td colspan="2">'))
    table.insert(cells, math(tex))
  end
  table.insert(cells, html("</td></tr>"))
end

local function display(tex)
  local cells = {html('<div class="scroll" tabindex="0"><table class="equations">')}
  for _, row in ipairs(rows_of(tex)) do equation(cells, row) end
  table.insert(cells, html("</table></div>"))
  return pandoc.Plain(cells), false
end

local function paragraph(element)
  local only = element.content[1]
  if #element.content == 1 and only.t == "Math" and only.mathtype == "DisplayMath" then return display(only.text) end
end

local function code_block(element)
  if element.classes:includes("math") then return display(element.text) end
end

-- What the book includes stands below the name of its file.
local function raw_block(element)
  local path, region = element.text:match("^<!%-%- include ([^ #]+)#(%S+) %-%->")
  local target = path and target_of(path)
  if not target then return end
  local name = pandoc.Link({pandoc.Code(path)}, target)
  return pandoc.Div({pandoc.Plain({name, pandoc.Str(" " .. region)})}, {class = "caption"}), false
end

-- A wide table scrolls by itself. pandoc gives columns the widths of their source; a browser knows better.
local function table_block(element)
  for _, column in ipairs(element.colspecs) do column[2] = nil end
  return {pandoc.RawBlock("html", '<div class="scroll" tabindex="0">'), element, pandoc.RawBlock("html", "</div>")}
end

return {
  {traverse = "topdown", Link = project_link, Image = image, Code = code, Str = citation, Header = heading,
   Para = paragraph, CodeBlock = code_block, RawBlock = raw_block},
  {Math = mathematics, Table = table_block, Pandoc = function() needed:close() end},
}
