-- The sections of a page for the site's search (docs/site/search.js), one a line, in $SITE_LISTS/search/PAGE:
-- ["TARGET#ID","page","heading","text"],
-- $SITE_PAGE as in filter.lua. Runs behind navigation.lua, which has taken the title out of the text.

local page, lists = os.getenv("SITE_PAGE"), os.getenv("SITE_LISTS")

local function target()
  for line in io.lines(lists .. "/pages") do
    local path, html = line:match("^(%S+) (%S+)$")
    if path == page then return html end
  end
end

local function quoted(text)
  text = text:gsub("%s+", " "):gsub('[\\"]', "\\%0"):gsub("</", "<\\/"):gsub("[%z\1-\31]", "")
  return '"' .. text .. '"'
end

-- What a reader sees; cells, items and paragraphs stay apart.
local function text_of(block)
  local parts = {}
  local function add(element) table.insert(parts, element.text or pandoc.utils.stringify(element)) end
  local apart = pandoc.walk_block(pandoc.Div({block}), {RawInline = function() return pandoc.Space() end})
  pandoc.walk_block(apart, {Plain = add, Para = add, CodeBlock = add})
  return table.concat(parts, " ")
end

function Pandoc(document)
  local html = target()
  local file = io.open(lists .. "/search/" .. page:gsub("/", "%%"), "w")
  local title = pandoc.utils.stringify(document.meta.title)
  local anchor, heading, texts = "", "", {}
  local function write()
    file:write("[", quoted(html .. anchor), ",", quoted(title), ",", quoted(heading), ",",
               quoted(table.concat(texts, " ")), "],\n")
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" then
      write()
      anchor, heading, texts = "#" .. block.identifier, pandoc.utils.stringify(block), {}
    elseif block.t ~= "RawBlock" then
      table.insert(texts, text_of(block))
    end
  end
  write()
  file:close()
end
