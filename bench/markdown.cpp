#include "bench/markdown.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "bench/output.h"

namespace xf::bench {

namespace {

std::string until(const std::string& text, char end) { return text.substr(0, text.find(end)); }

bool on_gpu(const Row& row) { return row.device.starts_with("cuda"); }

// Maker and series: "AMD EPYC" of "AMD EPYC 9R14", "Intel Xeon" of "INTEL(R) XEON(R) PLATINUM
// 8581C".
std::string series_of(const std::string& cpu) {
  std::istringstream words(std::regex_replace(cpu, std::regex(R"(\((R|TM)\)|-.*)"), ""));
  std::string maker, series;
  words >> maker >> series;
  if (maker == "INTEL") maker = "Intel";
  if (series == "XEON") series = "Xeon";
  return series.empty() ? maker : maker + " " + series;
}

std::string machine_of(const Results& run, const Row& row) {
  if (on_gpu(row)) return look_up(run.header, "gpu");
  const std::string isa = look_up(run.header, "isa");
  const char* const vectors = isa.find("avx512f") != std::string::npos ? ", AVX-512"
                              : isa.find("avx2") != std::string::npos  ? ", AVX2"
                                                                       : "";
  return fmt::format("{}{}, {} threads", series_of(look_up(run.header, "cpu")), vectors,
                     look_up(run.header, "threads"));
}

// Eight digits of the commit; + behind it where the program had other changes too.
std::string commit_of(const Results& run) {
  const std::string commit = look_up(run.header, "commit");
  const size_t digits = std::min(commit.size(), commit.find_first_not_of("0123456789abcdef"));
  return commit.substr(0, std::min<size_t>(digits, 8)) + (digits < commit.size() ? "+" : "");
}

const char* section_of(const Row& row) {
  if (on_gpu(row)) return "GPU";
  if (row.fn == "train_step" || row.fn == "train") return "Training step";
  return row.fn == "translate" ? "Translation" : "Kernels";
}

// "beam 5 batch 128" of "test_2016_flickr.en beam 5 batch 128".
std::string translation_of(const Row& row) { return row.shape.substr(row.shape.find(' ') + 1); }

std::string subject_of(const Row& row) {
  const std::string what = row.fn == "translate"    ? translation_of(row)
                           : row.fn == "train_step" ? row.shape
                                                    : row.fn + " " + row.shape;
  return what + ", " + row.dtype;
}

std::string command_of(const Results& run, const Row& row) {
  std::string command = "xformer-bench";
  if (on_gpu(row)) command += " --device cuda";
  if (row.fn == "translate") {
    command += " --end-to-end translate --model RUN --beam " + until(translation_of(row).substr(5), ' ');
  } else if (row.fn == "train") {
    command += " --end-to-end train";
  } else if (row.fn == "train_step") {
    command += " --fn train_step --preset " + until(row.shape, ' ');
  } else {
    command +=
        fmt::format(" --preset {} --fn {} --shape '{}'", look_up(run.header, "preset"), row.fn, row.shape);
  }
  if (row.dtype != "f32") command += " --dtype " + row.dtype;
  const std::string baseline = until(until(row.baseline, ','), ' ');
  if (baseline != "none" && baseline != "bare") command += " --baseline " + baseline;
  return command;
}

std::string peer_of(const Row& row) {
  return std::isfinite(row.baseline_s)
             ? fmt::format("{}, {}", readable(row.baseline_s), until(row.baseline, ','))
             : "–";
}

std::string ratio_of(const Row& row) {
  if (!std::isfinite(row.ratio())) return "–";
  const auto quartiles = row.ratio_quartiles();
  return quartiles ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", row.ratio(), quartiles->first, quartiles->second)
                   : fmt::format("{:.2f}", row.ratio());
}

std::string line_of(const Results& run, const Row& row) {
  const std::string share = std::isfinite(row.of_floor()) ? fmt::format("{:.0f}", 100 * row.of_floor()) : "–";
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | `{}` |\n", subject_of(row), machine_of(run, row),
                     commit_of(run), readable(row.median()), share, peer_of(row), ratio_of(row),
                     command_of(run, row));
}

}  // namespace

std::string to_markdown(std::vector<Results> runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const Results& a, const Results& b) {
    return look_up(a.header, "date") < look_up(b.header, "date");
  });
  std::map<std::string, std::string> newest;  // line by what it is about
  std::map<std::string, std::vector<std::string>> sections;
  for (const Results& run : runs) {
    for (const Row& row : run.rows) {
      if (!row.ran()) continue;
      const std::string about =
          fmt::format("{} {} {}", machine_of(run, row), row.key(), until(until(row.baseline, ','), ' '));
      auto& order = sections[section_of(row)];
      order.erase(std::remove(order.begin(), order.end(), about), order.end());
      order.push_back(about);
      newest[about] = line_of(run, row);
    }
  }
  std::string text;
  for (const char* const section : {"Training step", "Translation", "Kernels", "GPU"}) {
    if (sections[section].empty()) continue;
    text += fmt::format("{}## {}\n\n", text.empty() ? "" : "\n", section);
    text += "| what | machine | commit | ours | % of roofline | peer | ratio [quartiles] | command |\n";
    text += "|---|---|---|--:|--:|---|---|---|\n";
    for (const std::string& about : sections[section]) text += newest.at(about);
  }
  return text;
}

}  // namespace xf::bench
