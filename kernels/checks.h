// Checks that ops share; each throws xf::Error naming op and argument: "layer_norm: gamma must be [512], got
// [256]".
#pragma once

#include <initializer_list>

#include "core/tensor.h"

namespace xf::kernels {

void check_shape(const Tensor& tensor, Shape expected, const char* what);
void check_dtype(const Tensor& tensor, DType expected, const char* what);
// Rows without gaps.
void check_contiguous(const Tensor& tensor, const char* what);
// All on one device; undefined tensors are passed over.
void check_same_device(const char* op, std::initializer_list<const Tensor*> tensors);
// All of one dtype; undefined tensors are passed over.
void check_same_dtype(const char* op, std::initializer_list<const Tensor*> tensors);

// Sums over an op's elements of `dtype` are kept in accumulator_of(dtype); undefined tensors are passed over.
void check_accumulates(const char* op, DType dtype, std::initializer_list<const Tensor*> sums);

// nullptr for an undefined (optional) tensor.
template <typename T>
T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

}  // namespace xf::kernels
