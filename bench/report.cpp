#include "bench/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/bar_chart.h"
#include "bench/output.h"
#include "bench/scaling.h"
#include "bench/sweep_chart.h"
#include "core/file.h"
#include "tools/report/html_page.h"
#include "tools/report/svg_plot.h"

namespace xf::bench {

namespace {

using tools::Drawing;
using tools::escaped;
using tools::HtmlPage;
using tools::Plot;
using tools::plot_drawing;
using tools::PlotSeries;
using tools::Scale;

// Beside the page's own rules (tools/report/html_page.h).
constexpr const char* kStyle = R"css(
td, th { white-space: nowrap; } td.name, th.name { text-align: left; }
td.note { text-align: left; white-space: normal; min-width: 16em; }
table.header td { text-align: left; white-space: normal; }
td.slower { color: #D55E00; font-weight: 600; } td.faster { color: #009E73; font-weight: 600; }
)css";

std::string cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}

std::string name_of(const Row& row) {
  return row.fn + " " + row.shape + (row.dtype == "f32" ? "" : " " + row.dtype);
}

std::string header_table(const MachineInfo& header) {
  std::string out = "<table class=\"header\">\n";
  for (const auto& [name, value] : header) {
    if (!value.empty())
      out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  return out + "</table>\n";
}

// The roof itself over the intensities that occur.
PlotSeries roof(double copy, double gemm, double low, double high) {
  PlotSeries line{"ceilings of this machine", {}};
  for (const double x : {low, std::clamp(gemm / copy, low, high), high})
    line.points.push_back({x, std::min(gemm, copy * x)});
  return line;
}

PlotSeries dots(const std::string& name) { return {.name = name, .points = {}, .joined = false}; }

void add_roofline(HtmlPage& page, const Results& run) {
  const double copy = run.ceiling("copy_gbs"), gemm = run.ceiling("gemm_gflops");
  PlotSeries forward = dots("forward and other kernels"), backward = dots("backward kernels"),
             steps = dots("whole steps");
  double low = gemm / copy, high = low;
  for (const Row& row : run.rows) {
    if (!row.ran() || !(row.bytes > 0) || !(row.flops > 0) || std::isfinite(row.x)) continue;
    const double x = row.flops / row.bytes, y = 1e-9 * row.flops_per_second();
    low = std::min(low, x), high = std::max(high, x);
    PlotSeries& series = !row.parts.empty()                             ? steps
                         : row.fn.find("backward") != std::string::npos ? backward
                                                                        : forward;
    series.points.push_back({x, y,
                             fmt::format("{}: {}, {:.0f} % of its floor", name_of(row),
                                         readable(row.median()), 100 * row.of_floor())});
  }
  if (forward.points.empty() && backward.points.empty() && steps.points.empty()) return;
  page.heading("Roofline");
  page.figure(plot_drawing({.title = "What each row reaches, under what this machine can do",
                            .x_label = "FLOP per byte that must be moved",
                            .y_label = "GFLOP/s",
                            .series = {roof(copy, gemm, low, high), forward, backward, steps},
                            .marks = {},
                            .scale = Scale::logarithmic}),
              "");
  page.paragraph("A point on the line is at its floor. Above the sloping part: its data came from a cache.");
}

void add_peers(HtmlPage& page, const Results& run) {
  BarChart chart{"Times as fast as the peer (the line: equally fast)", {}, 1};
  for (const Row& row : run.rows) {
    if (!std::isfinite(row.ratio())) continue;
    const std::string peer = row.baseline.substr(0, row.baseline.find(','));  // without how it ran
    chart.bars.push_back(
        {fmt::format("{} : {}", name_of(row), peer), fmt::format("{:.2f}", row.ratio()), row.ratio()});
  }
  if (chart.bars.empty()) return;
  page.heading("Against peers");
  page.figure(drawing_of(chart), "");
}

BarChart parts_of(const Row& row) {
  BarChart chart{fmt::format("{}: {}, {:.0f} % of its floor", name_of(row), readable(row.median()),
                             100 * row.of_floor()),
                 {}};
  for (const Part& part : row.parts)
    chart.bars.push_back({"floor of " + part.name, readable(part.seconds), part.seconds});
  chart.bars.push_back({"floor together", readable(row.floor_s), row.floor_s});
  chart.bars.push_back({"measured", readable(row.median()), row.median()});
  if (std::isfinite(row.baseline_s))
    chart.bars.push_back({row.baseline, readable(row.baseline_s), row.baseline_s});
  return chart;
}

void add_steps(HtmlPage& page, const Results& run) {
  std::vector<BarChart> charts;
  for (const Row& row : run.rows) {
    if (!row.parts.empty() && row.ran() && !std::isfinite(row.x)) charts.push_back(parts_of(row));
  }
  if (!charts.empty()) page.heading("The training step");
  for (const BarChart& chart : charts) page.figure(drawing_of(chart), "");
}

void add_growth(HtmlPage& page, const Results& run) {
  const std::vector<Slope> slopes = slopes_of(run.rows);
  if (!slopes.empty()) page.heading("How cost grows");
  for (const Slope& slope : slopes) {
    PlotSeries floor{fmt::format("floor, slope {:.2f}", slope.expected), {}};
    PlotSeries line{fmt::format("measured, slope {:.2f}", slope.measured), {}};
    for (const Row& row : run.rows) {
      if (axis_of(row) != slope.axis || !row.ran()) continue;
      floor.points.push_back({row.x, 1e6 * row.floor_s / row.tokens});
      line.points.push_back({row.x, 1e6 * row.median() / row.tokens});
    }
    page.figure(plot_drawing({.title = "Time per token against " + slope.axis,
                              .x_label = slope.axis,
                              .y_label = "us per target token",
                              .series = {floor, line},
                              .marks = {},
                              .scale = Scale::logarithmic}),
                "");
  }
}

void add_sweeps(HtmlPage& page, const Results& run) {
  const std::vector<Plot> plots = sweep_plots(run);
  if (!plots.empty()) page.heading("Against size");
  for (const Plot& plot : plots) page.figure(plot_drawing(plot), "");
}

std::string rows_table(const Results& run) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th class=\"name\">function</th><th class=\"name\">shape</th>"
      "<th>type</th><th>median</th><th>p10</th><th>p90</th><th>n</th><th>disturbed</th>"
      "<th>GB/s</th><th>% copy</th><th>GFLOP/s</th><th>% GEMM</th><th>% floor</th>"
      "<th>peer</th><th>ratio</th><th>error</th><th class=\"name\">notes</th></tr>\n";
  const double copy = run.ceiling("copy_gbs"), gemm = run.ceiling("gemm_gflops");
  for (const Row& row : run.rows) {
    const double gbs = 1e-9 * row.bytes_per_second(), gflops = 1e-9 * row.flops_per_second();
    const std::string peer = row.baseline == "none" ? "" : row.baseline + " " + readable(row.baseline_s);
    out += fmt::format(
        "<tr><td class=\"name\">{}</td><td class=\"name\">{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"note\">{}</td></tr>\n",
        escaped(row.fn), escaped(row.shape), row.dtype, readable(row.median()), readable(row.quantile(0.1)),
        readable(row.quantile(0.9)), row.samples.seconds.size(), row.samples.disturbed, cell(gbs, 1),
        cell(100 * gbs / copy, 0), cell(gflops, 1), cell(100 * gflops / gemm, 0),
        cell(100 * row.of_floor(), 0), escaped(peer), cell(row.ratio(), 2),
        std::isfinite(row.error) ? fmt::format("{:.1e}", row.error) : "", escaped(row.note));
  }
  return out + "</table></div>\n";
}

// A row's medians in all runs, unknown where it is not. Rows of --scaling have plots of their own.
using History = std::map<std::string, std::vector<double>>;

History history_of(const std::vector<Results>& runs) {
  History history;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const Row& row : runs[i].rows) {
      if (std::isfinite(row.x)) continue;
      auto& medians = history.try_emplace(row.key(), runs.size(), kUnknown).first->second;
      medians[i] = row.median();
    }
  }
  return history;
}

// The rows that take longest in the newest run, relative to their first time.
Drawing history_drawing(const std::vector<Results>& runs, const History& history) {
  constexpr size_t kCurves = 4;
  std::vector<std::pair<double, std::string>> longest;
  for (const auto& [key, medians] : history) {
    if (std::isfinite(medians.front()) && std::isfinite(medians.back()))
      longest.emplace_back(-medians.back(), key);
  }
  std::sort(longest.begin(), longest.end());
  longest.resize(std::min(longest.size(), kCurves));
  Plot plot{.title = "Time relative to the first label, of the longest rows",
            .x_label = "run, in the order given",
            .y_label = "times the first",
            .series = {},
            .marks = {}};
  for (const auto& [unused, key] : longest) {
    const std::vector<double>& medians = history.at(key);
    PlotSeries series{key, {}, true};
    for (size_t i = 0; i < runs.size(); ++i)
      series.points.push_back({static_cast<double>(i + 1), medians[i] / medians.front()});
    plot.series.push_back(series);
  }
  return plot_drawing(plot);
}

std::string history_table(const std::vector<Results>& runs, const History& history) {
  constexpr double kNotable = 0.05;
  std::string out = "<div class=\"scroll\"><table><tr><th class=\"name\">row</th>";
  for (const Results& run : runs) {
    out += fmt::format("<th title=\"{}, {}\">{}</th>", escaped(look_up(run.header, "date")),
                       escaped(look_up(run.header, "commit")), escaped(run.label));
  }
  out += "<th>last / first</th></tr>\n";
  for (const auto& [key, medians] : history) {
    out += fmt::format("<tr><td class=\"name\">{}</td>", escaped(key));
    for (const double median : medians) out += fmt::format("<td>{}</td>", readable(median));
    const double change = medians.back() / medians.front() - 1;
    const char* const kind = change > kNotable    ? " class=\"slower\""
                             : change < -kNotable ? " class=\"faster\""
                                                  : "";
    out += std::isfinite(change) ? fmt::format("<td{}>{:+.1f} %</td></tr>\n", kind, 100 * change)
                                 : "<td>–</td></tr>\n";
  }
  return out + "</table></div>";
}

void add_history(HtmlPage& page, const std::vector<Results>& runs) {
  if (runs.size() < 2) return;
  const History history = history_of(runs);
  page.heading("History");
  page.figure(history_drawing(runs, history), "");
  page.add(history_table(runs, history));
}

}  // namespace

std::string to_html(const std::vector<Results>& runs) {
  const Results& newest = runs.back();
  HtmlPage page("xformer-bench: " + newest.label);
  page.style(kStyle);
  page.paragraph(fmt::format("{}, {}, {}; copy {:.1f} GB/s, products {:.1f} GFLOP/s",
                             look_up(newest.header, "commit"), look_up(newest.header, "cpu"),
                             look_up(newest.header, "date"), newest.ceiling("copy_gbs"),
                             newest.ceiling("gemm_gflops")));
  add_steps(page, newest);
  add_peers(page, newest);
  add_roofline(page, newest);
  add_sweeps(page, newest);
  add_growth(page, newest);
  add_history(page, runs);
  page.heading("All rows");
  page.add(rows_table(newest));
  page.heading("Header");
  page.add(header_table(newest.header));
  return page.html();
}

void write_report(const std::vector<std::string>& labels, const std::string& path) {
  std::vector<Results> runs;
  for (const std::string& label : labels) runs.push_back(load(label));
  refuse_input_as_output(path);
  atomic_write(path, to_html(runs));
}

}  // namespace xf::bench
