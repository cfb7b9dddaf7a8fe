#include <fmt/format.h>

#include <algorithm>

#include "tools/explain/output_probabilities.h"
#include "tools/report/svg.h"

namespace xf::tools::explain {

namespace {

constexpr double kMargin = 16, kPanel = 250, kGap = 26, kBar = 20, kHead = 58;
constexpr size_t kColumns = 4;

// The most probable tokens and, where it is not among them, the target.
std::vector<OutputToken> rows_of(const OutputPosition& position) {
  std::vector<OutputToken> rows = position.best;
  const auto is_target = [&](const OutputToken& token) { return token.id == position.target.id; };
  if (std::ranges::none_of(rows, is_target)) rows.push_back(position.target);
  return rows;
}

// The room for the tokens' names: the same in each panel, so that bars can be compared.
double names_width(const OutputProbabilities& output, const std::vector<size_t>& shown) {
  double widest = 0;
  for (const size_t i : shown) {
    for (const OutputToken& token : rows_of(output.positions[i])) {
      widest = std::max(widest, text_width(token.piece, 12));
    }
  }
  return std::min(widest + 8, kPanel / 2);
}

void draw_position(Drawing& drawing, const OutputPosition& position, size_t number, double names, double x,
                   double y) {
  drawing.text(x, y + 14, fmt::format("{}. after {}", number, position.read), "start", 13);
  drawing.text(
      x, y + 30,
      fmt::format("entropy {:.2f}, -log p {:.2f}", position.entropy, -position.target.log_probability),
      "start", 11, "soft");
  const auto rows = rows_of(position);
  const double room = kPanel - names - 46;
  y += 40;
  for (const OutputToken& token : rows) {
    const bool target = token.id == position.target.id;
    drawing.open_group(fmt::format("{}\nlogit {:.4f}, probability {:.6f}, rank {}", token.piece, token.logit,
                                   token.probability, token.rank));
    drawing.text(x + names - 6, y + 14, token.piece, "end", 12, target ? "accent" : "ink");
    drawing.rect(x + names, y + 3, std::max(1.0, room * token.probability), kBar - 6, "data",
                 target ? 1 : 0.45);
    drawing.text(x + names + room * token.probability + 5, y + 14,
                 fmt::format("{:.1f}%", 100 * token.probability), "start", 11, target ? "accent" : "soft");
    drawing.close_group();
    y += kBar;
  }
}

}  // namespace

std::string to_svg(const OutputProbabilities& output, const std::vector<size_t>& shown) {
  size_t most = 0;
  for (const size_t i : shown) most = std::max(most, rows_of(output.positions[i]).size());
  const double panel_height = 40 + kBar * static_cast<double>(most) + 22;
  const size_t columns = std::min(kColumns, shown.size()), lines = (shown.size() + columns - 1) / columns;
  const std::string from = fmt::format("{}", fmt::join(output.source, " "));
  const double width =
      std::max({2 * kMargin + static_cast<double>(columns) * (kPanel + kGap) - kGap,
                text_width(from, 13) + 2 * kMargin, text_width(output.translation, 13) + 2 * kMargin});
  Drawing drawing(width, kHead + panel_height * static_cast<double>(lines) + 10,
                  "Probabilities of the next token");
  drawing.text(kMargin, 22, from, "start", 13, "soft");
  drawing.text(kMargin, 42, output.translation, "start", 13);
  const double names = names_width(output, shown);
  for (size_t n = 0; n < shown.size(); ++n) {
    draw_position(drawing, output.positions[shown[n]], shown[n] + 1, names,
                  kMargin + static_cast<double>(n % columns) * (kPanel + kGap),
                  kHead + static_cast<double>(n / columns) * panel_height);
  }
  return drawing.svg();
}

}  // namespace xf::tools::explain
