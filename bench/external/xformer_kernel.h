// A kernel of your own for `xformer-bench --kernel mine.so --fn NAME`: a function called NAME that takes a pointer to
// struct xf_NAME_args and returns 0, or another number if it cannot do what is asked. docs/your_kernel.md
//
// Made of the tables in kernels/signature.h and bench/external/signature.cpp by `xformer-bench --kernel-header`.
// Matrices are row-major without gaps, and lie in memory of the CPU. "values" are of type dtype, "sums" of type
// sum_dtype, "ids" int32_t. An output is "written" (it holds NaN before), "accumulated" (added to; it holds zeros before)
// or "updated" (read, then written). Members are never removed or moved within a version: what is new comes last.
#ifndef XFORMER_KERNEL_H
#define XFORMER_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XF_KERNEL_VERSION 1

enum xf_dtype { XF_F32 = 0, XF_F64 = 1, XF_BF16 = 2 };  // bf16: the upper half of an f32, in a uint16_t
enum xf_activation { XF_RELU = 0, XF_GELU = 1, XF_SWISH = 2 };

struct xf_kernel_call {
  int32_t version;    // XF_KERNEL_VERSION of the caller
  int32_t dtype;      // enum xf_dtype, of values
  int32_t sum_dtype;  // of sums: XF_F64 where dtype is, else XF_F32
  int32_t threads;    // how many may be used; OMP_NUM_THREADS says the same
};

// matmul: c = op(a) op(b), op(a) [M, K] and op(b) [K, N]; op is the transpose where transpose_a, transpose_b is 1
struct xf_matmul_args {
  struct xf_kernel_call call;
  const void* a;  // [M, K] values, read
  const void* b;  // [K, N] values, read
  void* c;        // [M, N] values, written
  int64_t M, N, K;
  int64_t transpose_a;
  int64_t transpose_b;
};
int matmul(const struct xf_matmul_args* args);

// linear_forward: y = x w^T + bias
struct xf_linear_forward_args {
  struct xf_kernel_call call;
  const void* x;     // [N, K] values, read
  const void* w;     // [M, K] values, read
  const void* bias;  // [M] values, read
  void* y;           // [N, M] values, written
  int64_t N, K, M;
};
int linear_forward(const struct xf_linear_forward_args* args);

// linear_backward_input: dx = dy w
struct xf_linear_backward_input_args {
  struct xf_kernel_call call;
  const void* dy;  // [N, M] values, read
  const void* w;   // [M, K] values, read
  void* dx;        // [N, K] values, written
  int64_t N, K, M;
};
int linear_backward_input(const struct xf_linear_backward_input_args* args);

// linear_backward_weight: dw += dy^T x, dbias += the sum of dy over N
struct xf_linear_backward_weight_args {
  struct xf_kernel_call call;
  const void* dy;  // [N, M] values, read
  const void* x;   // [N, K] values, read
  void* dw;        // [M, K] sums, accumulated
  void* dbias;     // [M] sums, accumulated
  int64_t N, K, M;
};
int linear_backward_weight(const struct xf_linear_backward_weight_args* args);

// bias_activation_forward: a = f(x + bias); activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))
struct xf_bias_activation_forward_args {
  struct xf_kernel_call call;
  const void* x;     // [N, F] values, read
  const void* bias;  // [F] values, read
  void* a;           // [N, F] values, written
  int64_t N, F;
  int64_t activation;
};
int bias_activation_forward(const struct xf_bias_activation_forward_args* args);

// bias_activation_backward: dx = da f'(x + bias), dbias += the sum of dx over N
struct xf_bias_activation_backward_args {
  struct xf_kernel_call call;
  const void* da;    // [N, F] values, read
  const void* x;     // [N, F] values, read
  const void* bias;  // [F] values, read
  void* dx;          // [N, F] values, written
  void* dbias;       // [F] sums, accumulated
  int64_t N, F;
  int64_t activation;
};
int bias_activation_backward(const struct xf_bias_activation_backward_args* args);

// gated_activation_forward: y = f(gate) up; activation 0: relu, 1: gelu, exact with erf, 2: swish, z / (1 + exp(-z))
struct xf_gated_activation_forward_args {
  struct xf_kernel_call call;
  const void* gate;  // [N, F] values, read
  const void* up;    // [N, F] values, read
  void* y;           // [N, F] values, written
  int64_t N, F;
  int64_t activation;
};
int gated_activation_forward(const struct xf_gated_activation_forward_args* args);

// gated_activation_backward: dgate = dy up f'(gate), dup = dy f(gate)
struct xf_gated_activation_backward_args {
  struct xf_kernel_call call;
  const void* dy;    // [N, F] values, read
  const void* gate;  // [N, F] values, read
  const void* up;    // [N, F] values, read
  void* dgate;       // [N, F] values, written
  void* dup;         // [N, F] values, written
  int64_t N, F;
  int64_t activation;
};
int gated_activation_backward(const struct xf_gated_activation_backward_args* args);

// rotary_forward: y = x turned: y_0 = x_0 cos - x_1 sin, y_1 = x_0 sin + x_1 cos for the halves x_0, x_1 of a head;
// row s of the table: the P cosines, then the P sines of position s
struct xf_rotary_forward_args {
  struct xf_kernel_call call;
  const void* x;      // [B, S, H, 2 P] values, read
  const void* table;  // [S, 2 P] sums, read
  void* y;            // [B, S, H, 2 P] values, written
  int64_t B, S, H, P;
};
int rotary_forward(const struct xf_rotary_forward_args* args);

// rotary_backward: dx = dy turned back, as by rotary_forward with -sin
struct xf_rotary_backward_args {
  struct xf_kernel_call call;
  const void* dy;     // [B, S, H, 2 P] values, read
  const void* table;  // [S, 2 P] sums, read
  void* dx;           // [B, S, H, 2 P] values, written
  int64_t B, S, H, P;
};
int rotary_backward(const struct xf_rotary_backward_args* args);

// attention_forward: o = softmax(scale q k^T) v for each sentence and head; causal 1: query i sees keys j <= i
struct xf_attention_forward_args {
  struct xf_kernel_call call;
  const void* q;  // [B, S, H, Dh] values, read
  const void* k;  // [B, S, H, Dh] values, read
  const void* v;  // [B, S, H, Dh] values, read
  void* o;        // [B, S, H, Dh] values, written
  int64_t B, S, H, Dh;
  double scale;
  int64_t causal;
};
int attention_forward(const struct xf_attention_forward_args* args);

// attention_backward: the gradients of attention_forward, of which o came
struct xf_attention_backward_args {
  struct xf_kernel_call call;
  const void* grad_o;  // [B, S, H, Dh] values, read
  const void* q;       // [B, S, H, Dh] values, read
  const void* k;       // [B, S, H, Dh] values, read
  const void* v;       // [B, S, H, Dh] values, read
  const void* o;       // [B, S, H, Dh] values, read
  void* dq;            // [B, S, H, Dh] values, written
  void* dk;            // [B, S, H, Dh] values, written
  void* dv;            // [B, S, H, Dh] values, written
  int64_t B, S, H, Dh;
  double scale;
  int64_t causal;
};
int attention_backward(const struct xf_attention_backward_args* args);

// grouped_attention_forward: o = softmax(scale q k^T) v for each sentence and query head, of which G share a key
// head; causal 1: query i sees keys j <= i
struct xf_grouped_attention_forward_args {
  struct xf_kernel_call call;
  const void* q;  // [B, S, Hk G, Dh] values, read
  const void* k;  // [B, S, Hk, Dh] values, read
  const void* v;  // [B, S, Hk, Dh] values, read
  void* o;        // [B, S, Hk G, Dh] values, written
  int64_t B, S, Hk, G, Dh;
  double scale;
  int64_t causal;
};
int grouped_attention_forward(const struct xf_grouped_attention_forward_args* args);

// grouped_attention_backward: the gradients of grouped_attention_forward, of which o came; dk and dv are sums over G
struct xf_grouped_attention_backward_args {
  struct xf_kernel_call call;
  const void* grad_o;  // [B, S, Hk G, Dh] values, read
  const void* q;       // [B, S, Hk G, Dh] values, read
  const void* k;       // [B, S, Hk, Dh] values, read
  const void* v;       // [B, S, Hk, Dh] values, read
  const void* o;       // [B, S, Hk G, Dh] values, read
  void* dq;            // [B, S, Hk G, Dh] values, written
  void* dk;            // [B, S, Hk, Dh] values, written
  void* dv;            // [B, S, Hk, Dh] values, written
  int64_t B, S, Hk, G, Dh;
  double scale;
  int64_t causal;
};
int grouped_attention_backward(const struct xf_grouped_attention_backward_args* args);

// softmax_forward: p = softmax(s) over D
struct xf_softmax_forward_args {
  struct xf_kernel_call call;
  const void* s;  // [N, D] values, read
  void* p;        // [N, D] values, written
  int64_t N, D;
};
int softmax_forward(const struct xf_softmax_forward_args* args);

// softmax_backward: ds = p (dp - the sum of p dp over D)
struct xf_softmax_backward_args {
  struct xf_kernel_call call;
  const void* dp;  // [N, D] values, read
  const void* p;   // [N, D] values, read
  void* ds;        // [N, D] values, written
  int64_t N, D;
};
int softmax_backward(const struct xf_softmax_backward_args* args);

// layer_norm_forward: y = gamma (x - mean) rstd + beta; mean over D, rstd = 1 / sqrt(variance + eps), which divides
// by D
struct xf_layer_norm_forward_args {
  struct xf_kernel_call call;
  const void* x;      // [N, D] values, read
  const void* gamma;  // [D] values, read
  const void* beta;   // [D] values, read
  void* y;            // [N, D] values, written
  void* mean;         // [N] sums, written
  void* rstd;         // [N] sums, written
  int64_t N, D;
  double eps;
};
int layer_norm_forward(const struct xf_layer_norm_forward_args* args);

// layer_norm_backward: the gradients of layer_norm_forward; dgamma and dbeta are sums over N
struct xf_layer_norm_backward_args {
  struct xf_kernel_call call;
  const void* dy;     // [N, D] values, read
  const void* x;      // [N, D] values, read
  const void* gamma;  // [D] values, read
  const void* mean;   // [N] sums, read
  const void* rstd;   // [N] sums, read
  void* dx;           // [N, D] values, written
  void* dgamma;       // [D] sums, accumulated
  void* dbeta;        // [D] sums, accumulated
  int64_t N, D;
};
int layer_norm_backward(const struct xf_layer_norm_backward_args* args);

// rms_norm_forward: y = gamma x rstd, rstd = 1 / sqrt(the mean of x^2 over D + eps)
struct xf_rms_norm_forward_args {
  struct xf_kernel_call call;
  const void* x;      // [N, D] values, read
  const void* gamma;  // [D] values, read
  void* y;            // [N, D] values, written
  void* rstd;         // [N] sums, written
  int64_t N, D;
  double eps;
};
int rms_norm_forward(const struct xf_rms_norm_forward_args* args);

// rms_norm_backward: the gradients of rms_norm_forward; dgamma is a sum over N
struct xf_rms_norm_backward_args {
  struct xf_kernel_call call;
  const void* dy;     // [N, D] values, read
  const void* x;      // [N, D] values, read
  const void* gamma;  // [D] values, read
  const void* rstd;   // [N] sums, read
  void* dx;           // [N, D] values, written
  void* dgamma;       // [D] sums, accumulated
  int64_t N, D;
};
int rms_norm_backward(const struct xf_rms_norm_backward_args* args);

// cross_entropy: loss += {the sum of smoothed losses, the sum of -log p_target}; z becomes its gradient, softmax(z) -
// q with q = (1 - label_smoothing) onehot + label_smoothing / V; a row whose target is -1 counts nothing: zeros
struct xf_cross_entropy_args {
  struct xf_kernel_call call;
  const void* targets;  // [N] ids, read
  void* z;              // [N, V] values, updated
  void* loss;           // [2] sums, accumulated
  int64_t N, V;
  double label_smoothing;
};
int cross_entropy(const struct xf_cross_entropy_args* args);

// adam: g' = scale g, m = beta1 m + (1 - beta1) g', v = beta2 v + (1 - beta2) g'^2, p -= learning_rate (m /
// correction1) / (sqrt(v / correction2) + eps); g may be written over
struct xf_adam_args {
  struct xf_kernel_call call;
  void* g;  // [P] values, updated
  void* p;  // [P] values, updated
  void* m;  // [P] values, updated
  void* v;  // [P] values, updated
  int64_t P;
  double learning_rate;
  double beta1;
  double beta2;
  double eps;
  double correction1;
  double correction2;
  double scale;
};
int adam(const struct xf_adam_args* args);

#ifdef __cplusplus
}
#endif

#endif  // XFORMER_KERNEL_H
