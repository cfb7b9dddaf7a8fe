// What each op takes, in one table: the names of its arguments, their shapes, their elements and
// their use. A line is
//     "x [N, D] strided, id rows [M], bias [D] optional -> y [M, D], sum dgamma [D] accumulated"
// It names the arguments in the order of the function. An argument is a type, a name, a shape and
// flags:
//   type   of its elements. None: the type that the op computes in. sum: the type of that one's
//          sums (core/dtype.h).
//          value/sum: either of both. id: i32. Or f32, f64, bf16, i8
//   shape  sizes by name, numbers, or products of them ("2 N"). A name is the same number
//   throughout the line.
//          [N, D] are rows and width of a tensor of any rank. Arguments of one shape have equal
//          shapes
//   flags  optional: may be undefined. strided: rows may lie apart. flat: of any rank, with so many
//   elements
// What comes before the arrow is read. What comes behind it is written, accumulated (added to what
// is there) or updated (read, then written).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "core/tensor.h"

namespace xf::kernels {

enum class Use : uint8_t { read, written, accumulated, updated };
enum class Element : uint8_t { value, sum, value_or_sum, id, f32, f64, bf16, i8 };

// One axis: a number times sizes. Those are indices into Signature::sizes(); -1 is none.
struct Extent {
  int32_t factor = 1;
  std::array<int8_t, 2> sizes{-1, -1};
};

struct Argument {
  std::string_view name, shape;  // "x", "N, 2 P"
  Element element = Element::value;
  Use use = Use::read;
  bool optional = false, strided = false, flat = false;
  uint8_t rank = 0;
  std::array<Extent, 4> extents;
  int8_t like = -1;  // the first argument that has the same shape
};

class Signature {
 public:
  static constexpr size_t kMostArguments = 12, kMostSizes = 10;

  // A line as above. One that cannot be read does not compile.
  consteval Signature(std::string_view name, std::string_view line) : name_(name) {
    const size_t arrow = line.find("->");
    if (arrow > 0) add_all(line.substr(0, arrow), Use::read);
    add_all(line.substr(arrow + 2), Use::written);
  }

  constexpr std::string_view name() const {
    return name_;
  }                                        // of the function:
                                           // "layer_norm_forward"
  constexpr std::string_view op() const {  // as messages begin: "layer_norm"
    constexpr std::string_view kForward = "_forward";
    return name_.substr(0, name_.size() - (name_.ends_with(kForward) ? kForward.size() : 0));
  }
  constexpr std::span<const Argument> arguments() const { return {arguments_.data(), count_}; }
  constexpr std::span<const std::string_view> sizes() const { return {sizes_.data(), size_count_}; }

 private:
  // Takes what comes before `end` off `text`, without the spaces around it.
  static consteval std::string_view take(std::string_view& text, char end) {
    const size_t at = std::min(text.find(end), text.size());
    std::string_view word = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    return word;
  }
  consteval void add_all(std::string_view text, Use use) {
    while (!text.empty()) {
      const std::string_view words = take(text, '['), shape = take(text, ']'), flags = take(text, ',');
      add(words, shape, flags, use);
    }
  }
  consteval void add(std::string_view words, std::string_view shape, std::string_view flags, Use use) {
    Argument& argument = arguments_.at(count_);
    argument.use = use, argument.shape = shape;
    const std::string_view first = take(words, ' ');
    argument.name = words.empty() ? first : words;
    if (!words.empty()) argument.element = element_of(first);
    while (!flags.empty()) set(argument, take(flags, ' '));
    while (!shape.empty()) argument.extents.at(argument.rank++) = extent_of(take(shape, ','));
    for (size_t i = count_; i-- > 0;) {
      if (arguments_[i].shape == argument.shape) argument.like = static_cast<int8_t>(i);
    }
    ++count_;
  }
  static consteval Element element_of(std::string_view word) {
    if (word == "sum") return Element::sum;
    if (word == "value/sum") return Element::value_or_sum;
    if (word == "id") return Element::id;
    if (word == "f32") return Element::f32;
    if (word == "f64") return Element::f64;
    if (word == "bf16") return Element::bf16;
    if (word == "i8") return Element::i8;
    throw "no type of elements";
  }
  static consteval void set(Argument& argument, std::string_view flag) {
    if (flag == "optional") {
      argument.optional = true;
    } else if (flag == "strided") {
      argument.strided = true;
    } else if (flag == "flat") {
      argument.flat = true;
    } else if (flag == "accumulated") {
      argument.use = Use::accumulated;
    } else if (flag == "updated") {
      argument.use = Use::updated;
    } else {
      throw "no flag of an argument";
    }
  }
  consteval Extent extent_of(std::string_view text) {
    Extent extent;
    size_t factors = 0;
    while (!text.empty()) {
      const std::string_view word = take(text, ' ');
      if (word[0] >= '0' && word[0] <= '9') {
        extent.factor = number_of(word);
      } else {
        extent.sizes.at(factors++) = index_of(word);
      }
    }
    return extent;
  }
  static consteval int32_t number_of(std::string_view digits) {
    int32_t number = 0;
    for (const char digit : digits) number = 10 * number + (digit - '0');
    return number;
  }
  consteval int8_t index_of(std::string_view size) {
    size_t i = 0;
    while (i < size_count_ && sizes_[i] != size) ++i;
    sizes_.at(i) = size;
    size_count_ = std::max(size_count_, i + 1);
    return static_cast<int8_t>(i);
  }

  std::string_view name_;
  std::array<Argument, kMostArguments> arguments_;
  std::array<std::string_view, kMostSizes> sizes_;
  size_t count_ = 0, size_count_ = 0;
};

// The "counter" of an op is its dropout's (kernels/dropout.h).
inline constexpr Signature kSignatures[] = {
    // The stored shapes of a and b depend on their transposes; op(a) is [M, K], op(b) [K, N].
    {"matmul", "a [Ra, Ca] strided, b [Rb, Cb] strided -> value/sum c [M, N] strided"},

    {"linear_forward", "x [N, K] strided, w [M, K] strided, bias [M] optional -> y [N, M] strided"},
    {"linear_backward_input", "dy [N, M] strided, w [M, K] strided -> value/sum dx [N, K] strided"},
    {"linear_backward_weight",
     "dy [N, M] strided, x [N, K] strided -> sum dw [M, K] accumulated strided, "
     "sum dbias [M] accumulated optional"},
    {"linear_activation_forward",
     "x [N, K] strided, w [M, K] strided, bias [M], id counter [2] optional -> pre [N, M] optional, "
     "a [N, M]"},
    {"linear_activation_backward_input",
     "dy [N, M] strided, w2 [M, F] strided, saved [N, F], bias [F], id counter [2] optional -> "
     "dpre [N, F], sum dbias [F] accumulated"},

    {"round_weights", "f32 w [M, K] strided -> i8 values [M, K], f32 scales [M]"},
    {"pack_weights", "i8 values [M, K] strided, f32 scales [M] -> id quads [S, Q]"},
    {"quantized_linear_forward",
     "f32 x [N, K] strided, id w.quads [S, Q], f32 bias [M] optional -> f32 y [N, M] strided optional"},

    {"bias_activation_forward", "x [N, F], bias [F], id counter [2] optional -> a [N, F]"},
    {"bias_activation_backward",
     "da [N, F], saved [N, F], bias [F], id counter [2] optional -> dx [N, F], sum dbias [F] accumulated"},
    {"gated_activation_forward", "gate [N, F] strided, up [N, F] strided -> y [N, F] strided"},
    {"gated_activation_backward",
     "dy [N, F] strided, gate [N, F] strided, up [N, F] strided -> dgate [N, F] strided, "
     "dup [N, F] strided"},

    {"rotary_forward", "x [T, H Dh] strided, id positions [T], sum table [S, Dh] -> y [T, H Dh] strided"},
    {"rotary_backward", "dy [T, H Dh] strided, id positions [T], sum table [S, Dh] -> dx [T, H Dh] strided"},
    {"rotary_table", "-> table [S, Dh]"},

    {"attention_forward",
     "q [Tq, H Dh] strided, k [Tk, Hk Dh] strided, v [Tk, Hk Dh] strided, id query_offsets [B+1], "
     "id key_offsets [B+1], id counter [2] optional -> o [Tq, H Dh] strided, sum lse [H, Tq] optional"},
    {"attention_backward",
     "grad_o [Tq, H Dh] strided, q [Tq, H Dh] strided, k [Tk, Hk Dh] strided, v [Tk, Hk Dh] strided, "
     "o [Tq, H Dh] strided optional, sum lse [H, Tq] optional, id query_offsets [B+1], "
     "id key_offsets [B+1], id counter [2] optional -> dq [Tq, H Dh] strided, dk [Tk, Hk Dh] strided, "
     "dv [Tk, Hk Dh] strided"},
    {"attention_weights",
     "q [Tq, H Dh] strided, k [Tk, Hk Dh] strided, id query_offsets [B+1], id key_offsets [B+1] -> "
     "p [B, H, Sq, Sk]"},
    {"attention_step",
     "q [R, H Dh] strided, k [C, Hk Dh] strided, v [C, Hk Dh] strided, id rows [R, S], id lengths [R] -> "
     "o [R, H Dh] strided"},
    {"softmax_forward",
     "s [B, H, Sq, Sk], id lengths [B] optional, id mask [B, Sq, Sk] optional -> p [B, H, Sq, Sk]"},
    {"softmax_backward", "dp [N, D], p [N, D] -> ds [N, D]"},

    {"layer_norm_forward", "x [N, D], gamma [D], beta [D] -> y [N, D], sum mean [N], sum rstd [N]"},
    {"layer_norm_backward",
     "dy [N, D], x [N, D], gamma [D], sum mean [N], sum rstd [N] -> dx [N, D], "
     "sum dgamma [D] accumulated, sum dbeta [D] accumulated"},
    {"rms_norm_forward", "x [N, D], gamma [D] -> y [N, D], sum rstd [N]"},
    {"rms_norm_backward",
     "dy [N, D], x [N, D], gamma [D], sum rstd [N] -> dx [N, D], sum dgamma [D] accumulated"},
    {"residual_norm_forward",
     "x [N, D], s [N, D], id counter [2] optional, gamma [D], beta [D] -> sum [N, D], y [N, D], "
     "sum mean [N], sum rstd [N]"},
    {"residual_norm_backward",
     "dy [N, D], dsum [N, D] optional, sum [N, D], gamma [D], sum mean [N], sum rstd [N], "
     "id counter [2] optional -> dx [N, D], ds [N, D], sum dgamma [D] accumulated, "
     "sum dbeta [D] accumulated"},

    {"embedding_forward",
     "id ids [N] flat, id positions [N] flat, table [V, D], position_table [P, D], "
     "id counter [2] optional -> x [N, D]"},
    {"quantized_embedding_forward",
     "id ids [N] flat, id positions [N] flat, id table.quads [S, Q], f32 position_table [P, D] -> "
     "f32 x [N, D]"},
    {"embedding_backward",
     "dx [N, D], id ids [N] flat, id order [N] flat, id counter [2] optional -> "
     "sum dtable [V, D] accumulated"},
    {"sinusoid_positions", "-> table [P, D]"},

    {"cross_entropy", "z [N, V], id targets [N] -> sum loss [2] accumulated, dz [N, V] optional"},
    {"projection_cross_entropy",
     "x [N, D] strided, w [V, D] strided, bias [V] optional, id targets [N] -> logits [R, L], "
     "sum loss [2] accumulated, dx [N, D] strided optional, sum dw [V, D] accumulated strided optional, "
     "sum dbias [V] accumulated optional, padded.w [Vp, D] optional, padded.bias [Vp] optional"},
    {"r_drop",
     "z [2 N, V] strided, bias [V] optional, id targets [N] -> sum loss [2] accumulated, "
     "dz [2 N, V] strided, sum dbias [V] accumulated optional"},
    {"log_softmax_top_k", "z [N, V] strided, id banned [M] optional -> sum scores [N, K], id ids [N, K]"},
    {"projection_top_k",
     "x [N, D] strided, w [V, D] strided, bias [V], id banned [M] optional -> logits [R, V], "
     "sum scores [N, K], id ids [N, K]"},

    {"sum_of_squares", "g [P] flat -> f64 sum [1]"},
    {"adam",
     "f32 step [4], f64 norm_squared [1] -> p [P] flat updated, m [P] flat updated, v [P] flat updated, "
     "g [P] flat updated, bf16 rounded [P] flat optional"},
    {"sgd",
     "f32 step [2], f64 norm_squared [1] -> p [P] flat updated, m [P] flat updated, g [P] flat updated, "
     "bf16 rounded [P] flat optional"},
    {"muon",
     "f32 step [4], f64 norm_squared [1], id begins [B] -> p [P] updated, m [P] updated, g [P] updated, "
     "bf16 rounded [P] optional, workspace [W] flat"},

    {"dropout", "x [N, D] strided, id counter [2] optional -> y [N, D] strided"},
    {"add_in_place", "x [N, D] strided -> y [N, D] updated strided"},
    {"add_bias", "bias [D] -> y [N, D] updated strided"},
    {"sum_rows", "x [N, D] strided -> sum sum [D] accumulated"},
    {"scale", "x [N, D] strided, sum alpha [1] -> y [N, D] strided"},
    {"move_towards", "x [N, D] strided, sum share [1] -> y [N, D] updated strided"},
    {"masked_fill", "x [N, D], id mask [N, D] -> y [N, D]"},
    {"gather_rows", "x [M, D] strided, id rows [N] flat -> y [N, D] strided"},
    {"copy", "x [N, D] strided -> y [N, D] strided"},
    {"sort", "id keys [N] flat -> id sorted [N] flat, id order [N] flat"},
};

// signature_of("layer_norm_forward"). A name that the table lacks does not compile.
consteval const Signature& signature_of(std::string_view name) {
  for (const Signature& signature : kSignatures) {
    if (signature.name() == name) return signature;
  }
  throw "no op of that name in kSignatures";
}

// {"H", heads}
struct KnownSize {
  std::string_view name;
  int64_t value;
};

// `tensors` are what the op's line says, in its order: shapes, types, rows without gaps, and one
// device for all. nullptr: this overload has no such argument. `known`: sizes that no tensor has to
// itself. Throws xf::Error naming op and argument: "layer_norm: gamma must be [512], got [256]".
void check_arguments(const Signature& signature, std::initializer_list<const Tensor*> tensors,
                     std::initializer_list<KnownSize> known = {});

}  // namespace xf::kernels
