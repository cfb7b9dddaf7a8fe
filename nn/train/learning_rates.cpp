#include "nn/train/learning_rates.h"

#include <algorithm>
#include <regex>

#include "core/error.h"

namespace xf::nn {

namespace {

std::regex expression_of(const RateRule& rule) {
  try {
    return std::regex(rule.pattern);
  } catch (const std::regex_error&) {
    fail(ErrorKind::usage, "{}: '{}' is not a regular expression; give one such as '^encoder\\.'",
         rule.option, rule.pattern);
  }
}

// What there is to match, without repeating each layer: "encoder.layers.0.norm.bias" for all
// layers.
std::string names_of(const ParameterStore& store) {
  const std::regex layer("layers\\.[1-9][0-9]*\\.");
  std::string names;
  for (const Parameter& parameter : store.parameters()) {
    if (!std::regex_search(parameter.name, layer)) names += (names.empty() ? "" : ", ") + parameter.name;
  }
  return names;
}

}  // namespace

void set_rates(ParameterStore& store, const std::vector<RateRule>& rules) {
  std::vector<bool> has_rate(store.parameters().size(), false);
  for (const RateRule& rule : rules) {
    const std::regex expression = expression_of(rule);
    int64_t matches = 0, first = 0;
    size_t i = 0;
    for (const Parameter& parameter : store.parameters()) {
      const size_t place = i++;
      if (!std::regex_search(parameter.name, expression)) continue;
      ++matches;
      if (has_rate[place]) continue;
      ++first;
      has_rate[place] = true;
      store.set_rate(parameter, rule.rate);
    }
    if (matches == 0)
      fail(ErrorKind::usage,
           "{}: '{}' matches no parameter; there are {}, and as many for each further layer", rule.option,
           rule.pattern, names_of(store));
    if (first == 0)
      fail(ErrorKind::usage,
           "{}: every parameter that '{}' matches has its rate from an earlier option; leave it out",
           rule.option, rule.pattern);
  }
  if (std::ranges::none_of(store.parameters(), [](const Parameter& p) { return p.rate > 0; }))
    fail(ErrorKind::usage, "{}: every parameter is frozen, so that nothing would learn; freeze fewer",
         rules.back().option);
}

}  // namespace xf::nn
