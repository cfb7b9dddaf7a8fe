#include "python/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace nb = nanobind;

namespace xf::python {

namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;
using nb::dlpack::dtype_code;

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::steal<nb::str>(PyType_GetQualName(Py_TYPE(object.ptr()))));
}

Array array_of(nb::handle object, const char* what) {
  Array array;
  if (!nb::try_cast(object, array))
    fail(ErrorKind::usage,
         "{}: expected an array in the CPU's memory, NumPy's or of a library that supports DLPack; got {}",
         what, name_of_type(object));
  if (array.ndim() > Shape::kMaxRank)
    fail(ErrorKind::usage, "{}: expected {} axes at most, got {}", what, Shape::kMaxRank, array.ndim());
  return array;
}

Shape shape_of(const Array& array) {
  std::vector<int64_t> extents;
  for (size_t i = 0; i < array.ndim(); ++i) extents.push_back(static_cast<int64_t>(array.shape(i)));
  return Shape::of(extents);
}

std::string element_name(nb::dlpack::dtype type) {
  const char* const kind = type.code == static_cast<uint8_t>(dtype_code::Float)    ? "float"
                           : type.code == static_cast<uint8_t>(dtype_code::Bfloat) ? "bfloat"
                           : type.code == static_cast<uint8_t>(dtype_code::Int)    ? "int"
                           : type.code == static_cast<uint8_t>(dtype_code::UInt)   ? "uint"
                           : type.code == static_cast<uint8_t>(dtype_code::Bool)   ? "bool"
                                                                                   : "other elements of ";
  return kind + std::to_string(type.bits);
}

bool is(const Array& array, dtype_code code, int bits) {
  const nb::dlpack::dtype type = array.dtype();
  return type.code == static_cast<uint8_t>(code) && type.bits == bits && type.lanes == 1;
}

Tensor sharing(const Array& array, DType dtype) {
  return Tensor(std::make_shared<Array>(array), const_cast<void*>(array.data()), shape_of(array), dtype,
                Device::cpu());
}

Tensor narrowed(const Array& array, const char* what) {
  const auto* from = static_cast<const int64_t*>(array.data());
  const Tensor narrow = Tensor::empty(shape_of(array), DType::i32);
  using Limits = std::numeric_limits<int32_t>;
  std::transform(from, from + array.size(), narrow.data<int32_t>(), [&](int64_t value) {
    if (value < Limits::min() || value > Limits::max())
      fail(ErrorKind::usage, "{}: {} does not fit into 32 bits", what, value);
    return static_cast<int32_t>(value);
  });
  return narrow;
}

nb::dlpack::dtype element_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return nb::dtype<float>();
    case DType::f64: return nb::dtype<double>();
    case DType::bf16: return {static_cast<uint8_t>(dtype_code::Bfloat), 16, 1};
    case DType::i32: return nb::dtype<int32_t>();
    case DType::i8: return nb::dtype<int8_t>();
  }
  return {};
}

}  // namespace

Tensor floats(nb::handle object, const char* what) {
  const Array array = array_of(object, what);
  if (is(array, dtype_code::Float, 32)) return sharing(array, DType::f32);
  if (is(array, dtype_code::Float, 64)) return sharing(array, DType::f64);
  if (is(array, dtype_code::Bfloat, 16)) return sharing(array, DType::bf16);
  fail(ErrorKind::usage, "{}: expected elements of float32, float64 or bfloat16, got {}", what,
       element_name(array.dtype()));
}

Tensor int32s(nb::handle object, const char* what) {
  const Array array = array_of(object, what);
  if (is(array, dtype_code::Int, 32)) return sharing(array, DType::i32);
  if (is(array, dtype_code::Int, 64)) return narrowed(array, what);
  fail(ErrorKind::usage, "{}: expected elements of int32 or int64, got {}", what,
       element_name(array.dtype()));
}

Tensor floats_or_none(nb::handle array, const char* what) {
  return array.is_none() ? Tensor() : floats(array, what);
}

Tensor int32s_or_none(nb::handle array, const char* what) {
  return array.is_none() ? Tensor() : int32s(array, what);
}

nb::object to_python(const Tensor& tensor) {
  if (!tensor.defined()) return nb::none();
  const nb::capsule owner(new Tensor(tensor), [](void* held) noexcept { delete static_cast<Tensor*>(held); });
  size_t extents[Shape::kMaxRank] = {};
  for (int i = 0; i < tensor.rank(); ++i) extents[i] = static_cast<size_t>(tensor.dim(i));
  const auto rank = static_cast<size_t>(tensor.rank());
  const nb::dlpack::dtype element = element_of(tensor.dtype());
  if (tensor.dtype() == DType::bf16)
    return nb::cast(nb::ndarray<nb::array_api>(tensor.raw(), rank, extents, owner, nullptr, element));
  return nb::cast(nb::ndarray<nb::numpy>(tensor.raw(), rank, extents, owner, nullptr, element));
}

}  // namespace xf::python
