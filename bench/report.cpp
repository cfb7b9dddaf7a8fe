#include "bench/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/charts.h"
#include "bench/output.h"
#include "bench/scaling.h"
#include "core/file.h"
#include "tools/svg_plot.h"

namespace xf::bench {

namespace {

constexpr const char* kStyle = R"css(
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.6em; margin-bottom: 0; } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #ccc; }
p.about { color: #555; margin-top: .2em; }
table { border-collapse: collapse; font-size: 13px; } td, th { padding: .15em .6em; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid #999; } td.name, th.name { text-align: left; } tr:nth-child(even) td { background: #f5f5f5; }
td.note { text-align: left; white-space: normal; min-width: 16em; } .wide { overflow-x: auto; }
table.header td { text-align: left; white-space: normal; } table.header td:first-child { color: #555; }
td.slower { color: #b03a00; font-weight: 600; } td.faster { color: #00714f; font-weight: 600; }
svg { max-width: 100%; height: auto; display: block; margin: 1em 0; }
svg text { font: 13px system-ui, sans-serif; fill: #333; } svg text.title { font-size: 15px; font-weight: 600; fill: #222; }
svg line.grid { stroke: #e3e3e3; } svg line.mark { stroke: #222; stroke-dasharray: 4 3; } svg line.axis { stroke: #555; }
)css";

std::string cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}

std::string name_of(const Row& row) {
  return row.fn + " " + row.shape + (row.dtype == "f32" ? "" : " " + row.dtype);
}

std::string header_table(const Header& header) {
  std::string out = "<table class=\"header\">\n";
  for (const auto& [name, value] : header) {
    if (!value.empty())
      out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", tools::escaped(name), tools::escaped(value));
  }
  return out + "</table>\n";
}

// The roof itself over the intensities that occur.
LogSeries roof(double copy, double gemm, double low, double high) {
  LogSeries line{"ceilings of this machine", {}, true};
  for (const double x : {low, std::clamp(gemm / copy, low, high), high}) {
    line.dots.push_back({x, std::min(gemm, copy * x), ""});
  }
  return line;
}

std::string roofline(const Results& run) {
  const double copy = run.ceiling("copy_gbs"), gemm = run.ceiling("gemm_gflops");
  LogSeries forward{"forward and other kernels", {}}, backward{"backward kernels", {}},
      steps{"whole steps", {}};
  double low = gemm / copy, high = low;
  for (const Row& row : run.rows) {
    if (!row.ran() || !(row.bytes > 0) || !(row.flops > 0) || std::isfinite(row.x)) continue;
    const double x = row.flops / row.bytes, y = 1e-9 * row.flops_per_second();
    low = std::min(low, x), high = std::max(high, x);
    LogSeries& series = !row.parts.empty()                             ? steps
                        : row.fn.find("backward") != std::string::npos ? backward
                                                                       : forward;
    series.dots.push_back({x, y,
                           fmt::format("{}: {}, {:.0f} % of its floor", name_of(row), readable(row.median()),
                                       100 * row.of_floor())});
  }
  if (forward.dots.empty() && backward.dots.empty() && steps.dots.empty()) return "";
  return "<h2>Roofline</h2>\n" +
         svg(LogPlot{"What each row reaches, under what this machine can do",
                     "FLOP per byte that must be moved",
                     "GFLOP/s",
                     {roof(copy, gemm, low, high), forward, backward, steps}}) +
         "<p class=\"about\">A point on the line is at its floor. Above the sloping part: its data came from "
         "a cache.</p>\n";
}

std::string peers(const Results& run) {
  BarChart chart{"Times as fast as the peer (the line: equally fast)", {}, 1};
  for (const Row& row : run.rows) {
    if (!std::isfinite(row.ratio())) continue;
    const std::string peer = row.baseline.substr(0, row.baseline.find(','));  // without how it ran
    chart.bars.push_back(
        {fmt::format("{} : {}", name_of(row), peer), fmt::format("{:.2f}", row.ratio()), row.ratio()});
  }
  return chart.bars.empty() ? "" : "<h2>Against peers</h2>\n" + svg(chart);
}

std::string steps(const Results& run) {
  std::string out;
  for (const Row& row : run.rows) {
    if (row.parts.empty() || !row.ran() || std::isfinite(row.x)) continue;
    BarChart chart{fmt::format("{}: {}, {:.0f} % of its floor", name_of(row), readable(row.median()),
                               100 * row.of_floor()),
                   {}};
    for (const Part& part : row.parts)
      chart.bars.push_back({"floor of " + part.name, readable(part.seconds), part.seconds});
    chart.bars.push_back({"floor together", readable(row.floor_s), row.floor_s});
    chart.bars.push_back({"measured", readable(row.median()), row.median()});
    if (std::isfinite(row.baseline_s))
      chart.bars.push_back({row.baseline, readable(row.baseline_s), row.baseline_s});
    out += svg(chart);
  }
  return out.empty() ? "" : "<h2>The training step</h2>\n" + out;
}

std::string growth(const Results& run) {
  std::string out;
  for (const Slope& slope : slopes_of(run.rows)) {
    LogSeries floor{fmt::format("floor, slope {:.2f}", slope.expected), {}, true};
    LogSeries line{fmt::format("measured, slope {:.2f}", slope.measured), {}, true};
    for (const Row& row : run.rows) {
      if (axis_of(row) != slope.axis || !row.ran()) continue;
      floor.dots.push_back({row.x, 1e6 * row.floor_s / row.tokens, ""});
      line.dots.push_back({row.x, 1e6 * row.median() / row.tokens, ""});
    }
    out += svg(
        LogPlot{"Time per token against " + slope.axis, slope.axis, "us per target token", {floor, line}});
  }
  return out.empty() ? "" : "<h2>How cost grows</h2>\n" + out;
}

std::string rows_table(const Results& run) {
  std::string out =
      "<h2>All rows</h2>\n<div class=\"wide\"><table><tr><th class=\"name\">function</th><th "
      "class=\"name\">shape</th>"
      "<th>type</th><th>median</th><th>p10</th><th>p90</th><th>n</th><th>disturbed</th><th>GB/s</th><th>% "
      "copy</th>"
      "<th>GFLOP/s</th><th>% GEMM</th><th>% floor</th><th>peer</th><th>ratio</th><th "
      "class=\"name\">notes</th></tr>\n";
  const double copy = run.ceiling("copy_gbs"), gemm = run.ceiling("gemm_gflops");
  for (const Row& row : run.rows) {
    const double gbs = 1e-9 * row.bytes_per_second(), gflops = 1e-9 * row.flops_per_second();
    const std::string peer = row.baseline == "none" ? "" : row.baseline + " " + readable(row.baseline_s);
    out += fmt::format(
        "<tr><td class=\"name\">{}</td><td "
        "class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"note\">{}</td></tr>\n",
        tools::escaped(row.fn), tools::escaped(row.shape), row.dtype, readable(row.median()),
        readable(row.quantile(0.1)), readable(row.quantile(0.9)), row.samples.seconds.size(),
        row.samples.disturbed, cell(gbs, 1), cell(100 * gbs / copy, 0), cell(gflops, 1),
        cell(100 * gflops / gemm, 0), cell(100 * row.of_floor(), 0), tools::escaped(peer),
        cell(row.ratio(), 2), tools::escaped(row.note));
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
std::string history_plot(const std::vector<Results>& runs, const History& history) {
  constexpr size_t kCurves = 4;
  std::vector<std::pair<double, std::string>> longest;
  for (const auto& [key, medians] : history) {
    if (std::isfinite(medians.front()) && std::isfinite(medians.back()))
      longest.emplace_back(-medians.back(), key);
  }
  std::sort(longest.begin(), longest.end());
  longest.resize(std::min(longest.size(), kCurves));
  tools::Plot plot{"Time relative to the first label, of the longest rows",
                   "run, in the order given",
                   "times the first",
                   {},
                   {}};
  for (const auto& [unused, key] : longest) {
    const std::vector<double>& medians = history.at(key);
    tools::PlotSeries series{key, {}, true};
    for (size_t i = 0; i < runs.size(); ++i)
      series.points.push_back({static_cast<double>(i + 1), medians[i] / medians.front()});
    plot.series.push_back(series);
  }
  return tools::svg(plot);
}

std::string history(const std::vector<Results>& runs) {
  if (runs.size() < 2) return "";
  constexpr double kNotable = 0.05;
  const History history = history_of(runs);
  std::string out = "<h2>History</h2>\n" + history_plot(runs, history) +
                    "<div class=\"wide\"><table><tr><th class=\"name\">row</th>";
  for (const Results& run : runs) {
    out += fmt::format("<th title=\"{}, {}\">{}</th>", tools::escaped(look_up(run.header, "date")),
                       tools::escaped(look_up(run.header, "commit")), tools::escaped(run.label));
  }
  out += "<th>last / first</th></tr>\n";
  for (const auto& [key, medians] : history) {
    out += fmt::format("<tr><td class=\"name\">{}</td>", tools::escaped(key));
    for (const double median : medians) out += fmt::format("<td>{}</td>", readable(median));
    const double change = medians.back() / medians.front() - 1;
    const char* const kind = change > kNotable    ? " class=\"slower\""
                             : change < -kNotable ? " class=\"faster\""
                                                  : "";
    out += std::isfinite(change) ? fmt::format("<td{}>{:+.1f} %</td></tr>\n", kind, 100 * change)
                                 : "<td>–</td></tr>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string to_html(const std::vector<Results>& runs) {
  const Results& newest = runs.back();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>xformer-bench: {0}</title>"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<p class=\"about\">xformer-bench at {2}, {3}, {4}; "
      "copy {5:.1f} GB/s, products {6:.1f} GFLOP/s</p>\n",
      tools::escaped(newest.label), kStyle, tools::escaped(look_up(newest.header, "commit")),
      tools::escaped(look_up(newest.header, "cpu")), tools::escaped(look_up(newest.header, "date")),
      newest.ceiling("copy_gbs"), newest.ceiling("gemm_gflops"));
  out +=
      steps(newest) + peers(newest) + roofline(newest) + growth(newest) + history(runs) + rows_table(newest);
  return out + "<h2>Header</h2>\n" + header_table(newest.header) + "</body></html>\n";
}

void write_report(const std::vector<std::string>& labels, const std::string& path) {
  std::vector<Results> runs;
  for (const std::string& label : labels) runs.push_back(load(label));
  refuse_input_as_output(path);
  atomic_write(path, to_html(runs));
}

}  // namespace xf::bench
