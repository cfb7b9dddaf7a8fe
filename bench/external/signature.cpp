#include "bench/external/signature.h"

#include <algorithm>

#include "core/error.h"

namespace xf::bench {

namespace {

// Calls that are simpler than the op's: of sentences of equal length, without masks, dropout and
// strides.
constexpr kernels::Signature kSimplerCalls[] = {
    {"matmul", "a [M, K], b [K, N] -> c [M, N]"},
    {"bias_activation_forward", "x [N, F], bias [F] -> a [N, F]"},
    {"bias_activation_backward", "da [N, F], x [N, F], bias [F] -> dx [N, F], sum dbias [F] accumulated"},
    {"rotary_forward", "x [B, S, H, 2 P], sum table [S, 2 P] -> y [B, S, H, 2 P]"},
    {"rotary_backward", "dy [B, S, H, 2 P], sum table [S, 2 P] -> dx [B, S, H, 2 P]"},
    {"attention_forward", "q [B, S, H, Dh], k [B, S, H, Dh], v [B, S, H, Dh] -> o [B, S, H, Dh]"},
    {"attention_backward",
     "grad_o [B, S, H, Dh], q [B, S, H, Dh], k [B, S, H, Dh], v [B, S, H, Dh], o [B, S, H, Dh] -> "
     "dq [B, S, H, Dh], dk [B, S, H, Dh], dv [B, S, H, Dh]"},
    {"grouped_attention_forward",
     "q [B, S, Hk G, Dh], k [B, S, Hk, Dh], v [B, S, Hk, Dh] -> o [B, S, Hk G, Dh]"},
    {"grouped_attention_backward",
     "grad_o [B, S, Hk G, Dh], q [B, S, Hk G, Dh], k [B, S, Hk, Dh], v [B, S, Hk, Dh], o [B, S, Hk G, Dh] -> "
     "dq [B, S, Hk G, Dh], dk [B, S, Hk, Dh], dv [B, S, Hk, Dh]"},
    {"softmax_forward", "s [N, D] -> p [N, D]"},
    {"cross_entropy", "id targets [N] -> z [N, V] updated, sum loss [2] accumulated"},
    {"adam", "-> g [P] updated, p [P] updated, m [P] updated, v [P] updated"},
};

const std::vector<Number> kActivation = {{"activation", true}}, kAttention = {{"scale"}, {"causal", true}};

std::vector<Signature> make_signatures() {
  return {
      {"matmul",
       "c = op(a) op(b), op(a) [M, K] and op(b) [K, N]; "
       "op is the transpose where transpose_a, transpose_b is 1",
       {{"transpose_a", true}, {"transpose_b", true}}},
      {"linear_forward", "y = x w^T + bias"},
      {"linear_backward_input", "dx = dy w"},
      {"linear_backward_weight", "dw += dy^T x, dbias += the sum of dy over N"},
      {"bias_activation_forward",
       "a = f(x + bias); activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))",
       kActivation},
      {"bias_activation_backward", "dx = da f'(x + bias), dbias += the sum of dx over N", kActivation},
      {"gated_activation_forward",
       "y = f(gate) up; activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))",
       kActivation},
      {"gated_activation_backward", "dgate = dy up f'(gate), dup = dy f(gate)", kActivation},
      {"rotary_forward",
       "y = x turned: y_0 = x_0 cos - x_1 sin, y_1 = x_0 sin + x_1 cos for the halves x_0, x_1 of a head; "
       "row s of the table: the P cosines, then the P sines of position s"},
      {"rotary_backward", "dx = dy turned back, as by rotary_forward with -sin"},
      {"attention_forward",
       "o = softmax(scale q k^T) v for each sentence and head; causal 1: query i sees keys j <= i",
       kAttention},
      {"attention_backward", "the gradients of attention_forward, of which o came", kAttention},
      {"grouped_attention_forward",
       "o = softmax(scale q k^T) v for each sentence and query head, of which G share a key head; "
       "causal 1: query i sees keys j <= i",
       kAttention},
      {"grouped_attention_backward",
       "the gradients of grouped_attention_forward, of which o came; dk and dv are sums over G", kAttention},
      {"softmax_forward", "p = softmax(s) over D"},
      {"softmax_backward", "ds = p (dp - the sum of p dp over D)"},
      {"layer_norm_forward",
       "y = gamma (x - mean) rstd + beta; mean over D, rstd = 1 / sqrt(variance + eps), which divides by D",
       {{"eps"}}},
      {"layer_norm_backward", "the gradients of layer_norm_forward; dgamma and dbeta are sums over N"},
      {"rms_norm_forward", "y = gamma x rstd, rstd = 1 / sqrt(the mean of x^2 over D + eps)", {{"eps"}}},
      {"rms_norm_backward", "the gradients of rms_norm_forward; dgamma is a sum over N"},
      {"cross_entropy",
       "loss += {the sum of smoothed losses, the sum of -log p_target}; "
       "z becomes its gradient, softmax(z) - q with q = (1 - label_smoothing) onehot + label_smoothing / V; "
       "a row whose target is -1 counts nothing: zeros",
       {{"label_smoothing"}}},
      {"adam",
       "g' = scale g, m = beta1 m + (1 - beta1) g', v = beta2 v + (1 - beta2) g'^2, "
       "p -= learning_rate (m / correction1) / (sqrt(v / correction2) + eps); g may be written over",
       {{"learning_rate"}, {"beta1"}, {"beta2"}, {"eps"}, {"correction1"}, {"correction2"}, {"scale"}}},
  };
}

std::span<const Argument> arguments_of(const std::string& fn) {
  for (const kernels::Signature& call : kSimplerCalls) {
    if (call.name() == fn) return call.arguments();
  }
  for (const kernels::Signature& op : kernels::kSignatures) {
    if (op.name() == fn) return op.arguments();
  }
  fail(ErrorKind::failure, "{}: no line says what its arguments are", fn);
}

}  // namespace

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<Signature> made = make_signatures();
    for (Signature& signature : made) signature.arguments = arguments_of(signature.fn);
    return made;
  }();
  return all;
}

const Signature* find_signature(const std::string& fn) {
  const auto found = std::ranges::find(signatures(), fn, &Signature::fn);
  return found == signatures().end() ? nullptr : &*found;
}

const char* name_of(Use use) {
  switch (use) {
    case Use::read: return "read";
    case Use::written: return "written";
    case Use::accumulated: return "accumulated";
    default: return "updated";
  }
}

DType type_of(const Argument& argument, DType dtype) {
  switch (argument.element) {
    case kernels::Element::id: return DType::i32;
    case kernels::Element::sum: return accumulator_of(dtype);
    default: return dtype;
  }
}

}  // namespace xf::bench
