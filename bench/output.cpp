#include "bench/output.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench/scaling.h"

namespace xf::bench {

namespace {

// A number, or "-" where it is unknown.
std::string cell(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

// "3.1e-07"
std::string magnitude(double value) { return std::isfinite(value) ? fmt::format("{:.1e}", value) : "-"; }

std::string header_text(const MachineInfo& header) {
  std::string text;
  for (const auto& [name, value] : header) {
    if (!value.empty()) text += fmt::format("{:24}{}\n", name, value);
  }
  return text;
}

std::string step_text(const Row& row) {
  std::string text = fmt::format("{} {}, floor, ms:", row.fn, row.shape);
  for (const Part& part : row.parts) text += fmt::format(" {} {:.2f},", part.name, 1e3 * part.seconds);
  return text + fmt::format(" together {:.2f}; measured {:.2f}, {:.0f} %\n", 1e3 * row.floor_s,
                            1e3 * row.median(), 100 * row.of_floor());
}

std::string details(const Row& row) {
  const std::string name = row.fn + " " + row.shape;
  std::string text;
  if (!row.parts.empty() && row.ran()) text += step_text(row);
  if (row.tokens > 0 && row.ran())
    text += fmt::format("{}: {:.0f} target tokens/s\n", name, row.tokens / row.median());
  if (row.peak_bytes > 0)
    text += fmt::format("{}: peak memory {:.0f} MB\n", name, row.peak_bytes / (1 << 20));
  if (!row.tuning.why.empty()) text += fmt::format("{}: the peer, {}\n", name, row.tuning.why);
  if (!row.note.empty()) text += fmt::format("{}: {}\n", name, row.note);
  return text;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string readable(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.3f} s", seconds);
}

std::string to_table(const Results& results) {
  size_t name_width = 8, shape_width = 5;
  bool checked = false;
  for (const Row& row : results.rows) {
    checked = checked || std::isfinite(row.error);
    name_width = std::max(name_width, row.fn.size());
    shape_width = std::max(shape_width, row.shape.size());
  }
  std::string text = header_text(results.header);
  text += fmt::format(
      "\n{:{}} {:{}} {:>5} {:>10} {:>10} {:>10} {:>5} {:>4} "
      "{:>8} {:>6} {:>8} {:>6} {:>7} {:>10} {:>6}{}  {}\n",
      "function", name_width, "shape", shape_width, "type", "median", "p10", "p90", "n", "busy", "GB/s",
      "% copy", "GFLOP/s", "% GEMM", "% floor", "baseline", "ratio", checked ? "    error" : "", "peer");
  std::string below;
  for (const Row& row : results.rows) {
    const double median = row.median(), copy = results.ceiling("copy_gbs"),
                 gemm = results.ceiling("gemm_gflops");
    const double gbs = 1e-9 * row.bytes_per_second(), gflops = 1e-9 * row.flops_per_second();
    text += fmt::format(
        "{:{}} {:{}} {:>5} {:>10} {:>10} {:>10} {:>5} {:>4} "
        "{:>8} {:>6} {:>8} {:>6} {:>7} {:>10} {:>6}{}  {}\n",
        row.fn, name_width, row.shape, shape_width, row.dtype, readable(median), readable(row.quantile(0.1)),
        readable(row.quantile(0.9)), row.samples.seconds.size(), row.samples.disturbed, cell(gbs, 1),
        cell(100 * gbs / copy, 0), cell(gflops, 1), cell(100 * gflops / gemm, 0),
        cell(100 * row.of_floor(), 0), readable(row.baseline_s), cell(row.ratio(), 2),
        checked ? fmt::format(" {:>8}", magnitude(row.error)) : "",
        row.baseline == "none" ? "" : row.baseline);
    below += details(row);
  }
  for (const Slope& slope : slopes_of(results.rows)) {
    below += fmt::format("time per token ~ {}^s: s = {:.2f} measured, {:.2f} of the floor\n", slope.axis,
                         slope.measured, slope.expected);
  }
  return text + (below.empty() ? "" : "\n" + below);
}

std::string to_roofline(const Results& results) {
  const double copy = results.ceiling("copy_gbs"), gemm = results.ceiling("gemm_gflops");
  size_t width = 8;
  for (const Row& row : results.rows) width = std::max(width, row.key().size());
  std::string text =
      fmt::format("copy {:.1f} GB/s, products {:.1f} GFLOP/s; they cross at {:.2f} FLOP/byte\n\n", copy, gemm,
                  gemm / copy);
  text += fmt::format("{:{}} {:>10} {:>8} {:>10} {:>10} {:>6}\n", "row", width, "FLOP/byte", "bound by",
                      "GFLOP/s", "roof", "%");
  for (const Row& row : results.rows) {
    const double intensity = row.flops / row.bytes, roof = std::min(gemm, intensity * copy);
    const double reached = 1e-9 * row.flops_per_second();
    text += fmt::format("{:{}} {:>10} {:>8} {:>10} {:>10} {:>6}\n", row.key(), width, cell(intensity, 2),
                        intensity * copy < gemm ? "memory" : "products", cell(reached, 1), cell(roof, 1),
                        cell(100 * row.of_floor(), 0));
  }
  return text;
}

std::string to_csv(const Results& results) {
  std::string text =
      "fn,shape,dtype,device,median_s,p10_s,p90_s,n,disturbed,bytes,flops,floor_s,pct_floor,baseline,"
      "baseline_s,ratio,error,note\n";
  const auto exact = [](double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : ""; };
  for (const Row& row : results.rows) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(row.fn),
                        quoted(row.shape), row.dtype, row.device, exact(row.median()),
                        exact(row.quantile(0.1)), exact(row.quantile(0.9)), row.samples.seconds.size(),
                        row.samples.disturbed, exact(row.bytes), exact(row.flops), exact(row.floor_s),
                        exact(100 * row.of_floor()), quoted(row.baseline), exact(row.baseline_s),
                        exact(row.ratio()), exact(row.error), quoted(row.note));
  }
  return text;
}

}  // namespace xf::bench
