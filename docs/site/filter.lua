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
  return root .. path .. (path:match("%.svg$") and "" or ".html")
end

local here = page:match("^(.*)/[^/]*$") or ""

local function project_link(link)
  local path, anchor = link.target:match("^([^#]*)(.*)$")
  if path ~= "" and not path:match("^%a+:") then
    local target = target_of(joined(here, path))
    if target then link.target = target .. anchor end
  end
  return link, false
end

local function image(element)
  element.src = target_of(joined(here, element.src)) or element.src
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

-- pandoc's MathML for \mathrm is an attribute that browsers no longer read; upright is what it makes of \text.
local function upright(tex) return (tex:gsub("\\mathrm{", "\\text{"):gsub("\\mathrm (%a)", "\\text{%1}")) end

local function mathematics(element)
  element.text = upright(element.text)
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

local function table_block(element)
  return {pandoc.RawBlock("html", '<div class="scroll" tabindex="0">'), element, pandoc.RawBlock("html", "</div>")}
end

return {
  {traverse = "topdown", Link = project_link, Image = image, Code = code, Str = citation, Header = heading,
   Para = paragraph, CodeBlock = code_block, RawBlock = raw_block},
  {Math = mathematics, Table = table_block, Pandoc = function() needed:close() end},
}
