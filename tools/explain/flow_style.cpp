#include "tools/explain/flow_style.h"

#include <fmt/core.h>

namespace xf::tools::explain {

namespace {

// Cells are strokes as thick as they are high: the shortest way to write many of them.
constexpr const char* kColours = R"(
.cells path { stroke: #0072B2; } .cells .n { stroke: #D55E00; }
.field { fill: #fff; stroke: #999; stroke-width: .5; } .hatch { stroke: #888; stroke-width: .8; }
.glow { fill: none; stroke: #0072B2; stroke-width: 2.5; } .packet { fill: #0072B2; }
.glow, .packet { opacity: 0; }
@media (prefers-color-scheme: dark) {
  .cells path { stroke: #56B4E9; } .cells .n { stroke: #F0864A; }
  .field { fill: #181818; stroke: #777; } .hatch { stroke: #999; }
  .glow { stroke: #56B4E9; } .packet { fill: #56B4E9; }
}
)";

// Every tick has three animations: data comes to stay (d), the box glows (g), a packet arrives on an arrow (p), from
// (--x, --y) off the place where it is drawn.
std::string animation(const Flow& flow) {
  const double second_per_tick = flow.stepwise ? 0.4 : 1.1, pause = 4;
  const auto ticks = static_cast<double>(flow.ticks());
  const double duration = ticks * second_per_tick + pause;
  std::string css = fmt::format(
      "@media (prefers-reduced-motion: no-preference) {{\n"
      ".appears, .glow, .packet {{ animation: {:.1f}s linear infinite; }}\n",
      duration);
  for (int64_t tick = 0; tick < flow.ticks(); ++tick) {
    const auto at = [&](double fraction) {
      return 100 * (static_cast<double>(tick) + fraction) * second_per_tick / duration;
    };
    css += fmt::format(
        ".appears.t{0} {{ animation-name: d{0}; "
        "}} .glow.t{0} {{ animation-name: g{0}; }} .packet.t{0} {{ animation-name: p{0}; }}\n"
        "@keyframes d{0} {{ 0%, {2:.2f}% {{ opacity: 0; }} {3:.2f}%, 100% {{ opacity: 1; }} }}\n"
        "@keyframes g{0} {{ 0%, {1:.2f}% {{ opacity: 0; "
        "}} {2:.2f}%, {4:.2f}% {{ opacity: 1; }} {5:.2f}%, 100% {{ opacity: 0; }} }}\n"
        "@keyframes p{0} {{ 0%, {1:.2f}% {{ opacity: 0; transform: translate(var(--x), var(--y)); "
        "}} {6:.2f}% {{ opacity: 1; transform: translate(var(--x), var(--y)); }} {2:.2f}% {{ opacity: 1; "
        "transform: none; }} {3:.2f}%, 100% {{ opacity: 0; transform: none; }} }}\n",
        tick, at(0), at(0.4), at(0.6), at(1), at(1.2), at(0.01));
  }
  return css + "}\n";
}

}  // namespace

std::string flow_style(const Flow& flow) { return kColours + animation(flow); }

}  // namespace xf::tools::explain
