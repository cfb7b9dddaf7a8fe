#include "bench/results.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/repository.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_writer.h"
#include "core/json_depth.h"

namespace xf::bench {

namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kMostStored = 200;  // samples of a row; more are thinned to as many quantiles

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_or_unknown(const Json& json) { return json.is_number() ? json.get<double>() : kUnknown; }

Json samples_of(const Samples& samples) {
  if (samples.seconds.size() <= kMostStored) return samples.seconds;
  Json thinned = Json::array();
  for (size_t i = 0; i < kMostStored; ++i) {
    thinned.push_back(samples.quantile((static_cast<double>(i) + 0.5) / static_cast<double>(kMostStored)));
  }
  return thinned;
}

Json json_of(const std::vector<Tried>& settings) {
  Json list = Json::array();
  for (const Tried& tried : settings) {
    Json& json = list.emplace_back(
        Json{{"setting", tried.setting}, {"on", tried.on}, {"seconds", number(tried.seconds)}});
    if (!tried.why_not.empty()) json["why_not"] = tried.why_not;
  }
  return list;
}

Tuning tuning_from(const Json& row) {
  Tuning tuning{row.value("peer", ""), row.value("peer_why", ""), {}};
  for (const Json& json : row.value("peer_settings", Json::array())) {
    tuning.tried.push_back({json.at("setting"), json.at("on"), number_or_unknown(json.at("seconds")),
                            json.value("why_not", "")});
  }
  return tuning;
}

Json to_json(const Row& row, const Results& results) {
  const double median = row.median();
  Json json = {{"fn", row.fn},
               {"shape", row.shape},
               {"dtype", row.dtype},
               {"device", row.device},
               {"median_s", number(median)},
               {"p10_s", number(row.quantile(0.1))},
               {"p90_s", number(row.quantile(0.9))},
               {"n", row.samples.seconds.size()},
               {"bytes", row.bytes},
               {"flops", row.flops},
               {"floor_s", number(row.floor_s)},
               {"pct_floor", number(100 * row.of_floor())},
               {"baseline", row.baseline},
               {"baseline_s", number(row.baseline_s)},
               {"ratio", number(row.ratio())},
               {"disturbed", row.samples.disturbed},
               {"gbs", number(1e-9 * row.bytes_per_second())},
               {"pct_copy", number(1e-7 * row.bytes_per_second() / results.ceiling("copy_gbs"))},
               {"tflops", number(1e-12 * row.flops_per_second())},
               {"pct_gemm", number(1e-7 * row.flops_per_second() / results.ceiling("gemm_gflops"))}};
  if (row.tokens > 0) json["tokens"] = row.tokens, json["tokens_per_s"] = number(row.tokens / median);
  if (row.peak_bytes > 0) json["peak_mb"] = row.peak_bytes / (1 << 20);
  if (std::isfinite(row.x)) json["x"] = row.x;
  for (const auto& [name, size] : row.extents) json["sizes"][name] = size;
  if (std::isfinite(row.error)) json["error"] = row.error, json["error_allowed"] = row.allowed;
  for (const Part& part : row.parts) json["floor_parts_s"][part.name] = part.seconds;
  if (!row.tuning.tried.empty()) {
    json["peer"] = row.tuning.chosen;
    json["peer_why"] = row.tuning.why;
    json["peer_settings"] = json_of(row.tuning.tried);
  }
  if (!row.note.empty()) json["note"] = row.note;
  json["samples_s"] = samples_of(row.samples);
  return json;
}

Row row_from(const Json& json) {
  Row row;
  row.fn = json.at("fn");
  row.shape = json.at("shape");
  row.dtype = json.at("dtype");
  row.device = json.at("device");
  row.samples = {json.at("samples_s").get<std::vector<double>>(), json.value("disturbed", 0)};
  row.bytes = json.at("bytes");
  row.flops = json.at("flops");
  row.floor_s = number_or_unknown(json.at("floor_s"));
  row.baseline = json.at("baseline");
  row.baseline_s = number_or_unknown(json.at("baseline_s"));
  row.tuning = tuning_from(json);
  row.note = json.value("note", "");
  row.tokens = json.value("tokens", 0.0);
  row.peak_bytes = json.value("peak_mb", 0.0) * (1 << 20);
  row.x = json.value("x", kUnknown);
  row.error = json.value("error", kUnknown);
  row.allowed = json.value("error_allowed", kUnknown);
  if (json.contains("sizes")) {
    for (const auto& [name, size] : json["sizes"].items()) row.extents.emplace_back(name, size);
  }
  if (json.contains("floor_parts_s")) {
    for (const auto& [name, seconds] : json["floor_parts_s"].items()) row.parts.push_back({name, seconds});
  }
  return row;
}

}  // namespace

double Results::ceiling(const std::string& name) const {
  const std::string value = look_up(header, name);
  return value.empty() ? kUnknown : std::stod(value);
}

std::string to_json(const Results& results) {
  Json header = Json::object();
  for (const auto& [name, value] : results.header) header[name] = value;
  header["copy_gbs"] = number(results.ceiling("copy_gbs"));
  header["gemm_gflops"] = number(results.ceiling("gemm_gflops"));
  Json rows = Json::array();
  for (const Row& row : results.rows) rows.push_back(to_json(row, results));
  const Json document = {
      {"schema_version", kSchemaVersion}, {"label", results.label}, {"header", header}, {"rows", rows}};
  return document.dump(1) + "\n";
}

Results from_json(const std::string& text, const std::string& name) {
  if (is_too_deep_json(text))
    fail(ErrorKind::data, "{}: not the results of a benchmark (nested too deep)", name);
  try {
    const Json document = Json::parse(text);
    const int version = document.value("schema_version", 1);
    if (version > kSchemaVersion)
      fail(ErrorKind::data, "{}: of a later xformer-bench: its schema is {}, this one knows up to {}", name,
           version, kSchemaVersion);
    Results results{document.value("label", ""), {}, {}};
    for (const auto& [key, value] : document.at("header").items()) {
      if (value.is_null()) continue;  // unknown
      results.header.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    for (const char* const ceiling : {"copy_gbs", "gemm_gflops"})
      results.ceiling(ceiling);  // a number, or it throws
    for (const Json& row : document.at("rows")) results.rows.push_back(row_from(row));
    return results;
  } catch (const Json::exception& error) {
    fail(ErrorKind::data, "{}: not the results of a benchmark ({})", name, error.what());
  } catch (const std::logic_error&) {  // of std::stod
    fail(ErrorKind::data, "{}: not the results of a benchmark (a ceiling in its header is no number)", name);
  }
}

std::string result_path(const std::string& label) {
  if (label.ends_with(".json")) return label;
  const std::string path = repository_path("bench/results/" + label + ".json");
  if (path.empty()) {
    fail(ErrorKind::usage,
         "'{}': this program lies in no repository with bench/results; take a path that ends in .json",
         label);
  }
  return path;
}

namespace {

std::string part_path(const std::string& label) {
  return std::filesystem::path(result_path(label)).replace_extension(".part.json").string();
}

void make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    fail(ErrorKind::resources, "--label: cannot make the folder {}: {}", folder.string(), error.message());
}

void write(const std::string& path, const Results& results) {
  make_folder_of(path);
  atomic_write(path, to_json(results));
}

}  // namespace

void store(const Results& results) {
  write(result_path(results.label), results);
  std::filesystem::remove(part_path(results.label));
}

void store_part(const Results& results) { write(part_path(results.label), results); }

void check_storable(const std::string& label) {
  const std::string path = result_path(label);
  if (std::filesystem::is_directory(path)) fail(ErrorKind::usage, "--label: {} is a folder", path);
  make_folder_of(path);
  const FileWriter tried(path);  // goes without commit()
}

namespace {

// Each ratio compares what was measured within one run.
double pooled_ratio(const Row& older, const Row& newer) {
  const double before = older.ratio(), after = newer.ratio();
  if (!std::isfinite(after)) return before;
  if (!std::isfinite(before) || older.baseline != newer.baseline) return after;
  const auto a = static_cast<double>(older.samples.seconds.size()),
             b = static_cast<double>(newer.samples.seconds.size());
  return std::exp((a * std::log(before) + b * std::log(after)) / (a + b));
}

// Where the samples of older runs come from.
void add_origin(const MachineInfo& older, MachineInfo& header) {
  std::string origin = look_up(older, "pooled_with");
  if (!origin.empty()) origin += "; ";
  origin +=
      fmt::format("{} {} {}", look_up(older, "date"), look_up(older, "commit"), look_up(older, "command"));
  header.emplace_back("pooled_with", origin);
}

}  // namespace

Results pooled(const Results& older, const Results& newer) {
  for (const char* const name : {"device", "dtype", "cpu", "threads"}) {
    const std::string before = look_up(older.header, name), after = look_up(newer.header, name);
    if (before == after) continue;
    fail(ErrorKind::usage, "--add: '{}' has {} {}, this run {}; choose another label", older.label, name,
         before, after);
  }
  Results all = newer;
  for (auto& [name, value] : all.header) {
    if (name != "copy_gbs" && name != "gemm_gflops") continue;
    if (older.ceiling(name) > newer.ceiling(name)) value = look_up(older.header, name);
  }
  add_origin(older.header, all.header);
  for (const Row& row : older.rows) {
    const auto same =
        std::find_if(all.rows.begin(), all.rows.end(), [&](const Row& r) { return r.key() == row.key(); });
    if (same == all.rows.end()) {
      all.rows.push_back(row);
      continue;
    }
    const double ratio = pooled_ratio(row, *same);
    if (!std::isfinite(same->ratio()) && std::isfinite(row.ratio())) {
      same->baseline = row.baseline;
      same->tuning = row.tuning;
      if (!row.note.empty()) same->add_note(row.note);
    }
    same->samples.add(row.samples);
    same->floor_s = std::min(same->floor_s, row.floor_s);
    if (std::isfinite(ratio)) same->baseline_s = ratio * same->median();
  }
  return all;
}

Results load(const std::string& label_or_path) {
  const std::string path = result_path(label_or_path);
  Results results = from_json(read_file(path), path);
  if (results.label.empty()) results.label = std::filesystem::path(path).stem().string();
  return results;
}

}  // namespace xf::bench
