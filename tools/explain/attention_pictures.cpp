// Maps of attention as pictures: small multiples of heads, and what one word looks at.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "tools/explain/attention_maps.h"
#include "tools/report/html_page.h"
#include "tools/report/svg_plot.h"

namespace xf::tools::explain {

namespace {

// What one word looks at: the sentence twice, and lines from the word to what it attends to, as
// strong as the weight, a colour for each head. After Vig 2019, arXiv:1906.05714, and the drawings
// in Tensor2Tensor that it goes back to.

using Heads = std::vector<const AttentionMap*>;

constexpr double kLine = 22, kLetters = 14, kMargin = 16;  // pixels
constexpr double kTop = 64;        // above the first token: title and the heads' names
constexpr double kSpan = 130;      // between the two columns of tokens
constexpr double kSquare = 9;      // a weight beside a key
constexpr size_t kTitleHeads = 8;  // names of heads on a line
// Of the plots' palette, and two more of Okabe and Ito's kind that stand out on light and on dark.
constexpr std::array<const char*, 8> kHeadColors = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                    "#56B4E9", "#E69F00", "#8C6BB1", "#A6761D"};

const char* color_of(const AttentionMap& map) {
  return kHeadColors[static_cast<size_t>(map.head) % kHeadColors.size()];
}

double widest(const std::vector<std::string>& tokens) {
  double width = 0;
  for (const std::string& token : tokens) width = std::max(width, text_width(token, kLetters));
  return width;
}

double middle_of(double top, size_t row) { return top + kLine * (static_cast<double>(row) + 0.5); }

struct Places {
  double queries, keys, squares, top;  // the right end of the queries, the left ends of keys and
                                       // squares
};

double width_of(const Heads& heads) {
  const TokenMatrix& matrix = heads.front()->matrix;
  const double tokens =
      widest(matrix.rows) + kSpan + widest(matrix.columns) + 10 + kSquare * static_cast<double>(heads.size());
  return 2 * kMargin + std::max(tokens, text_width(layer_name(*heads.front()), 15));
}

double height_of(const Heads& heads) {
  const TokenMatrix& matrix = heads.front()->matrix;
  const double name_lines = static_cast<double>((heads.size() - 1) / kTitleHeads);
  return kTop +
         kLine * (static_cast<double>(std::max(matrix.rows.size(), matrix.columns.size())) + name_lines) +
         kMargin;
}

void draw_tokens(Drawing& drawing, const Places& at, const AttentionMap& map) {
  for (size_t i = 0; i < map.matrix.rows.size(); ++i) {
    const bool focused = std::ranges::find(map.focus, i) != map.focus.end();
    drawing.text(at.queries, middle_of(at.top, i) + 5, map.matrix.rows[i], "end", kLetters,
                 focused ? "accent" : "soft");
  }
  for (size_t j = 0; j < map.matrix.columns.size(); ++j)
    drawing.text(at.keys, middle_of(at.top, j) + 5, map.matrix.columns[j], "start", kLetters);
}

// The lines of head `index` of `heads`: they end beside each other, so that no head hides another.
void draw_lines(Drawing& drawing, const Places& at, const Heads& heads, size_t index) {
  const AttentionMap& map = *heads[index];
  const double count = static_cast<double>(heads.size()),
               shift = (static_cast<double>(index) - (count - 1) / 2) * std::min(3.0, (kLine - 4) / count);
  for (const size_t row : map.focus) {
    for (size_t j = 0; j < map.matrix.columns.size(); ++j) {
      drawing.open_group(fmt::format("head {}: {} → {}: {:.3g}", map.head, map.matrix.rows[row],
                                     map.matrix.columns[j], map.matrix.at(row, j)));
      drawing.add(fmt::format(
          R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="2" stroke-opacity="{:.3g}"/>)",
          at.queries + 5, middle_of(at.top, row), at.keys - 5, middle_of(at.top, j) + shift, color_of(map),
          map.matrix.at(row, j)));
      drawing.close_group();
    }
  }
}

// Column `index`: the head's weight of each key, the mean over the word's rows.
void draw_squares(Drawing& drawing, const Places& at, const AttentionMap& map, size_t index) {
  for (size_t j = 0; j < map.matrix.columns.size(); ++j) {
    double weight = 0;
    for (const size_t row : map.focus)
      weight += map.matrix.at(row, j) / static_cast<double>(map.focus.size());
    drawing.open_group(fmt::format("head {}, {}: {:.3g}", map.head, map.matrix.columns[j], weight));
    drawing.add(fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:g}" height="{:g}" fill="{}" fill-opacity="{:.3g}"/>)",
        at.squares + kSquare * static_cast<double>(index), middle_of(at.top, j) - kLine / 2 + 2, kSquare - 1,
        kLine - 4, color_of(map), weight));
    drawing.close_group();
  }
}

void draw_names(Drawing& drawing, double x, double y, const Heads& heads) {
  for (size_t h = 0; h < heads.size(); ++h) {
    const double left = x + 34 * static_cast<double>(h % kTitleHeads),
                 top = y + kLine * static_cast<double>(h / kTitleHeads);
    drawing.add(fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="10" height="10" fill="{}"/>)", left, top,
                            color_of(*heads[h])));
    drawing.text(left + 13, top + 9, fmt::format("{}", heads[h]->head), "start", 12, "soft");
  }
}

void draw(Drawing& drawing, double x, double y, const Heads& heads) {
  const TokenMatrix& matrix = heads.front()->matrix;
  const double queries = x + kMargin + widest(matrix.rows), keys = queries + kSpan;
  const double name_lines = static_cast<double>((heads.size() - 1) / kTitleHeads);
  const Places at{queries, keys, keys + widest(matrix.columns) + 10, y + kTop + kLine * name_lines};
  drawing.text(x + kMargin, y + 22, layer_name(*heads.front()), "start", 15);
  draw_names(drawing, x + kMargin, y + 36, heads);
  for (size_t h = 0; h < heads.size(); ++h) {
    draw_lines(drawing, at, heads, h);
    draw_squares(drawing, at, *heads[h], h);
  }
  draw_tokens(drawing, at, *heads.front());
}

// `heads`: maps of one layer, with focus.
Drawing focus_drawing(const Heads& heads) {
  Drawing drawing(width_of(heads), height_of(heads), layer_name(*heads.front()));
  draw(drawing, 0, 0, heads);
  return drawing;
}

// One for each layer; those of a part of the model side by side.
Drawing focus_drawings(const std::vector<Heads>& layers) {
  std::vector<PictureSize> corners;
  double x = 0, y = 0, tallest = 0, width = 0;
  for (size_t l = 0; l < layers.size(); ++l) {
    if (l > 0 && layers[l].front()->part != layers[l - 1].front()->part) {
      x = 0;
      y += tallest;
      tallest = 0;
    }
    corners.push_back({x, y});
    x += width_of(layers[l]);
    width = std::max(width, x);
    tallest = std::max(tallest, height_of(layers[l]));
  }
  Drawing drawing(width, y + tallest, "What one word looks at");
  for (size_t l = 0; l < layers.size(); ++l) draw(drawing, corners[l].width, corners[l].height, layers[l]);
  return drawing;
}

constexpr double kSmall = 13, kLarge = 34;  // sides of a cell in pixels; a large one has room for
                                            // its number
constexpr const char* kAbout =
    "Each map is one head's probabilities (AT2) on this sentence: "
    "a row for each query, a column for each key, the more colour the more weight. "
    "Rows sum to one. The pointer on a cell shows its value; a map that is clicked grows. "
    "Rows of cross-attention are what the decoder writes at that position. Layers and heads count from 0.";

std::string head_name(const AttentionMap& map) { return fmt::format("head {}", map.head); }
std::string anchor_of(const AttentionMap& map) {
  return fmt::format("{}-{}-{}", map.part, map.layer, map.head);
}

// The maps of each layer, in order.
std::vector<std::vector<const AttentionMap*>> by_layer(const AttentionMaps& maps, bool chosen_only) {
  std::vector<std::vector<const AttentionMap*>> layers;
  for (const AttentionMap& map : maps.maps) {
    if (chosen_only && !map.chosen) continue;
    if (layers.empty() || layer_name(*layers.back().front()) != layer_name(map)) layers.emplace_back();
    layers.back().push_back(&map);
  }
  return layers;
}

void add_summaries(HtmlPage& page, const AttentionMaps& maps) {
  std::vector<std::vector<std::string>> rows;
  const auto number = [](double value) { return fmt::format("{:.2f}", value); };
  for (const AttentionMap& map : maps.maps) {
    const AttentionSummary s = summary_of(map.matrix);
    rows.push_back({layer_name(map), fmt::format("{}", map.head), number(s.entropy), number(s.same),
                    number(s.previous), number(s.next), number(s.first), number(s.last)});
  }
  page.open_details("All heads in numbers", false);
  page.paragraph(
      "Means over the rows: entropy in nats, and the weight of the key at the query's place, "
      "one before it, one behind it, of the first key and of the last.");
  page.table({"layer", "head", "entropy", "same", "previous", "next", "first", "last"}, rows);
  page.close_details();
}

void add_focus(HtmlPage& page, const AttentionMaps& maps) {
  page.heading("What one word looks at");
  page.paragraph(
      "The row of one word: a line for each head and key, as strong as the weight; "
      "the squares beside a key are its weights, one for each head.");
  page.open_figures();
  for (const auto& heads : by_layer(maps, true))
    page.figure(focus_drawing(heads), "", "focus-" + anchor_of(*heads.front()));
  page.close_figures();
}

void add_large(HtmlPage& page, const AttentionMaps& maps) {
  page.heading("The chosen heads");
  page.open_figures();
  for (const AttentionMap& map : maps.maps) {
    if (!map.chosen) continue;
    page.figure(matrix_drawing(map.matrix, fmt::format("{}, {}", layer_name(map), head_name(map)), kLarge),
                "");
  }
  page.close_figures();
}

void add_all(HtmlPage& page, const AttentionMaps& maps) {
  std::string part;
  for (const auto& heads : by_layer(maps, false)) {
    if (heads.front()->part != part) {
      part = heads.front()->part;
      page.heading(part_name(part), part);
    }
    page.open_details(fmt::format("layer {}", heads.front()->layer), true);
    page.open_figures();
    for (const AttentionMap* map : heads)
      page.figure(matrix_drawing(map->matrix, head_name(*map), kSmall), "", anchor_of(*map));
    page.close_figures();
    page.close_details();
  }
}

}  // namespace

std::string to_svg(const AttentionMaps& maps) {
  const auto layers = by_layer(maps, true);
  if (!layers.front().front()->focus.empty()) return focus_drawings(layers).svg();
  std::vector<Gallery> galleries;
  for (const auto& heads : layers) {
    Gallery gallery{layer_name(*heads.front()), {}};
    for (const AttentionMap* map : heads) gallery.matrices.push_back({head_name(*map), map->matrix});
    galleries.push_back(std::move(gallery));
  }
  const bool one = layers.size() == 1 && layers.front().size() == 1;
  // a layer's heads stay side by side
  constexpr double kOneLine = std::numeric_limits<double>::infinity();
  return gallery_drawing("Attention", galleries, one ? kLarge : kSmall, kOneLine).svg();
}

std::string to_html(const AttentionMaps& maps) {
  HtmlPage page("Attention");
  if (maps.translates()) {
    page.paragraph(fmt::format("Source: {}", fmt::join(maps.source, " ")));
    page.paragraph(fmt::format("Translation: {}", fmt::join(maps.target_out, " ")));
  } else {
    page.paragraph(fmt::format("Text: {}", fmt::join(maps.text(), " ")));
  }
  page.paragraph(kAbout);
  if (maps.translates()) {
    page.add(
        R"(<p><a href="#encoder">encoder</a> · <a href="#self">decoder</a> · <a href="#cross">cross-attention</a></p>)");
  }
  const auto chosen = std::ranges::count_if(maps.maps, &AttentionMap::chosen);
  const bool focused = std::ranges::any_of(maps.maps, [](const auto& map) { return !map.focus.empty(); });
  if (focused) {
    add_focus(page, maps);
  } else if (chosen < static_cast<int64_t>(maps.maps.size())) {
    add_large(page, maps);
  }
  add_all(page, maps);
  add_summaries(page, maps);
  return page.html();
}

}  // namespace xf::tools::explain
