// Two lines of work on one device. What is queued runs in order, but for what is queued beside(): that may run at the same
// time as what follows, until join(). For work whose results nobody reads soon, as the gradients of weights in a backward
// pass: the pass goes on to the layer below from the gradient of the input alone.
#pragma once

#include <functional>
#include <vector>

#include "core/tensor.h"

namespace xf {

// Queues what `work` queues, behind all that was queued before. It reads `reads`, which nobody writes to and which keep their
// memory until the next call or join(), and it writes what nobody else reads or writes before then. One such work at a
// time: the next one, and all that is queued behind it, waits for this one. On the CPU it is done on return.
void beside(Device device, std::vector<Tensor> reads, const std::function<void()>& work);

// What is queued from now on comes behind all work beside.
void join(Device device) noexcept;

}  // namespace xf
