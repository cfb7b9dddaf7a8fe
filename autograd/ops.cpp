#include "autograd/ops.h"

#include "kernels/elementwise.h"
#include "kernels/gated_activation.h"
#include "kernels/layer_norm.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"

namespace xf::autograd {

using kernels::Transpose;

namespace {

Transpose flip(Transpose transpose) { return transpose == Transpose::no ? Transpose::yes : Transpose::no; }

Tensor like(Tape& tape, const Tensor& x) { return tape.allocate(x.shape(), x.dtype()); }

}  // namespace

Variable matmul(Tape& tape, const Variable& a, Transpose ta, const Variable& b, Transpose tb) {
  const Tensor A = a.value(), B = b.value();
  const int64_t M = ta == Transpose::no ? A.rows() : A.width(),
                N = tb == Transpose::no ? B.width() : B.rows();
  const Tensor c = tape.allocate({M, N}, A.dtype());
  kernels::matmul(A, ta, B, tb, Accumulate::no, c);
  return tape.record("matmul", c, {a, b}, [=](Gradients& grad) {
    const Tensor dc = grad.of_output();
    if (grad.wanted(0)) {
      const auto da = grad.accumulated(0);
      if (ta == Transpose::no) kernels::matmul(dc, Transpose::no, B, flip(tb), da.accumulate, da.tensor);
      if (ta == Transpose::yes) kernels::matmul(B, tb, dc, Transpose::yes, da.accumulate, da.tensor);
    }
    if (grad.wanted(1)) {
      const auto db = grad.accumulated(1);
      if (tb == Transpose::no) kernels::matmul(A, flip(ta), dc, Transpose::no, db.accumulate, db.tensor);
      if (tb == Transpose::yes) kernels::matmul(dc, Transpose::yes, A, ta, db.accumulate, db.tensor);
    }
  });
}

Variable add(Tape& tape, const Variable& a, const Variable& b) {
  const Tensor c = like(tape, a.value());
  kernels::copy(a.value(), c);
  kernels::add_in_place(b.value(), c);
  return tape.record("add", c, {a, b}, [](Gradients& grad) {
    for (const size_t input : {size_t{0}, size_t{1}}) {
      if (grad.wanted(input)) kernels::copy(grad.of_output(), grad.written(input));
    }
  });
}

Variable scale(Tape& tape, const Variable& x, float alpha) {
  const Tensor y = like(tape, x.value());
  kernels::scale(x.value(), alpha, y);
  return tape.record("scale", y, {x}, [alpha](Gradients& grad) {
    if (grad.wanted(0)) kernels::scale(grad.of_output(), alpha, grad.written(0));
  });
}

Variable masked_fill(Tape& tape, const Variable& x, const Tensor& mask, float value) {
  const Tensor y = like(tape, x.value());
  kernels::masked_fill(x.value(), mask, value, y);
  return tape.record("masked_fill", y, {x}, [mask](Gradients& grad) {
    if (grad.wanted(0)) kernels::masked_fill(grad.of_output(), mask, 0, grad.written(0));
  });
}

Variable gather_rows(Tape& tape, const Variable& x, const Tensor& rows, const Tensor& places) {
  const Tensor y = tape.allocate({rows.numel(), x.value().width()}, x.value().dtype());
  kernels::gather_rows(x.value(), rows, y);
  return tape.record("gather_rows", y, {x}, [places](Gradients& grad) {
    if (grad.wanted(0)) kernels::gather_rows(grad.of_output(), places, grad.written(0));
  });
}

Variable add_bias(Tape& tape, const Variable& x, const Variable& bias) {
  const Tensor y = like(tape, x.value()), b = bias.value();
  kernels::copy(x.value(), y);
  kernels::add_bias(b, y);
  return tape.record("add_bias", y, {x, bias}, [b](Gradients& grad) {
    if (grad.wanted(0)) kernels::copy(grad.of_output(), grad.written(0));
    if (grad.wanted(1)) kernels::sum_rows(grad.of_output(), grad.summed(1, b));
  });
}

Variable bias_activation(Tape& tape, const Variable& x, const Variable& bias,
                         kernels::Activation activation) {
  const Tensor a = like(tape, x.value()), b = bias.value();
  kernels::bias_activation_forward(x.value(), b, activation, {}, a);
  const Tensor saved = kernels::keeps_input(activation) ? x.value() : a;
  return tape.record("bias_activation", a, {x, bias}, [=](Gradients& grad) {
    const Tensor dx = grad.written(0, a), dbias = grad.summed(1, b);
    kernels::bias_activation_backward(grad.of_output(), saved, b, activation, {}, dx, dbias);
  });
}

Variable gated_activation(Tape& tape, const Variable& gate_input, const Variable& up_input,
                          kernels::Activation activation) {
  const Tensor gate = gate_input.value(), up = up_input.value(), y = like(tape, gate);
  kernels::gated_activation_forward(gate, up, activation, y);
  return tape.record("gated_activation", y, {gate_input, up_input}, [=](Gradients& grad) {
    const Tensor dgate = grad.written(0, gate), dup = grad.written(1, up);
    kernels::gated_activation_backward(grad.of_output(), gate, up, activation, dgate, dup);
  });
}

Variable dropout(Tape& tape, const Variable& x, const kernels::Dropout& options) {
  const Tensor y = like(tape, x.value());
  kernels::dropout(x.value(), options, y);
  return tape.record("dropout", y, {x}, [options](Gradients& grad) {
    if (grad.wanted(0)) kernels::dropout(grad.of_output(), options, grad.written(0));
  });
}

Variable softmax(Tape& tape, const Variable& s, const kernels::SoftmaxMask& mask) {
  const Tensor p = like(tape, s.value());
  kernels::softmax_forward(s.value(), mask, p);
  return tape.record("softmax", p, {s}, [p](Gradients& grad) {
    if (grad.wanted(0)) kernels::softmax_backward(grad.of_output(), p, grad.written(0));
  });
}

Variable layer_norm(Tape& tape, const Variable& input, const Variable& gamma_input,
                    const Variable& beta_input, float eps) {
  const Tensor x = input.value(), gamma = gamma_input.value(), y = like(tape, x);
  const Tensor mean = tape.allocate({x.rows()}, accumulator_of(x.dtype()));
  const Tensor rstd = tape.allocate({x.rows()}, accumulator_of(x.dtype()));
  kernels::layer_norm_forward(x, gamma, beta_input.value(), eps, y, mean, rstd);
  return tape.record("layer_norm", y, {input, gamma_input, beta_input}, [=](Gradients& grad) {
    const Tensor dx = grad.written(0, x), dgamma = grad.summed(1, gamma), dbeta = grad.summed(2, gamma);
    kernels::layer_norm_backward(grad.of_output(), x, gamma, mean, rstd, dx, dgamma, dbeta);
  });
}

Variable rms_norm(Tape& tape, const Variable& input, const Variable& gamma_input, float eps) {
  const Tensor x = input.value(), gamma = gamma_input.value(), y = like(tape, x);
  const Tensor rstd = tape.allocate({x.rows()}, accumulator_of(x.dtype()));
  kernels::rms_norm_forward(x, gamma, eps, y, rstd);
  return tape.record("rms_norm", y, {input, gamma_input}, [=](Gradients& grad) {
    kernels::rms_norm_backward(grad.of_output(), x, gamma, rstd, grad.written(0, x), grad.summed(1, gamma));
  });
}

Variable rotary(Tape& tape, const Variable& x, const Tensor& positions, const Tensor& table) {
  const Tensor y = like(tape, x.value());
  kernels::rotary_forward(x.value(), positions, table, y);
  return tape.record("rotary", y, {x}, [=](Gradients& grad) {
    if (grad.wanted(0)) kernels::rotary_backward(grad.of_output(), positions, table, grad.written(0));
  });
}

Variable attention(Tape& tape, const Variable& q_input, const Variable& k_input, const Variable& v_input,
                   const Tensor& query_offsets, const Tensor& key_offsets,
                   const kernels::AttentionShape& shape, const kernels::Dropout& options) {
  const Tensor q = q_input.value(), k = k_input.value(), v = v_input.value();
  const Tensor o = tape.allocate(q.shape(), q.dtype());
  const Tensor lse =
      shape.is_long() ? tape.allocate({shape.heads, q.rows()}, accumulator_of(q.dtype())) : Tensor();
  kernels::attention_forward(q, k, v, query_offsets, key_offsets, shape, options, o, lse);
  return tape.record("attention", o, {q_input, k_input, v_input}, [=](Gradients& grad) {
    const Tensor dq = grad.written(0, q), dk = grad.written(1, k), dv = grad.written(2, v);
    kernels::attention_backward(grad.of_output(), q, k, v, o, lse, query_offsets, key_offsets, shape, options,
                                dq, dk, dv);
  });
}

Variable embedding(Tape& tape, const Tensor& ids, const Tensor& positions, const Tensor& order,
                   const Variable& table, const Tensor& position_table, float alpha,
                   const kernels::Dropout& options) {
  const Tensor x = tape.allocate({ids.numel(), table.value().width()}, table.value().dtype());
  kernels::embedding_forward(ids, positions, table.value(), position_table, alpha, options, x);
  return tape.record("embedding", x, {table}, [=, rows = table.value()](Gradients& grad) {
    if (!grad.wanted(0)) return;
    kernels::embedding_backward(grad.of_output(), ids, order, alpha, options, grad.summed(0, rows));
  });
}

Variable cross_entropy(Tape& tape, const Variable& z, const Tensor& targets,
                       const kernels::CrossEntropy& options) {
  const Tensor sums = tape.allocate({2}, accumulator_of(z.value().dtype()));
  kernels::fill_zero(sums);
  const Tensor p_minus_q = tape.recording() ? like(tape, z.value()) : Tensor();
  kernels::cross_entropy(z.value(), targets, options, sums, p_minus_q);
  return tape.record("cross_entropy", sums.slice_rows(0, 1), {z}, [p_minus_q](Gradients& grad) {
    if (grad.wanted(0)) kernels::scale(p_minus_q, grad.of_output(), grad.written(0));
  });
}

Variable reshape(Tape& tape, const Variable& x, Shape shape) {
  const Shape before = x.value().shape();
  return tape.record("reshape", x.value().reshape(shape), {x}, [before](Gradients& grad) {
    if (grad.wanted(0)) kernels::copy(grad.of_output().reshape(before), grad.written(0));
  });
}

}  // namespace xf::autograd
