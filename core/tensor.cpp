#include "core/tensor.h"

#include "core/memory.h"

namespace xf {

Tensor::Tensor(std::shared_ptr<void> owner, void* data, Shape shape, DType dtype, Device device)
    : owner_(std::move(owner)),
      data_(data),
      shape_(shape),
      row_stride_(shape.width()),
      dtype_(dtype),
      device_(device) {}

Tensor Tensor::empty(Shape shape, DType dtype, Device device) {
  auto owner = memory::allocate(device, shape.numel() * size_of(dtype));
  void* data = owner.get();
  return Tensor(std::move(owner), data, shape, dtype, device);
}

Tensor Tensor::zeros(Shape shape, DType dtype, Device device) {
  Tensor tensor = empty(shape, dtype, device);
  tensor.fill_zero();
  return tensor;
}

Tensor Tensor::reshape(Shape shape) const {
  XF_CHECK(contiguous(), "tensor: cannot reshape a view of columns");
  XF_CHECK(shape.numel() == numel(), "tensor: cannot reshape {} to {}", shape_.to_string(),
           shape.to_string());
  return Tensor(owner_, data_, shape, dtype_, device_);
}

Tensor Tensor::slice_rows(int64_t begin, int64_t end) const {
  const bool vector = rank() == 1;
  const int64_t n = vector ? numel() : rows();
  XF_CHECK(0 <= begin && begin <= end && end <= n, "tensor: rows {}..{} are outside of {}", begin, end,
           shape_.to_string());
  Tensor view = *this;
  const int64_t stride = vector ? 1 : row_stride_;
  view.data_ = static_cast<char*>(data_) + begin * stride * size_of(dtype_);
  view.shape_ = vector ? Shape{end - begin} : Shape{end - begin, width()};
  if (vector) view.row_stride_ = end - begin;
  return view;
}

Tensor Tensor::slice_columns(int64_t begin, int64_t end) const {
  XF_CHECK(rank() == 2, "tensor: columns of a matrix only, got {}", shape_.to_string());
  XF_CHECK(0 <= begin && begin <= end && end <= width(), "tensor: columns {}..{} are outside of {}", begin,
           end, shape_.to_string());
  Tensor view = *this;
  view.data_ = static_cast<char*>(data_) + begin * size_of(dtype_);
  view.shape_.set(-1, end - begin);
  return view;
}

void Tensor::fill_zero() const {
  XF_CHECK(contiguous(), "tensor: fill_zero needs a contiguous tensor");
  memory::zero(data_, device_, bytes());
}

void Tensor::copy_from(const Tensor& other) const {
  XF_CHECK(shape_ == other.shape_ && dtype_ == other.dtype_, "tensor: cannot copy {} {} into {} {}",
           name_of(other.dtype_), other.shape_.to_string(), name_of(dtype_), shape_.to_string());
  const int64_t element = size_of(dtype_);
  memory::copy({data_, row_stride_ * element, device_},
               {other.data_, other.row_stride_ * element, other.device_}, width() * element, rows());
}

Tensor Tensor::to_bf16() const {
  const std::vector<float> values = to_vector<float>();
  std::vector<bf16> rounded(values.size());
  for (size_t i = 0; i < values.size(); ++i) rounded[i] = bf16(values[i]);
  return from(rounded, shape_);
}

Tensor Tensor::to(Device device) const {
  if (device == device_) return *this;
  Tensor there = empty(shape_, dtype_, device);
  there.copy_from(*this);
  return there;
}

}  // namespace xf
