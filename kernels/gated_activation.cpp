#include "kernels/gated_activation.h"

#include "core/dispatch.h"
#include "kernels/signature.h"

namespace xf::kernels {

void gated_activation_forward(const Tensor& gate, const Tensor& up, Activation activation, Out y) {
  check_arguments(signature_of("gated_activation_forward"), {&gate, &up, &y});
  if (gate.numel() == 0) return;
  dispatch(gate, [&]<typename T>(auto backend) {
    gated_activation_forward(backend, GatedActivationForwardArgs<T>{.gate = gate.data<T>(),
                                                                    .up = up.data<T>(),
                                                                    .y = y.data<T>(),
                                                                    .N = gate.rows(),
                                                                    .F = gate.width(),
                                                                    .gate_stride = gate.row_stride(),
                                                                    .up_stride = up.row_stride(),
                                                                    .y_stride = y.row_stride(),
                                                                    .activation = activation});
  });
}

void gated_activation_backward(const Tensor& dy, const Tensor& gate, const Tensor& up, Activation activation,
                               Out dgate, Out dup) {
  check_arguments(signature_of("gated_activation_backward"), {&dy, &gate, &up, &dgate, &dup});
  if (dy.numel() == 0) return;
  dispatch(dy, [&]<typename T>(auto backend) {
    gated_activation_backward(backend, GatedActivationBackwardArgs<T>{.dy = dy.data<T>(),
                                                                      .gate = gate.data<T>(),
                                                                      .up = up.data<T>(),
                                                                      .dgate = dgate.data<T>(),
                                                                      .dup = dup.data<T>(),
                                                                      .N = dy.rows(),
                                                                      .F = dy.width(),
                                                                      .dy_stride = dy.row_stride(),
                                                                      .gate_stride = gate.row_stride(),
                                                                      .up_stride = up.row_stride(),
                                                                      .dgate_stride = dgate.row_stride(),
                                                                      .dup_stride = dup.row_stride(),
                                                                      .activation = activation});
  });
}

}  // namespace xf::kernels
