// Learning rate as a function of the update's number and of how validation went.
#pragma once

#include <cstdint>

namespace xf::nn {

enum class Decay {
  constant,
  inverse_sqrt,  // rate * sqrt(warmup / update): Vaswani et al. 2017, section 5.3, with the peak
                 // given
  cosine,        // half a cosine from the peak down to zero at `total`: Loshchilov, Hutter 2017,
                 // arXiv:1608.03983
  plateau,       // cut whenever validation has stopped gaining: PyTorch's ReduceLROnPlateau
};

// When a plateau cuts, and by how much. A score gains if it is better than the best by more than
// the share `threshold` of it; the validation that makes `patience` + 1 in a row without gain
// multiplies the rate by `factor`, and the count begins anew. A cut by less than 1e-8 is not made.
struct Plateau {
  double factor = 0.9;
  int64_t patience = 10;
  double threshold = 1e-4;
  int64_t start_epoch = 0;  // counted from 0: validations of earlier epochs do not count
};

// What a plateau remembers; saved with the training state.
struct PlateauState {
  int64_t validations = 0;  // that counted
  int64_t without_gain = 0;
  double best = 0;   // undefined before the first; NaN: none yet
  double scale = 1;  // of the rate: the product of the cuts
};

struct Schedule {
  double peak = 0;
  int64_t warmup = 0;  // updates of linear rise from 0 to the peak
  Decay decay = Decay::constant;
  int64_t total = 0;  // cosine: the update that gets rate 0
  Plateau plateau = {};

  // update counts from 1.
  double at(int64_t update, const PlateauState& state = {}) const;

  // The state after a validation of epoch `epoch`, from 0; the same one unless `decay` is plateau.
  PlateauState validated(PlateauState state, int64_t epoch, double score, bool higher_is_better) const;
};

// Vaswani et al. 2017, equation 3, times a factor: factor dim^-0.5 min(update^-0.5, update
// warmup^-1.5), the inverse square root with the peak factor (dim warmup)^-0.5.
Schedule noam(double factor, int64_t dim, int64_t warmup);

}  // namespace xf::nn
