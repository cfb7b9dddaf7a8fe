// The non-linearities and their derivatives: docs/derivations/feed_forward.md.
#pragma once

#include <cmath>

#include "kernels/activation.h"

namespace xf::kernels::plain {

inline double relu(double z) { return z > 0 ? z : 0; }             // AC1
inline double relu_derivative(double z) { return z > 0 ? 1 : 0; }  // AC2

// The normal distribution and its density.
inline double Phi(double z) { return 0.5 * (1 + std::erf(z / std::sqrt(2.0))); }
inline double phi(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::acos(-1.0)); }

inline double gelu(double z) { return z * Phi(z); }                      // AC3
inline double gelu_derivative(double z) { return Phi(z) + z * phi(z); }  // AC4

inline double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
inline double swish(double z) { return z * sigmoid(z); }                                             // AC7
inline double swish_derivative(double z) { return sigmoid(z) + z * sigmoid(z) * (1 - sigmoid(z)); }  // AC8

inline double activate(Activation f, double z) {
  return f == Activation::relu ? relu(z) : f == Activation::gelu ? gelu(z) : swish(z);
}
inline double activation_derivative(Activation f, double z) {
  return f == Activation::relu   ? relu_derivative(z)
         : f == Activation::gelu ? gelu_derivative(z)
                                 : swish_derivative(z);
}

inline void bias_activation_forward(int64_t N, int64_t F, Activation f,
                                    const double* x,     // [N, F]
                                    const double* bias,  // [F]
                                    const double* m,     // [N, F], dropout's factors
                                    double* a) {         // [N, F], written
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < F; ++i) a[n * F + i] = m[n * F + i] * activate(f, x[n * F + i] + bias[i]);  // AC0
  }
}

inline void bias_activation_backward(int64_t N, int64_t F, Activation f,
                                     const double* da,    // [N, F]
                                     const double* x,     // [N, F]
                                     const double* bias,  // [F]
                                     const double* m,     // [N, F]
                                     double* dx,          // [N, F], written
                                     double* dbias) {     // [F], accumulated
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t i = 0; i < F; ++i) {
      const double slope = activation_derivative(f, x[n * F + i] + bias[i]);
      dx[n * F + i] = da[n * F + i] * m[n * F + i] * slope;  // AC5
      dbias[i] += dx[n * F + i];                             // AC6
    }
  }
}

}  // namespace xf::kernels::plain
