// The mean of several saves of one model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/checkpoint/checkpoint.h"

namespace xf::nn {

class Average {
 public:
  // One more save, `where` it lies for messages. Error data if its tensors have other names or
  // shapes than those of the save before it.
  void add(Checkpoint save, const std::string& where);
  bool empty() const { return updates_.empty(); }

  // The f32 of the f64 mean of what was added, summed in that order. Everything else is the last
  // one's, but for the state: "averaged", a list of their updates.
  Checkpoint mean() const;

 private:
  Checkpoint last_;
  std::vector<int64_t> updates_;
  std::map<std::string, std::vector<double>> sums_;
};

}  // namespace xf::nn
