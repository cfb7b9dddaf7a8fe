// Memory that no 16-byte load fits.
#pragma once

#include "core/tensor.h"

namespace xf::tests {

// A copy without gaps between its rows that begins at the second element of its memory.
inline Tensor odd_view(const Tensor& tensor) {
  const int64_t n = tensor.numel();
  const Tensor memory = Tensor::zeros({n + 1}, tensor.dtype(), tensor.device());
  const Tensor view = memory.slice_rows(1, n + 1).reshape(tensor.shape());
  view.copy_from(tensor);
  return view;
}

}  // namespace xf::tests
