#include "bench/bar_chart.h"

#include <algorithm>
#include <cmath>

namespace xf::bench {

namespace {

constexpr double kWidth = 760, kBar = 22, kGap = 4, kFirst = 46;  // pixels

constexpr const char* kStyle = R"(
.title { font-weight: 600; } .short { fill: #D55E00; } .mark { stroke-dasharray: 4 3; }
)";

// Where the bars begin, and how many pixels one of value 1 has.
struct Scale {
  double left, length;
};

Scale scale_of(const BarChart& chart) {
  double most = chart.mark, names = 0, texts = 0;
  for (const Bar& bar : chart.bars) {
    if (std::isfinite(bar.value)) most = std::max(most, bar.value);
    names = std::max(names, tools::text_width(bar.name));
    texts = std::max(texts, tools::text_width(bar.text));
  }
  const double left = std::min(names + 20, 0.65 * kWidth);
  return {left, (kWidth - left - std::min(texts + 20, kWidth / 3)) / (most > 0 ? most : 1)};
}

}  // namespace

tools::Drawing drawing_of(const BarChart& chart) {
  const double bottom = kFirst + (kBar + kGap) * static_cast<double>(chart.bars.size());
  const auto [left, length] = scale_of(chart);
  tools::Drawing drawing(kWidth, bottom + 10, chart.title);
  drawing.style(kStyle);
  drawing.text(0, 24, chart.title, "start", 17, "ink title");
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double top = kFirst + (kBar + kGap) * static_cast<double>(i);
    const double pixels = std::isfinite(bar.value) ? length * bar.value : 0;
    drawing.text(left - 8, top + 16, bar.name, "end");
    drawing.rect(left, top, pixels, kBar, bar.value < chart.mark ? "short" : "data");
    drawing.text(left + pixels + 7, top + 16, bar.text);
  }
  if (chart.mark > 0) {
    const double at = left + length * chart.mark;
    drawing.line(at, kFirst - 6, at, bottom, "ink mark");
  }
  return drawing;
}

}  // namespace xf::bench
