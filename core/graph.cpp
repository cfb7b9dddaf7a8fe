#include "core/graph.h"

#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

void Graph::run(Device device, const std::function<void()>& work) {
  if (!replays(device) || !warm_) {
    work();
    warm_ = true;
    return;
  }
#if XF_CUDA
  if (!recording_) recording_ = cuda::record(work);
  cuda::replay(recording_.get());
#endif
}

std::vector<std::string> Graph::launches() const {
#if XF_CUDA
  if (recording_) return cuda::launches(recording_.get());
#endif
  return {};
}

}  // namespace xf
