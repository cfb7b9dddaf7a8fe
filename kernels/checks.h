// Checks that ops share; each throws xf::Error naming op and argument: "layer_norm: gamma must be [512], got
// [256]".
#pragma once

#include <initializer_list>

#include "core/tensor.h"
#include "kernels/signature.h"

namespace xf::kernels {

// {"H", heads}
struct KnownSize {
  std::string_view name;
  int64_t value;
};

// `tensors` are what the op's line in kernels/signature.h says, in its order: shapes, types, rows without gaps, and
// one device for all. nullptr: this overload has no such argument. `known`: sizes that no tensor has to itself.
void check_arguments(const Signature& signature, std::initializer_list<const Tensor*> tensors,
                     std::initializer_list<KnownSize> known = {});

// nullptr for an undefined (optional) tensor.
template <typename T>
T* data_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

}  // namespace xf::kernels
