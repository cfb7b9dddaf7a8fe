// Arrays of Python to tensors and back. In: NumPy's, and of any library that speaks DLPack, torch
// say, on the CPU; read where they lie, unless rows have gaps, which are copied. Out: NumPy arrays;
// of bf16, which NumPy does not have, objects with __dlpack__. The tensors share the memory and
// hold on to it; to let go takes the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include "core/tensor.h"

namespace xf::python {

// `what`: "softmax: scores", for messages. Error usage for another type of elements, device or
// number of axes, and for what is no array; a single number is [1].
Tensor floats(nanobind::handle array, const char* what);  // f32, f64, bf16
Tensor int32s(nanobind::handle array, const char* what);  // i32, or i64 that fit, copied
// No tensor for None.
Tensor floats_or_none(nanobind::handle array, const char* what);
Tensor int32s_or_none(nanobind::handle array, const char* what);

// The array of a tensor without gaps; None for no tensor.
nanobind::object to_python(const Tensor& tensor);

}  // namespace xf::python
