#include "tools/config/removed_options.h"

#include <algorithm>
#include <array>

namespace xf::tools {

namespace {

constexpr std::string_view kMinimumRisk =
    "minimum-risk training was removed, since it did not improve translations";

// Of xformer-train.
constexpr auto kRemoved = std::to_array<RemovedOption>({{"minimum-risk", "minimum-risk", kMinimumRisk},
                                                        {"minimum-risk-after", "minimum-risk", kMinimumRisk},
                                                        {"minimum-risk-rate", "minimum-risk", kMinimumRisk}});

}  // namespace

const RemovedOption* find_removed(Program program, std::string_view name) {
  if (program != Program::train) return nullptr;
  const auto* const found = std::ranges::find(kRemoved, name, &RemovedOption::name);
  return found == kRemoved.end() ? nullptr : found;
}

}  // namespace xf::tools
