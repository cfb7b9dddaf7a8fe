// The floor of a training step: the least time in which this machine's memory and GEMM library
// could do it. Every speed is reported as a percentage of it.
//
//   floor = sum over kernels of max(bytes / copy bandwidth, FLOPs / GEMM rate) (1)
//
// with each operand read or written once per kernel, fused as the engine fuses (attention on chip,
// residual + dropout + norm in one pass, the logits' gradient over the logits), and all FLOPs at
// the GEMM's rate. Backward counts twice a GEMM's forward; attention 7/2 of its FLOPs in all
// (backward recomputes the scores). Williams, Waterman, Patterson 2009, "Roofline", CACM 52(4).
#pragma once

#include <cstdint>

namespace xf::bench {

// Measured, never read from a data sheet.
struct Machine {
  double copy_rate = 0;  // bytes/s, read + written
  double gemm_rate = 0;  // FLOP/s
};

// Post-norm encoder and decoder of equal depth, and one batch.
struct StepSize {
  int64_t dim = 0, feed_forward = 0, layers = 0;
  int64_t target_vocabulary = 0;
  int64_t parameters = 0;
  int64_t source_tokens = 0, target_tokens = 0;
  double source_length = 0, target_length = 0;  // keys a token attends to
  double element_bytes = 4;                     // of activations, weights and gradients
};

// Seconds.
struct StepFloor {
  double gemm = 0;    // all products but the logits'
  double logits = 0;  // the output projection
  double attention = 0;
  double norms = 0;          // residual + dropout + layer norm
  double cross_entropy = 0;  // two passes over the logits
  double adam = 0;           // 28 bytes/parameter
  double rest = 0;           // embeddings, gradient norm
  double total() const { return gemm + logits + attention + norms + cross_entropy + adam + rest; }
};

double step_flops(const StepSize& size);
double step_bytes(const StepSize& size);  // of (1): each kernel's operands, read or written once
StepFloor step_floor(const StepSize& size, const Machine& machine);

// The same for one kernel.
double kernel_floor(double bytes, double flops, const Machine& machine);

}  // namespace xf::bench
