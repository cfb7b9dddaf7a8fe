// What a training method changes of an update: the loss, and with it how often each batch is read.
// The trainer, its graph batches, the memory plan and the progress ask this, and know no method by
// name. A method is a function that makes one (nn/train/r_drop.h).
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/cross_entropy.h"

namespace xf::nn {

struct TrainingMethod {
  std::shared_ptr<const kernels::RepeatedLoss> loss;  // null: cross-entropy, and each batch is read
                                                      // once
  int64_t begins_after = 0;                           // updates of cross-entropy

  // How often each batch is read when the method has begun, each time with other dropout. Tokens
  // and losses are counted once.
  int64_t readings() const { return loss ? loss->readings() : 1; }
  bool has_begun(int64_t update) const { return loss && update > begins_after; }
  const kernels::RepeatedLoss* loss_at(int64_t update) const {
    return has_begun(update) ? loss.get() : nullptr;
  }
  int64_t readings_at(int64_t update) const { return has_begun(update) ? loss->readings() : 1; }
};

}  // namespace xf::nn
