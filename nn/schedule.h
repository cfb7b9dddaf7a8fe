// Learning rate as a function of the update's number.
#pragma once

#include <cstdint>

namespace xf::nn {

enum class Decay {
  constant,
  inverse_sqrt,  // rate * sqrt(warmup / update): Vaswani et al. 2017, section 5.3, with the peak given
  cosine,  // half a cosine from the peak down to zero at `total`: Loshchilov, Hutter 2017, arXiv:1608.03983
};

struct Schedule {
  double peak = 0;
  int64_t warmup = 0;  // updates of linear rise from 0 to the peak
  Decay decay = Decay::constant;
  int64_t total = 0;  // cosine: the update that gets rate 0

  // update counts from 1.
  double at(int64_t update) const;
};

}  // namespace xf::nn
