// Element by element: example, equations as on their page, and how to call both kernels.
#include <numeric>

#include "kernels/dropout.h"
#include "kernels/gated_activation.h"
#include "kernels/plain/activation.h"
#include "kernels/plain/dropout.h"
#include "kernels/plain/gated_activation.h"
#include "kernels/plain/rotary.h"
#include "kernels/rotary.h"
#include "nn/evaluation.h"
#include "tools/explain/op_table.h"

namespace xf::tools::explain {

namespace {

namespace k = kernels;
namespace plain = kernels::plain;

Op activation(k::Activation f, const Equation& value, const Equation& slope) {
  return {name_of(f),
          "feed_forward.md",
          {{"x", "-2,-0.5,0.5,2"}, {"bias", "row of 0"}, {"dy", "x of 1"}},
          {value, slope, {"AC6", "dbias = sum_n dx", {"dbias"}, "bias"}},
          [f](Tensors& t) {
            t["y"] = like(t["x"]), k::bias_activation_forward(t["x"], t["bias"], f, {}, t["y"]);
          },
          [f](Tensors& t) {
            k::bias_activation_backward(t["dy"], k::keeps_input(f) ? t["x"] : t["y"], t["bias"], f, {},
                                        t["dx"], t["dbias"]);
          },
          [f](Tensors& t) {
            const int64_t N = t.at("x").rows(), F = t.at("x").width();
            t["m"] = ones(t.at("x").shape());
            plain::bias_activation_forward(N, F, f, at(t, "x"), at(t, "bias"), at(t, "m"), at(t, "y"));
            plain::bias_activation_backward(N, F, f, at(t, "dy"), at(t, "x"), at(t, "bias"), at(t, "m"),
                                            at(t, "dx"), at(t, "dbias"));
          }};
}

Op gated_activation() {
  constexpr auto kSwish = k::Activation::swish;
  return {
      "gated_activation",
      "gated_activation.md",
      {{"x", "-2,-0.5,0.5,2"}, {"up", "x of 1"}, {"dy", "x of 1"}},
      {{"GA0", "y = f(x) up,  f(x) = x s(x),  s(x) = 1 / (1 + e^-x)", {"y"}},
       {"GA1", "dx = dy up f'(x),  f' = s + x s (1 - s)", {"dx"}, "x"},
       {"GA2", "dup = dy f(x)", {"dup"}, "up"}},
      [](Tensors& t) { t["y"] = like(t["x"]), k::gated_activation_forward(t["x"], t["up"], kSwish, t["y"]); },
      [](Tensors& t) { k::gated_activation_backward(t["dy"], t["x"], t["up"], kSwish, t["dx"], t["dup"]); },
      [](Tensors& t) {
        const int64_t N = t.at("x").rows(), F = t.at("x").width();
        plain::gated_activation_forward(N, F, kSwish, at(t, "x"), at(t, "up"), at(t, "y"));
        plain::gated_activation_backward(N, F, kSwish, at(t, "dy"), at(t, "x"), at(t, "up"), at(t, "dx"),
                                         at(t, "dup"));
      }};
}

// The element (row, column) of a site in an update; the counter is {update, number of the first row}.
k::Dropout dropout_of(Tensors& t) {
  for (const char* name : {"rate", "seed", "site", "update"})
    demand(t[name].numel() == 1, "dropout: rate, seed, site and update must be one number each");
  return {static_cast<float>(nn::read_values(t["rate"]).front()), static_cast<uint64_t>(ids(t, "seed")[0]),
          static_cast<uint32_t>(ids(t, "site")[0]),
          Tensor::from(std::vector<int32_t>{ids(t, "update")[0], 0})};
}

Op dropout() {
  return {"dropout",
          "dropout.md",
          {{"x", "1,2,3,4;5,6,7,8"},
           {"dy", "x of 1"},
           {"rate", "0.5"},
           {"seed", "1", true},
           {"site", "0", true},
           {"update", "1", true}},
          {{"DR1", "m_ij = 1 / (1 - rate) where word_ij >= rate 2^32, else 0", {"m"}},
           {"DR2", "y_ij = m_ij x_ij", {"y"}},
           {"DR3", "dx_ij = m_ij dy_ij", {"dx"}, "x"}},
          [](Tensors& t) {
            const std::vector<float> all(static_cast<size_t>(t["x"].numel()), 1);
            t["y"] = like(t["x"]), t["m"] = Tensor::from(all, t["x"].shape());
            k::dropout(t["x"], dropout_of(t), t["y"]);
            k::dropout(t["m"], dropout_of(t), t["m"]);
          },
          [](Tensors& t) { k::dropout(t["dy"], dropout_of(t), t["dx"]); },
          [](Tensors& t) {
            const int64_t N = t.at("x").rows(), D = t.at("x").width();
            for (int64_t i = 0; i < N * D; ++i)
              at(t, "m")[i] = plain::dropout_factor(dropout_of(t), i / D, i % D);
            plain::dropout(N, D, dropout_of(t), at(t, "x"), at(t, "y"));
            plain::dropout(N, D, dropout_of(t), at(t, "dy"), at(t, "dx"));
          }};
}

constexpr double kRotaryBase = 10000;

// One head; rows are the tokens of a sentence.
Op rotary() {
  const auto places = [](int64_t rows) {
    std::vector<int32_t> positions(static_cast<size_t>(rows));
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  };
  const auto table = [](Tensors& t) {
    const Tensor angles = like(t["x"]);
    k::rotary_table(kRotaryBase, angles);
    return angles;
  };
  return {"rotary",
          "rotary.md",
          {{"x", "1,0,0,1;1,0,0,1;1,0,0,1"}, {"dy", "x of 1"}},
          {{"RO1",
            "y_i = x_i cos - x_i+P sin,  y_i+P = x_i sin + x_i+P cos,  of s 10000^(-i/P);  "
            "s = 0, 1, ... the row, P pairs",
            {"y"}},
           {"RO2", "dx = dy turned back", {"dx"}, "x"}},
          [=](Tensors& t) {
            demand(t["x"].width() % 2 == 0,
                   "rotary: x must have an even number of columns, which turn in pairs");
            t["y"] = like(t["x"]);
            k::rotary_forward(t["x"], Tensor::from(places(t["x"].rows())), table(t), t["y"]);
          },
          [=](Tensors& t) {
            k::rotary_backward(t["dy"], Tensor::from(places(t["x"].rows())), table(t), t["dx"]);
          },
          [=](Tensors& t) {
            const int64_t N = t.at("x").rows(), P = t.at("x").width() / 2;
            const std::vector<int32_t> positions = places(N);
            plain::rotary_forward(N, 1, P, kRotaryBase, at(t, "x"), positions.data(), at(t, "y"));
            plain::rotary_backward(N, 1, P, kRotaryBase, at(t, "dy"), positions.data(), at(t, "dx"));
          }};
}

}  // namespace

std::vector<Op> element_ops() {
  return {
      activation(k::Activation::relu, {"AC1", "y = max(0, x + bias)", {"y"}},
                 {"AC2", "dx = dy where x + bias > 0, else 0", {"dx"}, "x"}),
      activation(k::Activation::gelu, {"AC3", "y = z Phi(z),  z = x + bias", {"y"}},
                 {"AC4", "dx = dy (Phi(z) + z phi(z)),  z = x + bias", {"dx"}, "x"}),
      activation(k::Activation::swish, {"AC7", "y = z s(z),  z = x + bias,  s(z) = 1 / (1 + e^-z)", {"y"}},
                 {"AC8", "dx = dy (s + z s (1 - s)),  s = s(z)", {"dx"}, "x"}),
      gated_activation(),
      dropout(),
      rotary()};
}

}  // namespace xf::tools::explain
