// A length of training with its unit.
#pragma once

#include <cstdint>

namespace xf::nn {

struct TrainingLength {
  enum class Unit : char {
    epochs = 'e',
    updates = 'u',
    tokens = 't',  // target tokens, </s> included
    hours = 'h',
    minutes = 'm',
  };

  double value = 0;
  Unit unit = Unit::updates;
  bool operator==(const TrainingLength&) const = default;

  bool is_time() const { return unit == Unit::hours || unit == Unit::minutes; }
};

}  // namespace xf::nn
