// A fixed sequence of device work, recorded once and replayed: a CUDA graph, whose thousands of
// small kernels cost the host one call. On the CPU the work simply runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device.h"

namespace xf {

class Graph {
 public:
  // Whether work on the device is replayed, so that fixed shapes and addresses pay.
  static bool replays(Device device) { return device.type == DeviceType::cuda; }

  // `work` queues the same kernels on the same addresses each time, and neither copies from or to
  // the host nor waits. The first time it runs as it is: scratch memory grows, matrix products
  // choose their algorithms. The second time it is recorded; from then on the recording is replayed
  // and `work` is not called.
  void run(Device device, const std::function<void()>& work);

  // What a replay launches: kernels by their names, "copy", "fill"; empty where nothing was
  // recorded.
  std::vector<std::string> launches() const;

 private:
  bool warm_ = false;
  std::shared_ptr<void> recording_;
};

}  // namespace xf
