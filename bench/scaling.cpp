#include "bench/scaling.h"

#include <algorithm>
#include <cmath>

#include "bench/ceilings.h"
#include "bench/train_step.h"

namespace xf::bench {

namespace {

struct Point {
  std::string axis;
  int64_t x;
  ModelPreset preset;
};

constexpr int64_t kTokens = 4088;  // of the tiny batch

std::vector<Point> points() {
  const ModelPreset tiny = model_preset("tiny");
  std::vector<Point> all;
  const auto add = [&](const char* axis, int64_t x, const auto& change) {
    ModelPreset preset = tiny;
    change(preset);
    preset.name = fmt::format("{}={}", axis, x);
    all.push_back({axis, x, preset});
  };
  for (const int64_t sentences : {37, 73, 146, 292, 584}) {
    add("batch-tokens", sentences * tiny.length, [&](ModelPreset& p) { p.sentences = sentences; });
  }
  for (const int64_t length : {7, 14, 28, 56}) {
    add("sentence-length", length,
        [&](ModelPreset& p) { p.length = length, p.sentences = kTokens / length; });
  }
  for (const int64_t width : {64, 128, 256, 512}) {
    add("width", width, [&](ModelPreset& p) {
      p.config.dim = width, p.config.feed_forward = 2 * width, p.config.heads = width / 32;
    });
  }
  for (const int64_t words : {2500, 5000, 10000, 20000, 40000}) {
    add("vocabulary", words,
        [&](ModelPreset& p) { p.config.source_vocabulary = p.config.target_vocabulary = words; });
  }
  return all;
}

double slope(const std::vector<std::pair<double, double>>& points) {
  const auto n = static_cast<double>(points.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    const double lx = std::log(x), ly = std::log(y);
    sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

Results run_scaling(const Request& request, const Progress& progress, const Keep& keep) {
  constexpr int kSamples = 5;
  const auto measured = [&] { return measure_machine(request.target.device, request.target.dtype); };
  const Machine before = measured();
  Results results;
  results.header = machine_info(request.target, before, "tiny");
  const TimingOptions options{.warm_ups = 1,
                              .samples = request.timer.samples > 0 ? request.timer.samples : kSamples};
  for (const Point& point : points()) {
    progress("train_step " + point.preset.name);
    reset_peak_resident();
    Row row = train_step_row(point.preset, request.target, options, request.timer.slowdown);
    row.shape = point.preset.name;
    row.x = static_cast<double>(point.x);
    set_step_floor(row, point.preset, before);
    results.rows.push_back(row);
    keep(results);
  }
  const Machine machine = better_of(before, measured());
  size_t i = 0;
  for (const Point& point : points()) {
    Row& row = results.rows[i++];
    set_step_floor(row, point.preset, machine);
  }
  results.header = machine_info(request.target, machine, "tiny");
  return results;
}

std::string axis_of(const Row& row) {
  const size_t end = row.shape.find('=');
  return std::isfinite(row.x) && end != std::string::npos ? row.shape.substr(0, end) : "";
}

std::vector<Slope> slopes_of(const std::vector<Row>& rows) {
  std::vector<std::string> axes;
  for (const Row& row : rows) {
    const std::string axis = axis_of(row);
    if (!axis.empty() && std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  }
  std::vector<Slope> slopes;
  for (const std::string& axis : axes) {
    std::vector<std::pair<double, double>> expected, measured;
    for (const Row& row : rows) {
      if (axis_of(row) != axis || !row.ran()) continue;
      expected.emplace_back(row.x, row.floor_s / row.tokens);
      measured.emplace_back(row.x, row.median() / row.tokens);
    }
    if (measured.size() > 1) slopes.push_back({axis, slope(expected), slope(measured)});
  }
  return slopes;
}

}  // namespace xf::bench
