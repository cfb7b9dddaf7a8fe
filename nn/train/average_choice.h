// Which saves the model of a run is the mean of. Saves that are far apart, as those of a short run
// are, have a mean that is worse than the last of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace xf::nn {

struct AverageChoice {
  struct Tried {
    int64_t saves = 0;  // the last ones
    double score = 0;
  };
  int64_t saves = 0;         // 0: the best save alone
  std::vector<Tried> tried;  // in this order
};

// Tries the last `saves` (at least 1) of a run, half of them, half of these and so on, as long as
// fewer are better, and takes the best save alone where that has a better score than all of these;
// of equal scores the mean of more. `measure`: the score of the mean of the last so many. NaN is no
// score.
AverageChoice choose_average(int64_t saves, std::optional<double> best_save, bool higher_is_better,
                             const std::function<double(int64_t saves)>& measure);

}  // namespace xf::nn
