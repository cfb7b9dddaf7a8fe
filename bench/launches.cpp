#include "bench/launches.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "bench/model_sizes.h"
#include "bench/train_step.h"
#include "core/graph.h"

namespace xf::bench {

std::string table_of_launches(const std::vector<std::string>& names) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  std::vector<std::pair<std::string, int>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : rows) text += fmt::format("{:6}  {}\n", count, name);
  return text + fmt::format("{:6}  launches in a step\n", names.size());
}

std::string count_launches(const Request& request) {
  if (!Graph::replays(request.target.device))
    fail(ErrorKind::usage, "--count-launches: the {} launches nothing; give --device cuda",
         name_of(request.target.device));
  const Scope scope = scope_of(request.preset, request.target);
  if (scope.odd() || is_language_model(request.preset))
    fail(ErrorKind::usage, "--count-launches: --preset {} has no step; take tiny or base", request.preset);
  TrainStep step(scope.model, request.target);
  step.run();
  step.run();  // recorded, and replayed
  return fmt::format("train_step {}, {}\n", step_shape(scope.model), name_of(request.target.dtype)) +
         table_of_launches(step.launches());
}

}  // namespace xf::bench
