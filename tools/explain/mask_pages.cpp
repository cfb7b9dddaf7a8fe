// Masks as text, JSON, picture and page.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/explain/masks.h"
#include "tools/explain/page.h"
#include "tools/report/html_page.h"

namespace xf::tools::explain {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAbout =
    "Queries downwards, keys to the right; 1, or lit: may attend. "
    "Each cell is the engine's softmax of equal scores, above zero or not.";
constexpr const char* kFillsAbout =
    "softmax of the scores 2, 1, 0.5, -1, where masked scores are replaced by a fill value, "
    "and where the kernel is told the mask. A fill near zero masks nothing. "
    "A large negative one does, but where all is masked it gives equal weights to what nobody may see; "
    "the textbook form with -inf is 0/0 there, and the engine gives zeros.";
constexpr const char* kPolarityAbout =
    "masked_fill of two matrices with -1e9. Some masks say where to fill, PyTorch's among them; "
    "the masks on this page say what may be attended, and the rest is filled.";
constexpr double kCell = 18, kWidth = 1200;  // pixels

std::string title_of(const MaskUse& use, const TitledMatrix& matrix) {
  return fmt::format("{}, {}", use.use, matrix.title);
}

// The scores' columns; rows are fills.
TokenMatrix fill_matrix(const Masks& masks, std::vector<double> MaskFill::*row) {
  TokenMatrix matrix{{}, {"2", "1", "0.5", "-1"}, {}};
  for (const MaskFill& fill : masks.fills) {
    matrix.rows.push_back(fill.fill);
    matrix.values.insert(matrix.values.end(), (fill.*row).begin(), (fill.*row).end());
  }
  return matrix;
}

std::vector<TitledMatrix> panels(const MaskPolarity& polarity) {
  return {{"x", polarity.x},
          {"mask", polarity.mask},
          {"1: fill", polarity.where_true},
          {"1: may be attended", polarity.where_false}};
}

std::string as_it_is(double value) { return fmt::format("{:g}", value); }
std::string lit_or_not(double value) { return value > 0 ? "1" : "."; }
std::string probability(double value) { return fmt::format("{:.6f}", value); }

bool same(const MaskUse& a, const MaskUse& b) {
  return std::ranges::equal(
      a.matrices, b.matrices, {}, [](const auto& titled) { return titled.matrix.values; },
      [](const auto& titled) { return titled.matrix.values; });
}

// A use whose masks are those of the first rule's says so in a line.
std::string text_of(const MaskUse& use, const MaskRule& first) {
  for (const MaskUse& other : first.uses) {
    if (&use != &other && use.use == other.use && same(use, other))
      return fmt::format("\n  {}   as in: {}\n", use.use, first.name);
  }
  std::string text = fmt::format("\n  {}{}{}\n", use.use, use.place.empty() ? "" : "   ", use.place);
  for (const auto& [title, matrix] : use.matrices) {
    text += fmt::format("    {}\n{}", title, matrix_text(matrix, 6, lit_or_not));
  }
  return text;
}

Json json_of(const TokenMatrix& matrix) {
  Json rows = Json::array();
  for (size_t i = 0; i < matrix.rows.size(); ++i) {
    Json row = Json::array();
    for (size_t j = 0; j < matrix.columns.size(); ++j) row.push_back(static_cast<int>(matrix.at(i, j)));
    rows.push_back(row);
  }
  return {{"queries", matrix.rows}, {"keys", matrix.columns}, {"allowed", rows}};
}

Json json_of(const MaskUse& use) {
  Json json = {{"use", use.use}};
  if (!use.place.empty()) json["place"] = use.place;
  for (const TitledMatrix& titled : use.matrices) {
    Json matrix = {{"of", titled.title}};
    matrix.update(json_of(titled.matrix));
    json["matrices"].push_back(matrix);
  }
  return json;
}

}  // namespace

std::string to_text(const Masks& masks) {
  std::string text = wrapped(kAbout);
  for (const MaskRule& rule : masks.rules) {
    text += "\n" + wrapped(fmt::format("{}. {}", rule.name, rule.about));
    for (const MaskUse& use : rule.uses) text += text_of(use, masks.rules.front());
  }
  text += fmt::format("\n{}\n  the last two masked\n{}\n  all masked\n{}",
                      wrapped(fmt::format("Fill values. {}", kFillsAbout)),
                      matrix_text(fill_matrix(masks, &MaskFill::two_masked), 4, probability),
                      matrix_text(fill_matrix(masks, &MaskFill::all_masked), 4, probability));
  text += "\n" + wrapped(fmt::format("Two senses of a mask. {}", kPolarityAbout));
  for (const auto& [title, matrix] : panels(masks.polarity))
    text += fmt::format("\n  {}\n{}", title, matrix_text(matrix, 4, as_it_is));
  return text;
}

std::string to_json(const Masks& masks) {
  Json json = {{"source", {{"sentences", masks.source.sentences}, {"lengths", masks.source.lengths}}},
               {"target", {{"sentences", masks.target.sentences}, {"lengths", masks.target.lengths}}}};
  for (const MaskRule& rule : masks.rules) {
    Json uses = Json::array();
    for (const MaskUse& use : rule.uses) uses.push_back(json_of(use));
    json["rules"].push_back({{"rule", rule.name}, {"about", rule.about}, {"uses", uses}});
  }
  json["scores"] = {2, 1, 0.5, -1};
  for (const MaskFill& fill : masks.fills) {
    json["fills"].push_back(
        {{"fill", fill.fill}, {"two_masked", fill.two_masked}, {"all_masked", fill.all_masked}});
  }
  for (const auto& [title, matrix] : panels(masks.polarity))
    json["masked_fill"].push_back({{"of", title}, {"rows", matrix.rows}, {"values", matrix.values}});
  return json_page(json, 1);
}

std::string to_svg(const Masks& masks) {
  std::vector<Gallery> galleries;
  for (const MaskRule& rule : masks.rules) {
    Gallery gallery{rule.name, {}};
    for (const MaskUse& use : rule.uses) {
      for (const TitledMatrix& matrix : use.matrices)
        gallery.matrices.push_back({title_of(use, matrix), matrix.matrix});
    }
    galleries.push_back(std::move(gallery));
  }
  galleries.push_back({"softmax of 2, 1, 0.5, -1 by the score of what is masked",
                       {{"the last two masked", fill_matrix(masks, &MaskFill::two_masked)},
                        {"all masked", fill_matrix(masks, &MaskFill::all_masked)}}});
  galleries.push_back({"masked_fill with -1e9, by the sense of the mask", panels(masks.polarity)});
  return gallery_drawing("Masks", galleries, kCell, kWidth).svg();
}

std::string to_html(const Masks& masks) {
  HtmlPage page("Masks");
  page.paragraph(kAbout);
  for (const MaskRule& rule : masks.rules) {
    page.heading(rule.name);
    page.paragraph(rule.about);
    page.open_figures();
    for (const MaskUse& use : rule.uses) {
      for (const TitledMatrix& matrix : use.matrices)
        page.figure(matrix_drawing(matrix.matrix, title_of(use, matrix), kCell), use.place);
    }
    page.close_figures();
  }
  page.heading("Fill values");
  page.paragraph(kFillsAbout);
  page.open_figures();
  constexpr double kNumbers = 44;  // pixels: a cell with room for its number
  page.figure(matrix_drawing(fill_matrix(masks, &MaskFill::two_masked), "the last two masked", kNumbers), "");
  page.figure(matrix_drawing(fill_matrix(masks, &MaskFill::all_masked), "all masked", kNumbers), "");
  page.close_figures();
  page.heading("Two senses of a mask");
  page.paragraph(kPolarityAbout);
  page.open_figures();
  for (const auto& [title, matrix] : panels(masks.polarity))
    page.figure(matrix_drawing(matrix, title, kCell), "");
  page.close_figures();
  return page.html();
}

}  // namespace xf::tools::explain
