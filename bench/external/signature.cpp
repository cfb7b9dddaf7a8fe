#include "bench/external/signature.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace xf::bench {

namespace {

using enum Use;
using enum Element;

// The sizes of a function are those of bench/free_shapes.cpp, its arguments the operands of its calls in bench/ops.
std::vector<Signature> make_signatures() {
  return {
      {"matmul",
       "c = op(a) op(b), op(a) [M, K] and op(b) [K, N]; "
       "op is the transpose where transpose_a, transpose_b is 1",
       {{"a", "M, K", read, value}, {"b", "K, N", read, value}, {"c", "M, N", written, value}},
       {"M", "N", "K"},
       {{"transpose_a", true}, {"transpose_b", true}}},
      {"linear_forward",
       "y = x w^T + bias",
       {{"x", "N, K", read, value},
        {"w", "M, K", read, value},
        {"bias", "M", read, value},
        {"y", "N, M", written, value}},
       {"N", "K", "M"},
       {}},
      {"linear_backward_input",
       "dx = dy w",
       {{"dy", "N, M", read, value}, {"w", "M, K", read, value}, {"dx", "N, K", written, value}},
       {"N", "K", "M"},
       {}},
      {"linear_backward_weight",
       "dw += dy^T x, dbias += the sum of dy over N",
       {{"dy", "N, M", read, value},
        {"x", "N, K", read, value},
        {"dw", "M, K", accumulated, sum},
        {"dbias", "M", accumulated, sum}},
       {"N", "K", "M"},
       {}},
      {"bias_activation_forward",
       "a = f(x + bias); activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))",
       {{"x", "N, F", read, value}, {"bias", "F", read, value}, {"a", "N, F", written, value}},
       {"N", "F"},
       {{"activation", true}}},
      {"bias_activation_backward",
       "dx = da f'(x + bias), dbias += the sum of dx over N",
       {{"da", "N, F", read, value},
        {"x", "N, F", read, value},
        {"bias", "F", read, value},
        {"dx", "N, F", written, value},
        {"dbias", "F", accumulated, sum}},
       {"N", "F"},
       {{"activation", true}}},
      {"gated_activation_forward",
       "y = f(gate) up; activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))",
       {{"gate", "N, F", read, value}, {"up", "N, F", read, value}, {"y", "N, F", written, value}},
       {"N", "F"},
       {{"activation", true}}},
      {"gated_activation_backward",
       "dgate = dy up f'(gate), dup = dy f(gate)",
       {{"dy", "N, F", read, value},
        {"gate", "N, F", read, value},
        {"up", "N, F", read, value},
        {"dgate", "N, F", written, value},
        {"dup", "N, F", written, value}},
       {"N", "F"},
       {{"activation", true}}},
      {"rotary_forward",
       "y = x turned: y_0 = x_0 cos - x_1 sin, y_1 = x_0 sin + x_1 cos for the halves x_0, x_1 of a head; "
       "row s of the table: the P cosines, then the P sines of position s",
       {{"x", "B, S, H, 2 P", read, value},
        {"table", "S, 2 P", read, sum},
        {"y", "B, S, H, 2 P", written, value}},
       {"B", "S", "H", "P"},
       {}},
      {"rotary_backward",
       "dx = dy turned back, as by rotary_forward with -sin",
       {{"dy", "B, S, H, 2 P", read, value},
        {"table", "S, 2 P", read, sum},
        {"dx", "B, S, H, 2 P", written, value}},
       {"B", "S", "H", "P"},
       {}},
      {"attention_forward",
       "o = softmax(scale q k^T) v for each sentence and head; causal 1: query i sees keys j <= i",
       {{"q", "B, S, H, Dh", read, value},
        {"k", "B, S, H, Dh", read, value},
        {"v", "B, S, H, Dh", read, value},
        {"o", "B, S, H, Dh", written, value}},
       {"B", "S", "H", "Dh"},
       {{"scale", false}, {"causal", true}}},
      {"attention_backward",
       "the gradients of attention_forward, of which o came",
       {{"grad_o", "B, S, H, Dh", read, value},
        {"q", "B, S, H, Dh", read, value},
        {"k", "B, S, H, Dh", read, value},
        {"v", "B, S, H, Dh", read, value},
        {"o", "B, S, H, Dh", read, value},
        {"dq", "B, S, H, Dh", written, value},
        {"dk", "B, S, H, Dh", written, value},
        {"dv", "B, S, H, Dh", written, value}},
       {"B", "S", "H", "Dh"},
       {{"scale", false}, {"causal", true}}},
      {"grouped_attention_forward",
       "o = softmax(scale q k^T) v for each sentence and query head, of which G share a key head; "
       "causal 1: query i sees keys j <= i",
       {{"q", "B, S, Hk G, Dh", read, value},
        {"k", "B, S, Hk, Dh", read, value},
        {"v", "B, S, Hk, Dh", read, value},
        {"o", "B, S, Hk G, Dh", written, value}},
       {"B", "S", "Hk", "G", "Dh"},
       {{"scale", false}, {"causal", true}}},
      {"grouped_attention_backward",
       "the gradients of grouped_attention_forward, of which o came; dk and dv are sums over G",
       {{"grad_o", "B, S, Hk G, Dh", read, value},
        {"q", "B, S, Hk G, Dh", read, value},
        {"k", "B, S, Hk, Dh", read, value},
        {"v", "B, S, Hk, Dh", read, value},
        {"o", "B, S, Hk G, Dh", read, value},
        {"dq", "B, S, Hk G, Dh", written, value},
        {"dk", "B, S, Hk, Dh", written, value},
        {"dv", "B, S, Hk, Dh", written, value}},
       {"B", "S", "Hk", "G", "Dh"},
       {{"scale", false}, {"causal", true}}},
      {"softmax_forward",
       "p = softmax(s) over D",
       {{"s", "N, D", read, value}, {"p", "N, D", written, value}},
       {"N", "D"},
       {}},
      {"softmax_backward",
       "ds = p (dp - the sum of p dp over D)",
       {{"dp", "N, D", read, value}, {"p", "N, D", read, value}, {"ds", "N, D", written, value}},
       {"N", "D"},
       {}},
      {"layer_norm_forward",
       "y = gamma (x - mean) rstd + beta; mean over D, rstd = 1 / sqrt(variance + eps), which divides by D",
       {{"x", "N, D", read, value},
        {"gamma", "D", read, value},
        {"beta", "D", read, value},
        {"y", "N, D", written, value},
        {"mean", "N", written, sum},
        {"rstd", "N", written, sum}},
       {"N", "D"},
       {{"eps", false}}},
      {"layer_norm_backward",
       "the gradients of layer_norm_forward; dgamma and dbeta are sums over N",
       {{"dy", "N, D", read, value},
        {"x", "N, D", read, value},
        {"gamma", "D", read, value},
        {"mean", "N", read, sum},
        {"rstd", "N", read, sum},
        {"dx", "N, D", written, value},
        {"dgamma", "D", accumulated, sum},
        {"dbeta", "D", accumulated, sum}},
       {"N", "D"},
       {}},
      {"rms_norm_forward",
       "y = gamma x rstd, rstd = 1 / sqrt(the mean of x^2 over D + eps)",
       {{"x", "N, D", read, value},
        {"gamma", "D", read, value},
        {"y", "N, D", written, value},
        {"rstd", "N", written, sum}},
       {"N", "D"},
       {{"eps", false}}},
      {"rms_norm_backward",
       "the gradients of rms_norm_forward; dgamma is a sum over N",
       {{"dy", "N, D", read, value},
        {"x", "N, D", read, value},
        {"gamma", "D", read, value},
        {"rstd", "N", read, sum},
        {"dx", "N, D", written, value},
        {"dgamma", "D", accumulated, sum}},
       {"N", "D"},
       {}},
      {"cross_entropy",
       "loss += {the sum of smoothed losses, the sum of -log p_target}; "
       "z becomes its gradient, softmax(z) - q with q = (1 - label_smoothing) onehot + label_smoothing / V; "
       "a row whose target is -1 counts nothing: zeros",
       {{"targets", "N", read, id}, {"z", "N, V", updated, value}, {"loss", "2", accumulated, sum}},
       {"N", "V"},
       {{"label_smoothing", false}}},
      {"adam",
       "g' = scale g, m = beta1 m + (1 - beta1) g', v = beta2 v + (1 - beta2) g'^2, "
       "p -= learning_rate (m / correction1) / (sqrt(v / correction2) + eps); g may be written over",
       {{"g", "P", updated, value},
        {"p", "P", updated, value},
        {"m", "P", updated, value},
        {"v", "P", updated, value}},
       {"P"},
       {{"learning_rate", false},
        {"beta1", false},
        {"beta2", false},
        {"eps", false},
        {"correction1", false},
        {"correction2", false},
        {"scale", false}}},
  };
}

}  // namespace

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = make_signatures();
  return all;
}

const Signature* find_signature(const std::string& fn) {
  const auto& all = signatures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Signature& s) { return s.fn == fn; });
  return found == all.end() ? nullptr : &*found;
}

const char* name_of(Use use) {
  switch (use) {
    case read: return "read";
    case written: return "written";
    case accumulated: return "accumulated";
    default: return "updated";
  }
}

DType type_of(const Argument& argument, DType dtype) {
  return argument.element == id ? DType::i32 : argument.element == sum ? accumulator_of(dtype) : dtype;
}

std::string names_of(const Signature& signature) {
  std::vector<std::string> names;
  for (const Argument& argument : signature.arguments) names.push_back(argument.name);
  names.insert(names.end(), signature.sizes.begin(), signature.sizes.end());
  for (const Number& number : signature.numbers) names.push_back(number.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace xf::bench
