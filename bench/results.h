// A run's results: as JSON, in files by label, and back.
#pragma once

#include <string>
#include <vector>

#include "bench/machine_info.h"
#include "bench/row.h"

namespace xf::bench {

struct Results {
  std::string label;  // "" for a run that was not stored
  MachineInfo header;
  std::vector<Row> rows;

  double ceiling(const std::string& name) const;  // a number of the header: copy_gbs, gemm_gflops
};

// What members mean (docs/performance/method.md); a new one does not change it. 1: documents that
// do not say.
constexpr int kSchemaVersion = 2;
// One document: {"schema_version", "label", "header": {...}, "rows": [{fn, shape, dtype, device,
// median_s, p10_s, p90_s, n, bytes, flops, floor_s, pct_floor, baseline, baseline_s, ratio, ...}]}.
// What is unknown is null.
std::string to_json(const Results& results);
// Error data, with the name, for text that is not such a document, or one of a later version.
Results from_json(const std::string& text, const std::string& name);

// bench/results/LABEL.json; what ends in .json is a path already.
std::string result_path(const std::string& label);
// store_part() is for a run under way: LABEL.part.json beside it, which store() removes.
void store(const Results& results);
void store_part(const Results& results);
// Error where store() would fail: a folder or file that cannot be written, a path that is a folder.
void check_storable(const std::string& label);
// The samples of both together, row by row; ceilings and floors are the better of the two. A ratio
// stays what it was in its own run, of the newer one where both have a baseline; or where it is the
// same one, their geometric mean, weighted with the samples. So the baseline's time is what the
// ratio makes of the median. What whole runs differ by (pages, neighbours) is then part of each
// row's spread. "pooled_with" of the header has dates, commits and commands of the older ones.
// Error usage for another device, type, processor or number of threads.
Results pooled(const Results& older, const Results& newer);
Results load(const std::string& label_or_path);

}  // namespace xf::bench
