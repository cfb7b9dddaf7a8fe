// Element types. f32 computes; f64 exists on the CPU for gradient checks; bf16 is storage with f32
// arithmetic; i32 holds ids, positions, offsets and masks; i8 the rounded weights of models in
// eight bits.
#pragma once

#include <bit>
#include <cstdint>

#include "core/device.h"

namespace xf {

enum class DType : uint8_t { f32, f64, bf16, i32, i8 };

// The upper half of an f32, rounded to nearest even.
struct bf16 {
  uint16_t bits;  // not initialised: shared memory of a kernel holds trivial types only

  bf16() = default;
  XF_HOST_DEVICE explicit bf16(float value) : bits(rounded_bits(value)) {}
  XF_HOST_DEVICE static uint16_t rounded_bits(float value) {
    const auto u = std::bit_cast<uint32_t>(value);
    // NaN would wrap, or become infinity.
    const uint32_t rounded = value != value ? u | 0x400000u : u + 0x7fffu + ((u >> 16) & 1u);
    return static_cast<uint16_t>(rounded >> 16);
  }
  XF_HOST_DEVICE explicit operator float() const {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

constexpr int64_t size_of(DType type) {
  switch (type) {
    case DType::f64: return 8;
    case DType::bf16: return 2;
    case DType::i8: return 1;
    default: return 4;
  }
}

constexpr const char* name_of(DType type) {
  switch (type) {
    case DType::f32: return "f32";
    case DType::f64: return "f64";
    case DType::bf16: return "bf16";
    case DType::i8: return "i8";
    default: return "i32";
  }
}

template <typename T>
struct dtype_of_type;
template <>
struct dtype_of_type<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct dtype_of_type<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct dtype_of_type<bf16> {
  static constexpr DType value = DType::bf16;
};
template <>
struct dtype_of_type<int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct dtype_of_type<int8_t> {
  static constexpr DType value = DType::i8;
};
template <typename T>
inline constexpr DType dtype_of = dtype_of_type<T>::value;

// What a sum of T is kept in: statistics, losses, scales.
template <typename T>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <typename T>
using Acc = typename AccumulatorOf<T>::type;

// The dtype of Acc<T>.
constexpr DType accumulator_of(DType type) { return type == DType::f64 ? DType::f64 : DType::f32; }

}  // namespace xf
