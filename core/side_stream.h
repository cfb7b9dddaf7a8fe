// Two lines of work on one device. What is queued runs in order, but for run_on_side_stream(): its
// work may run at the same time as what follows, until join_side_stream(). For work whose results
// nobody reads soon, as the gradients of weights in a backward pass: the pass goes on to the layer
// below from the gradient of the input alone.
#pragma once

#include <functional>
#include <vector>

#include "core/tensor.h"

namespace xf {

// Queues what `work` queues, behind all that was queued before. It reads `reads`, which nobody
// writes to and which keep their memory until the next call or join_side_stream(), and it writes
// what nobody else reads or writes before then. One such work at a time: the next one, and all that
// is queued behind it, waits for this one. On the CPU it is done on return.
void run_on_side_stream(Device device, std::vector<Tensor> reads, const std::function<void()>& work);

// What is queued from now on comes behind the side stream's work.
void join_side_stream(Device device) noexcept;

}  // namespace xf
