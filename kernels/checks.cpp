#include "kernels/checks.h"

namespace xf::kernels {

void check_shape(const Tensor& tensor, Shape expected, const char* what) {
  XF_CHECK(tensor.shape() == expected, "{} must be {}, got {}", what, expected.to_string(),
           tensor.shape().to_string());
}

void check_dtype(const Tensor& tensor, DType expected, const char* what) {
  XF_CHECK(tensor.dtype() == expected, "{} must be {}, got {}", what, name_of(expected),
           name_of(tensor.dtype()));
}

void check_contiguous(const Tensor& tensor, const char* what) {
  XF_CHECK(tensor.contiguous(), "{} must be contiguous, got rows {} apart of width {}", what,
           tensor.row_stride(), tensor.width());
}

void check_same_device(const char* op, std::initializer_list<const Tensor*> tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    if (!first) first = tensor;
    XF_CHECK(tensor->device() == first->device(), "{}: all arguments must be on {}, got one on {}", op,
             name_of(first->device()), name_of(tensor->device()));
  }
}

void check_same_dtype(const char* op, std::initializer_list<const Tensor*> tensors) {
  const Tensor* first = nullptr;
  for (const Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    if (!first) first = tensor;
    XF_CHECK(tensor->dtype() == first->dtype(), "{}: all arguments must be {}, got one of {}", op,
             name_of(first->dtype()), name_of(tensor->dtype()));
  }
}

void check_accumulates(const char* op, DType dtype, std::initializer_list<const Tensor*> sums) {
  for (const Tensor* sum : sums) {
    if (!sum->defined()) continue;
    XF_CHECK(sum->dtype() == accumulator_of(dtype), "{}: sums over {} must be {}, got {}", op, name_of(dtype),
             name_of(accumulator_of(dtype)), name_of(sum->dtype()));
  }
}

}  // namespace xf::kernels
