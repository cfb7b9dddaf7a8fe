// A handle on a row-major array: pointer, shape, dtype, device, and a share in whatever owns the
// memory.
//
// Copying a Tensor copies the handle, never the elements; the memory goes back to its owner (heap
// or arena) with the last handle. A handle is constant when it always points to the same place: ops
// therefore take outputs as `Out` = const Tensor& and say "written" or "accumulated" in their
// contract.
//
// Layout: the last axis is contiguous, and the rows (all leading axes flattened) are `row_stride`
// elements apart. row_stride == width() unless the tensor is a view of some columns of a wider one:
// q, k and v inside a fused [T, 3D] projection are read in place.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/device.h"
#include "core/dtype.h"
#include "core/error.h"
#include "core/shape.h"

namespace xf {

class Tensor {
 public:
  Tensor() = default;  // no tensor: defined() is false
  Tensor(std::shared_ptr<void> owner, void* data, Shape shape, DType dtype, Device device);

  // Uninitialised, or zero, memory of its own (none at all on Device::meta()).
  static Tensor empty(Shape shape, DType dtype, Device device = Device::cpu());
  static Tensor zeros(Shape shape, DType dtype, Device device = Device::cpu());
  // A CPU copy of `values`, which must fill the shape.
  template <typename T>
  static Tensor from(const std::vector<T>& values, Shape shape);
  template <typename T>
  static Tensor from(const std::vector<T>& values) {
    return from(values, {static_cast<int64_t>(values.size())});
  }
  // Over memory of the caller's, which outlives the tensor and all views of it: `elements` are
  // row-major, without gaps. Of constant elements for what is only read: an op writes into its Out
  // arguments and nowhere else.
  template <typename T>
  static Tensor view(T* elements, Shape shape, Device device = Device::cpu());

  bool defined() const { return shape_.rank() > 0; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i]; }
  int64_t numel() const { return shape_.numel(); }
  int64_t rows() const { return shape_.rows(); }
  int64_t width() const { return shape_.width(); }
  int64_t row_stride() const { return row_stride_; }
  int64_t bytes() const { return numel() * size_of(dtype_); }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  bool contiguous() const { return row_stride_ == width() || rows() <= 1; }

  template <typename T>
  T* data() const {
    XF_CHECK(dtype_ == dtype_of<T>, "tensor: expected elements of {}, got {}", name_of(dtype_of<T>),
             name_of(dtype_));
    return static_cast<T*>(data_);
  }
  void* raw() const { return data_; }

  // Views of the same memory.
  Tensor reshape(Shape shape) const;  // contiguous tensors only
  Tensor slice_rows(int64_t begin,
                    int64_t end) const;  // of the flattened [N, D]; keeps rank 1 tensors rank 1
  Tensor slice_columns(int64_t begin, int64_t end) const;  // rank 2

  void fill_zero() const;  // contiguous tensors only
  // From any device to any other; same shape and dtype; rows may be strided.
  void copy_from(const Tensor& other) const;
  Tensor to(Device device) const;  // the tensor itself where it lies there already, else a copy
  // An f32 tensor's elements rounded to nearest even, on the CPU.
  Tensor to_bf16() const;
  template <typename T>
  std::vector<T> to_vector() const;  // rows may be strided

 private:
  std::shared_ptr<void> owner_;
  void* data_ = nullptr;
  Shape shape_;
  int64_t row_stride_ = 0;
  DType dtype_ = DType::f32;
  Device device_;
};

using Out = const Tensor&;

template <typename T>
Tensor Tensor::from(const std::vector<T>& values, Shape shape) {
  XF_CHECK(shape.numel() == static_cast<int64_t>(values.size()), "tensor: {} values do not fill shape {}",
           values.size(), shape.to_string());
  Tensor tensor = empty(shape, dtype_of<T>);
  if (!values.empty()) std::memcpy(tensor.raw(), values.data(), values.size() * sizeof(T));
  return tensor;
}

template <typename T>
Tensor Tensor::view(T* elements, Shape shape, Device device) {
  using Element = std::remove_const_t<T>;
  return Tensor(nullptr, const_cast<Element*>(elements), shape, dtype_of<Element>, device);
}

template <typename T>
std::vector<T> Tensor::to_vector() const {
  if (device_.type == DeviceType::cuda) return to(Device::cpu()).template to_vector<T>();
  const T* from = data<T>();
  std::vector<T> values(static_cast<size_t>(numel()));
  for (int64_t r = 0; r < rows() && width() > 0; ++r) {
    std::memcpy(values.data() + r * width(), from + r * row_stride_,
                static_cast<size_t>(width()) * sizeof(T));
  }
  return values;
}

// nullptr for an undefined (optional) tensor.
template <typename T>
T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

}  // namespace xf
