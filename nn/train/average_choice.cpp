#include "nn/train/average_choice.h"

#include <cmath>

#include "core/error.h"

namespace xf::nn {
namespace {

bool is_better(double score, double than, bool higher_is_better) {
  if (std::isnan(score) || std::isnan(than)) return !std::isnan(score) && std::isnan(than);
  return higher_is_better ? score > than : score < than;
}

}  // namespace

AverageChoice choose_average(int64_t saves, std::optional<double> best_save, bool higher_is_better,
                             const std::function<double(int64_t saves)>& measure) {
  XF_CHECK(saves > 0, "choose_average: no checkpoint");
  AverageChoice choice{.saves = saves, .tried = {{saves, measure(saves)}}};
  double score = choice.tried.front().score;
  for (int64_t fewer = saves; fewer > 1;) {
    fewer = (fewer + 1) / 2;
    choice.tried.push_back({fewer, measure(fewer)});
    if (!is_better(choice.tried.back().score, score, higher_is_better)) break;
    choice.saves = fewer;
    score = choice.tried.back().score;
  }
  if (best_save && is_better(*best_save, score, higher_is_better)) choice.saves = 0;
  return choice;
}

}  // namespace xf::nn
