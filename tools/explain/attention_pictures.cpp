// Maps of attention as pictures: small multiples of heads, and what one word looks at.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/explain/attention_focus.h"
#include "tools/explain/attention_maps.h"
#include "tools/report/html_page.h"

namespace xf::tools::explain {

namespace {

constexpr double kSmall = 13, kLarge = 34;  // sides of a cell in pixels; a large one has room for its number
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
  constexpr double kOneLine = std::numeric_limits<double>::infinity();  // a layer's heads stay side by side
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
