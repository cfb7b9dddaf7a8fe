// Sums and copies of tensors: by messages where they lie in the host's memory, by the devices
// themselves where they lie there.
#include "core/dist/collective.h"
#if XF_CUDA
#include "core/cuda.h"
#endif

namespace xf {

namespace {

template <typename T>
std::span<T> elements(const Tensor& values) {
  return {static_cast<T*>(values.raw()), static_cast<size_t>(values.bytes()) / sizeof(T)};
}

bool lies_on_host(const Tensor& values) { return values.device() == Device::cpu(); }

}  // namespace

void Collective::sum(const Tensor& values) {
  if (size_ == 1) return;
  if (!lies_on_host(values)) return device_link().sum(values);
  values.dtype() == DType::f64 ? sum(elements<double>(values)) : sum(elements<float>(values));
}

void Collective::reduce_scatter(const Tensor& values) {
  if (size_ == 1) return;
  if (!lies_on_host(values)) return device_link().reduce_scatter(values);
  values.dtype() == DType::f64 ? reduce_scatter(elements<double>(values))
                               : reduce_scatter(elements<float>(values));
}

void Collective::all_gather(const Tensor& values) {
  if (size_ == 1) return;
  if (!lies_on_host(values)) return device_link().all_gather(values);
  switch (size_of(values.dtype())) {
    case 2: return all_gather(elements<uint16_t>(values));
    case 4: return all_gather(elements<float>(values));
    default: return all_gather(elements<double>(values));
  }
}

void Collective::broadcast(const Tensor& values) {
  if (size_ == 1) return;
  const Tensor on_host = values.to(Device::cpu());
  broadcast(elements<std::byte>(on_host));
  if (!lies_on_host(values)) values.copy_from(on_host);
}

DeviceLink& Collective::device_link() {
  XF_CHECK(device_ && !broken_, "collective: init_device() was not called, or a rank is lost");
  return *device_;
}

void Collective::init_device([[maybe_unused]] Device device) {
#if XF_CUDA
  if (size_ == 1 || device.type != DeviceType::cuda || device_) return;
  device_ = open_nccl(*this, device);
  cuda::look_while_waiting([this](double waited) { look_after_device(waited); });
#endif
}

int cuda_device_count() {
#if XF_CUDA
  return cuda::device_count();
#else
  return 0;
#endif
}

void Collective::part_from_device() {
#if XF_CUDA
  if (device_) cuda::look_while_waiting({});
#endif
  device_.reset();
}

}  // namespace xf
