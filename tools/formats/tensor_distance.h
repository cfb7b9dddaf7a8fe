// How far two stored tensors are apart, of any type that safetensors has
// (nn/checkpoint/safetensors.h).
#pragma once

#include <string_view>

namespace xf::tools {

struct TensorDistance {
  double largest = 0;   // absolute difference of an element; of complex numbers, the modulus of
                        // theirs
  double relative = 0;  // |a - b| / |a|; 0 where they are the same, infinite where only a is 0
};

// Of elements of one type, named as the format names it, and as many in `a` as in `b`: their bytes,
// little-endian and packed, those of less than a byte from the lowest bit on. A NaN is the same as
// a NaN, and as no number: `largest` is NaN then. Whole numbers are compared exactly. Error data
// for a type that is none of the format's.
TensorDistance tensor_distance(std::string_view dtype, std::string_view a, std::string_view b);

}  // namespace xf::tools
