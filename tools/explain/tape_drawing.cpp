#include <algorithm>
#include <cmath>

#include "tools/console/progress.h"
#include "tools/explain/tape_listing.h"
#include "tools/report/svg.h"

namespace xf::tools::explain {

namespace {

constexpr double kLeft = 84, kRight = 24, kBox = 22;
constexpr double kArcs = 118, kBars = 90, kMemory = 150;  // heights: what reads what; gradients;
                                                          // the curves

constexpr const char* kStyle = R"(
polyline { fill: none; stroke-width: 2; }
polyline.forward { stroke: #D55E00; } polyline.backward { stroke: #0072B2; } .forward { fill: #D55E00; }
polyline.forward, polyline.backward { fill: none; }
@media (prefers-color-scheme: dark) {
  polyline.forward { stroke: #E69F00; } polyline.backward { stroke: #56B4E9; } text.forward { fill: #E69F00; }
}
)";

// "encoder.layers.0.self_attention" -> "enc 0 self_attention"
std::string short_name(std::string name) {
  for (const auto& [stack, brief] : {std::pair{"encoder", "enc"}, {"decoder", "dec"}}) {
    const std::string prefix = std::string(stack) + ".layers.";
    if (!name.starts_with(prefix)) continue;
    name = fmt::format("{} {}", brief, name.substr(prefix.size()));
    name[name.find('.')] = ' ';
  }
  return name;
}

std::string last_shape(const TapeNode& node) { return node.makes.back().to_string(); }

class TapeDrawing {
 public:
  explicit TapeDrawing(const TapeListing& listing)
      : nodes_(listing.nodes),
        column_(nodes_.size() <= 20 ? 56 : 30),  // a whole model's tape stays on one screen or two
        names_(height_of_names()),
        drawing_(kLeft + kRight + column_ * static_cast<double>(nodes_.size()),
                 kArcs + kBox + names_ + kBars + kBox + kMemory + 74, "The tape of one training step") {
    drawing_.style(kStyle);
    drawing_.text(12, 22, "The tape of one training step", "start", 15);
    drawing_.text(12, 40, listing.title, "start", 11, "soft");
  }

  std::string svg() {
    double y = kArcs;
    draw_reads(y);
    draw_forward(y);
    y += kBox + names_ + kBars + 24;
    draw_backward(y);
    draw_memory(y + kBox + 56);
    return drawing_.svg();
  }

 private:
  double x(size_t node) const { return kLeft + column_ * (static_cast<double>(node) + 0.5); }

  double height_of_names() const {
    double longest = 0;
    for (const TapeNode& node : nodes_) longest = std::max(longest, text_width(short_name(node.name), 11));
    return longest + 16;
  }

  // An arc from each value's node to the one that reads it.
  void draw_reads(double y) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (const auto& read : nodes_[i].reads) {
        if (read.node < 0) continue;
        const double from = x(static_cast<size_t>(read.node)), to = x(i);
        const double height = std::min(2 * (kArcs - 56), 12 + 0.7 * (to - from));
        drawing_.add(fmt::format(R"(<path class="line" d="M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}"/>)",
                                 from, y, (from + to) / 2, y - height, to, y));
      }
    }
  }

  void draw_boxes(double y) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      drawing_.rect(x(i) - 12, y, 24, kBox, "panel");
      drawing_.text(x(i), y + 15, std::to_string(i), "middle", 11);
    }
  }

  void draw_forward(double y) {
    drawing_.text(12, y + 15, "forward \u2192", "start", 12, "forward");
    draw_boxes(y);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const double bottom = y + kBox + names_;
      drawing_.text_upwards(x(i) - 1, bottom, short_name(nodes_[i].name), 11);
      drawing_.text_upwards(x(i) + 11, bottom, last_shape(nodes_[i]), 10);
    }
  }

  // Bars on a scale of logarithms, the smallest one still visible.
  void draw_backward(double y) {
    drawing_.text(12, y + 15, "\u2190 backward", "start", 12, "accent");
    drawing_.text(12, y - 12, "norm (log)", "start", 11, "soft");
    draw_boxes(y);
    double low = INFINITY, high = 0;
    for (const TapeNode& node : nodes_) {
      if (!node.ran || !(node.gradient > 0)) continue;
      low = std::min(low, node.gradient);
      high = std::max(high, node.gradient);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].ran || !(nodes_[i].gradient > 0)) continue;
      const double share = high > low ? std::log(nodes_[i].gradient / low) / std::log(high / low) : 1;
      const double height = 4 + share * (kBars - 50);
      drawing_.rect(x(i) - 8, y - 4 - height, 16, height, "data", 0.7);
      drawing_.text_upwards(x(i) + 4, y - 8 - height, fmt::format("{:.2g}", nodes_[i].gradient), 10);
    }
  }

  void draw_memory(double y) {
    int64_t most = 1;
    for (const TapeNode& node : nodes_) most = std::max({most, node.recorded, node.before, node.after});
    const auto height = [&](int64_t bytes) {
      return y + kMemory - 20 - (kMemory - 20) * static_cast<double>(bytes) / static_cast<double>(most);
    };
    std::string forward, backward;
    for (size_t i = 0; i < nodes_.size(); ++i)
      forward += fmt::format("{:.1f},{:.1f} ", x(i), height(nodes_[i].recorded));
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (nodes_[i].ran) backward += fmt::format("{:.1f},{:.1f} ", x(i) + 4, height(nodes_[i].before));
      backward += fmt::format("{:.1f},{:.1f} ", x(i) - 4, height(nodes_[i].after));
    }
    drawing_.text(12, y - 18,
                  "memory in use, bytes: forward from left to right, then backward from right to left",
                  "start", 11, "soft");
    drawing_.line(kLeft, height(0), x(nodes_.size() - 1) + column_ / 2, height(0));
    drawing_.text(kLeft - 8, height(0) + 4, "0", "end", 11, "soft");
    drawing_.text(kLeft - 8, height(most) + 4, grouped(most), "end", 11, "soft");
    drawing_.add(fmt::format(R"(<polyline class="forward" points="{}"/>)", forward));
    drawing_.add(fmt::format(R"(<polyline class="backward" points="{}"/>)", backward));
    draw_tooltips(y);
  }

  // Over each column, whole: what the listing says of the node.
  void draw_tooltips(double bottom) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const TapeNode& node = nodes_[i];
      drawing_.open_group(
          fmt::format("{} {}\nmakes {}\nrecorded at {} bytes, before {}, after {}\ngradient {:.4g}", i,
                      node.name, last_shape(node), grouped(node.recorded), grouped(node.before),
                      grouped(node.after), node.gradient));
      drawing_.rect(x(i) - column_ / 2, kArcs, column_, bottom + kMemory - kArcs, "data", 0);
      drawing_.close_group();
    }
  }

  const std::vector<TapeNode>& nodes_;
  const double column_, names_;
  Drawing drawing_;
};

}  // namespace

std::string to_svg(const TapeListing& listing) { return TapeDrawing(listing).svg(); }

}  // namespace xf::tools::explain
