#include "bench/catalogue.h"

#include <algorithm>
#include <regex>

#include "bench/ops/ops.h"
#include "tools/console/nearest_name.h"

namespace xf::bench {

std::vector<Case> catalogue(const Scope& scope) {
  std::vector<Case> all;
  for (const auto& rows : {matmul_rows,
                           linear_rows,
                           quantized_linear_rows,
                           activation_rows,
                           gated_activation_rows,
                           attention_rows,
                           rotary_rows,
                           softmax_rows,
                           layer_norm_rows,
                           residual_norm_rows,
                           rms_norm_rows,
                           dropout_rows,
                           embedding_rows,
                           cross_entropy_rows,
                           r_drop_rows,
                           adam_rows,
                           muon_rows,
                           sgd_rows,
                           elementwise_rows,
                           sort_rows,
                           top_k_rows}) {
    rows(scope, all);
  }
  return all;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names{kTrainStep};
  for (const Case& c : catalogue(scope_of("tiny", {Device::cpu(), DType::f32}))) {
    if (std::find(names.begin(), names.end(), c.fn) == names.end()) names.push_back(c.fn);
  }
  return names;
}

bool chosen(const std::string& pattern, const std::string& name) {
  if (pattern.empty()) return true;
  try {
    return std::regex_match(name, std::regex("(" + pattern + ")(_forward|_backward)?"));
  } catch (const std::regex_error&) {
    fail(ErrorKind::usage, "'{}' is not a regular expression", pattern);
  }
}

void check_pattern(const std::string& pattern, const std::vector<std::string>& names,
                   const std::string& option) {
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return chosen(pattern, name); }))
    return;
  std::vector<std::string> candidates = names;
  for (const std::string& name : names)
    candidates.push_back(std::regex_replace(name, std::regex("_(for|back)ward$"), ""));
  fail(ErrorKind::usage, "{}: nothing is called '{}'{} (--list shows all)", option, pattern,
       tools::did_you_mean(pattern, candidates));
}

}  // namespace xf::bench
