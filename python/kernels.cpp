#include "python/kernels.h"

#include <algorithm>

#include <nanobind/stl/string.h>

#include "kernels/activation.h"
#include "kernels/cross_entropy.h"
#include "kernels/gated_activation.h"
#include "kernels/layer_norm.h"
#include "kernels/linear.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "python/arrays.h"
#include "python/engine.h"

namespace nb = nanobind;

namespace xf::python {

namespace {

using Arg = nb::handle;

// The tensor [..., D] as the matrix [N, D].
Tensor matrix(const Tensor& x) { return x.reshape({x.rows(), x.width()}); }
Tensor flat(const Tensor& x) { return x.defined() ? x.reshape({x.numel()}) : x; }

// [..., D] with another last extent, and without one: [...], for a vector [1].
Shape with_width(const Tensor& x, int64_t width) {
  Shape shape = x.shape();
  shape.set(-1, width);
  return shape;
}
Shape leading(const Tensor& x) {
  if (x.rank() == 1) return {1};
  std::vector<int64_t> extents;
  for (int i = 0; i + 1 < x.rank(); ++i) extents.push_back(x.dim(i));
  return Shape::of(extents);
}

Tensor like(const Tensor& x) { return Tensor::empty(x.shape(), x.dtype()); }
// Where a kernel adds up, and its statistics.
Tensor sums(Shape shape, const Tensor& of) { return Tensor::zeros(shape, accumulator_of(of.dtype())); }

template <typename... Tensors>
nb::tuple tuple_of(const Tensors&... tensors) {
  return nb::make_tuple(to_python(tensors)...);
}

nb::object softmax(Arg scores, Arg lengths, bool causal, Arg mask) {
  const Tensor s = floats(scores, "softmax: scores"), p = like(s);
  Shape shape{1, 1, 1, 1};  // [B, H, Sq, Sk]
  for (int i = 1; i <= s.rank(); ++i) shape.set(-i, s.shape()[-i]);
  const kernels::SoftmaxMask allowed{int32s_or_none(lengths, "softmax: lengths"), causal,
                                     int32s_or_none(mask, "softmax: mask")};
  run_kernel([&] { kernels::softmax_forward(s.reshape(shape), allowed, p.reshape(shape)); });
  return to_python(p);
}

nb::object softmax_backward(Arg grad_p, Arg probabilities) {
  const Tensor dp = floats(grad_p, "softmax_backward: dp"), p = floats(probabilities, "softmax_backward: p"),
               ds = like(dp);
  run_kernel([&] { kernels::softmax_backward(dp, p, ds); });
  return to_python(ds);
}

nb::tuple layer_norm(Arg input, Arg weight, Arg bias, float eps) {
  const Tensor x = floats(input, "layer_norm: x"), gamma = floats(weight, "layer_norm: gamma"),
               beta = floats(bias, "layer_norm: beta"), y = like(x), mean = sums(leading(x), x),
               rstd = sums(leading(x), x);
  run_kernel(
      [&] { kernels::layer_norm_forward(matrix(x), gamma, beta, eps, matrix(y), flat(mean), flat(rstd)); });
  return tuple_of(y, mean, rstd);
}

nb::tuple layer_norm_backward(Arg grad_y, Arg input, Arg weight, Arg kept_mean, Arg kept_rstd) {
  const Tensor dy = floats(grad_y, "layer_norm_backward: dy"), x = floats(input, "layer_norm_backward: x"),
               gamma = floats(weight, "layer_norm_backward: gamma"),
               mean = floats(kept_mean, "layer_norm_backward: mean"),
               rstd = floats(kept_rstd, "layer_norm_backward: rstd"), dx = like(x),
               dgamma = sums({x.width()}, x), dbeta = sums({x.width()}, x);
  run_kernel([&] {
    kernels::layer_norm_backward(matrix(dy), matrix(x), gamma, flat(mean), flat(rstd), matrix(dx), dgamma,
                                 dbeta);
  });
  return tuple_of(dx, dgamma, dbeta);
}

nb::tuple rms_norm(Arg input, Arg weight, float eps) {
  const Tensor x = floats(input, "rms_norm: x"), gamma = floats(weight, "rms_norm: gamma"), y = like(x),
               rstd = sums(leading(x), x);
  run_kernel([&] { kernels::rms_norm_forward(matrix(x), gamma, eps, matrix(y), flat(rstd)); });
  return tuple_of(y, rstd);
}

nb::tuple rms_norm_backward(Arg grad_y, Arg input, Arg weight, Arg kept_rstd) {
  const Tensor dy = floats(grad_y, "rms_norm_backward: dy"), x = floats(input, "rms_norm_backward: x"),
               gamma = floats(weight, "rms_norm_backward: gamma"),
               rstd = floats(kept_rstd, "rms_norm_backward: rstd"), dx = like(x),
               dgamma = sums({x.width()}, x);
  run_kernel(
      [&] { kernels::rms_norm_backward(matrix(dy), matrix(x), gamma, flat(rstd), matrix(dx), dgamma); });
  return tuple_of(dx, dgamma);
}

nb::tuple cross_entropy(Arg logits, Arg classes, float label_smoothing, int32_t ignore_id) {
  const Tensor z = floats(logits, "cross_entropy: logits"), dz = like(z), loss = sums({2}, z),
               targets = int32s(classes, "cross_entropy: targets");
  for (const int32_t target : targets.to_vector<int32_t>()) {
    if (target != ignore_id && (target < 0 || target >= z.width()))
      fail(ErrorKind::usage, "cross_entropy: target {} is none of the {} classes", target, z.width());
  }
  const kernels::CrossEntropy options{label_smoothing, ignore_id};
  run_kernel([&] { kernels::cross_entropy(matrix(z), flat(targets), options, loss, matrix(dz)); });
  const auto value = [&](size_t i) {
    return z.dtype() == DType::f64 ? loss.data<double>()[i] : static_cast<double>(loss.data<float>()[i]);
  };
  return nb::make_tuple(value(0), value(1), to_python(dz));
}

nb::object matmul(Arg left, Arg right, bool transpose_a, bool transpose_b) {
  const Tensor a = floats(left, "matmul: a"), b = floats(right, "matmul: b");
  XF_CHECK(a.rank() == 2 && b.rank() == 2, "matmul: expected two matrices, got {} and {}",
           a.shape().to_string(), b.shape().to_string());
  const auto transposed = [](bool yes) { return yes ? kernels::Transpose::yes : kernels::Transpose::no; };
  const Tensor c = Tensor::empty({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}, a.dtype());
  run_kernel([&] {
    kernels::matmul(a, transposed(transpose_a), b, transposed(transpose_b), kernels::Accumulate::no, c);
  });
  return to_python(c);
}

nb::object linear(Arg input, Arg weight, Arg bias_or_none) {
  const Tensor x = floats(input, "linear: x"), w = floats(weight, "linear: w"),
               bias = floats_or_none(bias_or_none, "linear: bias");
  const Tensor y = Tensor::empty(with_width(x, w.dim(0)), x.dtype());
  run_kernel([&] { kernels::linear_forward(matrix(x), w, bias, matrix(y)); });
  return to_python(y);
}

nb::tuple linear_backward(Arg grad_y, Arg input, Arg weight, bool has_bias) {
  const Tensor dy = floats(grad_y, "linear_backward: dy"), x = floats(input, "linear_backward: x"),
               w = floats(weight, "linear_backward: w"), dx = like(x), dw = sums(w.shape(), w),
               dbias = has_bias ? sums({w.dim(0)}, w) : Tensor();
  const auto no = kernels::Accumulate::no;
  run_kernel([&] {
    kernels::linear_backward_input(matrix(dy), w, no, matrix(dx));
    kernels::linear_backward_weight(matrix(dy), matrix(x), no, dw, dbias);
  });
  return tuple_of(dx, dw, dbias);
}

kernels::Activation activation_of(const std::string& name) {
  for (const kernels::Activation f : kernels::kActivations)
    if (name == name_of(f)) return f;
  fail(ErrorKind::usage, "activation: no function '{}' (one of relu, gelu, swish)", name);
}

// As given, else zero.
Tensor bias_of(const Tensor& x, Arg bias) {
  return bias.is_none() ? Tensor::zeros({x.width()}, x.dtype()) : floats(bias, "activation: bias");
}

nb::object activation(Arg input, const std::string& name, Arg bias_or_none) {
  const Tensor x = floats(input, "activation: x"), bias = bias_of(x, bias_or_none), a = like(x);
  const kernels::Activation f = activation_of(name);
  run_kernel([&] { kernels::bias_activation_forward(matrix(x), bias, f, {}, matrix(a)); });
  return to_python(a);
}

nb::tuple activation_backward(Arg grad_a, Arg input, const std::string& name, Arg bias_or_none) {
  const Tensor da = floats(grad_a, "activation_backward: da"), x = floats(input, "activation_backward: x"),
               bias = bias_of(x, bias_or_none), dx = like(x), dbias = sums({x.width()}, x);
  const kernels::Activation f = activation_of(name);
  run_kernel([&] {
    Tensor saved = x;
    if (!keeps_input(f)) kernels::bias_activation_forward(matrix(x), bias, f, {}, matrix(saved = like(x)));
    kernels::bias_activation_backward(matrix(da), matrix(saved), bias, f, {}, matrix(dx), dbias);
  });
  return tuple_of(dx, dbias);
}

nb::object gated_activation(Arg through, Arg let_through, const std::string& name) {
  const Tensor gate = floats(through, "gated_activation: gate"),
               up = floats(let_through, "gated_activation: up"), y = like(gate);
  const kernels::Activation f = activation_of(name);
  run_kernel([&] { kernels::gated_activation_forward(gate, up, f, y); });
  return to_python(y);
}

nb::tuple gated_activation_backward(Arg grad_y, Arg through, Arg let_through, const std::string& name) {
  const Tensor dy = floats(grad_y, "gated_activation_backward: dy"),
               gate = floats(through, "gated_activation_backward: gate"),
               up = floats(let_through, "gated_activation_backward: up"), dgate = like(gate), dup = like(up);
  const kernels::Activation f = activation_of(name);
  run_kernel([&] { kernels::gated_activation_backward(dy, gate, up, f, dgate, dup); });
  return tuple_of(dgate, dup);
}

// Each row's place: as given, else its number along the last axis but one.
Tensor places_of(const Tensor& x, Arg given) {
  if (!given.is_none()) return flat(int32s(given, "rotary: positions"));
  const int64_t length = x.rank() > 1 ? x.shape()[-2] : 1;
  std::vector<int32_t> places;
  for (int64_t row = 0; row < x.rows(); ++row) places.push_back(static_cast<int32_t>(row % length));
  return Tensor::from(places);
}

Tensor rotary_table_for(const Tensor& x, const Tensor& positions, int64_t heads, double base) {
  if (heads < 1 || x.width() % heads != 0 || x.width() / heads % 2 != 0)
    fail(ErrorKind::usage, "rotary: expected heads of an even width in {} columns, got {} heads", x.width(),
         heads);
  const std::vector<int32_t> places = positions.to_vector<int32_t>();
  const auto [low, high] = std::ranges::minmax_element(places);
  if (!places.empty() && *low < 0)
    fail(ErrorKind::usage, "rotary: expected positions from 0 on, got {}", *low);
  const int64_t length = places.empty() ? 0 : int64_t{*high} + 1;
  const Tensor table = Tensor::empty({length, x.width() / heads}, accumulator_of(x.dtype()));
  kernels::rotary_table(base, table);
  return table;
}

nb::object rotary(Arg input, Arg positions_or_none, int64_t heads, double base) {
  const Tensor x = floats(input, "rotary: x"), positions = places_of(x, positions_or_none),
               table = rotary_table_for(x, positions, heads, base), y = like(x);
  run_kernel([&] { kernels::rotary_forward(matrix(x), positions, table, matrix(y)); });
  return to_python(y);
}

nb::object rotary_backward(Arg grad_y, Arg positions_or_none, int64_t heads, double base) {
  const Tensor dy = floats(grad_y, "rotary_backward: dy"), positions = places_of(dy, positions_or_none),
               table = rotary_table_for(dy, positions, heads, base), dx = like(dy);
  run_kernel([&] { kernels::rotary_backward(matrix(dy), positions, table, matrix(dx)); });
  return to_python(dx);
}

nb::tuple log_softmax_top_k(Arg logits, int64_t k) {
  const Tensor z = floats(logits, "log_softmax_top_k: logits");
  if (k < 1 || k > z.width())
    fail(ErrorKind::usage, "log_softmax_top_k: expected k from 1 to {}, got {}", z.width(), k);
  const Tensor scores = sums(with_width(z, k), z), ids = Tensor::empty(with_width(z, k), DType::i32),
               none_banned = Tensor::empty({0}, DType::i32);
  run_kernel([&] {
    kernels::log_softmax_top_k(matrix(z), none_banned, kernels::Normalise::yes, matrix(scores), matrix(ids));
  });
  return tuple_of(scores, ids);
}

}  // namespace

void define_kernels(nb::module_& module) {
  define(module, "softmax", softmax);
  define(module, "softmax_backward", softmax_backward);
  define(module, "layer_norm", layer_norm);
  define(module, "layer_norm_backward", layer_norm_backward);
  define(module, "rms_norm", rms_norm);
  define(module, "rms_norm_backward", rms_norm_backward);
  define(module, "cross_entropy", cross_entropy);
  define(module, "matmul", matmul);
  define(module, "linear", linear);
  define(module, "linear_backward", linear_backward);
  define(module, "activation", activation);
  define(module, "activation_backward", activation_backward);
  define(module, "gated_activation", gated_activation);
  define(module, "gated_activation_backward", gated_activation_backward);
  define(module, "rotary", rotary);
  define(module, "rotary_backward", rotary_backward);
  define(module, "log_softmax_top_k", log_softmax_top_k);
}

}  // namespace xf::python
