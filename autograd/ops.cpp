#include "autograd/ops.h"

#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"

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
  return tape.record(c, {a, b}, [=](Gradients& grad) {
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
  return tape.record(c, {a, b}, [](Gradients& grad) {
    for (const size_t input : {size_t{0}, size_t{1}}) {
      if (grad.wanted(input)) kernels::copy(grad.of_output(), grad.written(input));
    }
  });
}

Variable scale(Tape& tape, const Variable& x, float alpha) {
  const Tensor y = like(tape, x.value());
  kernels::scale(x.value(), alpha, y);
  return tape.record(y, {x}, [alpha](Gradients& grad) {
    if (grad.wanted(0)) kernels::scale(grad.of_output(), alpha, grad.written(0));
  });
}

Variable add_bias(Tape& tape, const Variable& x, const Variable& bias) {
  const Tensor y = like(tape, x.value());
  kernels::copy(x.value(), y);
  kernels::add_bias(bias.value(), y);
  return tape.record(y, {x, bias}, [](Gradients& grad) {
    if (grad.wanted(0)) kernels::copy(grad.of_output(), grad.written(0));
    if (!grad.wanted(1)) return;
    const auto dbias = grad.accumulated(1);
    if (dbias.accumulate == Accumulate::no) kernels::fill_zero(dbias.tensor);
    kernels::sum_rows(grad.of_output(), dbias.tensor);
  });
}

Variable bias_activation(Tape& tape, const Variable& x, const Variable& bias,
                         kernels::Activation activation) {
  const Tensor a = like(tape, x.value()), b = bias.value();
  kernels::bias_activation_forward(x.value(), b, activation, {}, a);
  const Tensor saved = activation == kernels::Activation::relu ? a : x.value();
  return tape.record(a, {x, bias}, [=](Gradients& grad) {
    const Tensor dx = grad.wanted(0) ? grad.written(0) : grad.arena().allocate(a.shape(), a.dtype());
    const auto dbias =
        grad.wanted(1) ? grad.accumulated(1)
                       : Gradients::Destination{grad.arena().allocate(b.shape(), b.dtype()), Accumulate::no};
    if (dbias.accumulate == Accumulate::no) kernels::fill_zero(dbias.tensor);
    kernels::bias_activation_backward(grad.of_output(), saved, b, activation, {}, dx, dbias.tensor);
  });
}

Variable dropout(Tape& tape, const Variable& x, const kernels::Dropout& options) {
  const Tensor y = like(tape, x.value());
  kernels::dropout(x.value(), options, y);
  return tape.record(y, {x}, [options](Gradients& grad) {
    if (grad.wanted(0)) kernels::dropout(grad.of_output(), options, grad.written(0));
  });
}

Variable softmax(Tape& tape, const Variable& s, const kernels::SoftmaxMask& mask) {
  const Tensor p = like(tape, s.value());
  kernels::softmax_forward(s.value(), mask, p);
  return tape.record(p, {s}, [p](Gradients& grad) {
    if (grad.wanted(0)) kernels::softmax_backward(grad.of_output(), p, grad.written(0));
  });
}

Variable layer_norm(Tape& tape, const Variable& input, const Variable& gamma_input,
                    const Variable& beta_input, float eps) {
  const Tensor x = input.value(), gamma = gamma_input.value(), y = like(tape, x);
  const Tensor mean = tape.allocate({x.rows()}, accumulator_of(x.dtype()));
  const Tensor rstd = tape.allocate({x.rows()}, accumulator_of(x.dtype()));
  kernels::layer_norm_forward(x, gamma, beta_input.value(), eps, y, mean, rstd);
  return tape.record(y, {input, gamma_input, beta_input}, [=](Gradients& grad) {
    const auto vector = [&](size_t i) {
      const auto to =
          grad.wanted(i)
              ? grad.accumulated(i)
              : Gradients::Destination{grad.arena().allocate(gamma.shape(), gamma.dtype()), Accumulate::no};
      if (to.accumulate == Accumulate::no) kernels::fill_zero(to.tensor);
      return to.tensor;
    };
    const Tensor dgamma = vector(1), dbeta = vector(2);
    const Tensor dx = grad.wanted(0) ? grad.written(0) : grad.arena().allocate(x.shape(), x.dtype());
    kernels::layer_norm_backward(grad.of_output(), x, gamma, mean, rstd, dx, dgamma, dbeta);
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
  return tape.record(o, {q_input, k_input, v_input}, [=](Gradients& grad) {
    const auto gradient_for = [&](size_t i, const Tensor& x) {
      return grad.wanted(i) ? grad.written(i) : grad.arena().allocate(x.shape(), x.dtype());
    };
    const Tensor dq = gradient_for(0, q), dk = gradient_for(1, k), dv = gradient_for(2, v);
    kernels::attention_backward(grad.of_output(), q, k, v, o, lse, query_offsets, key_offsets, shape, options,
                                dq, dk, dv);
  });
}

Variable embedding(Tape& tape, const Tensor& ids, const Tensor& positions, const Tensor& order,
                   const Variable& table, const Tensor& position_table, float alpha,
                   const kernels::Dropout& options) {
  const Tensor x = tape.allocate({ids.numel(), table.value().width()}, table.value().dtype());
  kernels::embedding_forward(ids, positions, table.value(), position_table, alpha, options, x);
  return tape.record(x, {table}, [=](Gradients& grad) {
    if (!grad.wanted(0)) return;
    const auto dtable = grad.accumulated(0);
    if (dtable.accumulate == Accumulate::no) kernels::fill_zero(dtable.tensor);
    kernels::embedding_backward(grad.of_output(), ids, order, alpha, options, dtable.tensor);
  });
}

Variable cross_entropy(Tape& tape, const Variable& z, const Tensor& targets,
                       const kernels::CrossEntropy& options) {
  const Tensor loss = tape.allocate({2}, accumulator_of(z.value().dtype()));
  kernels::fill_zero(loss);
  const Tensor dz = tape.recording() ? like(tape, z.value()) : Tensor();
  kernels::cross_entropy(z.value(), targets, options, loss, dz);
  return tape.record(loss, {z}, [dz](Gradients& grad) {
    if (grad.wanted(0)) grad.give(0, dz);
  });
}

}  // namespace xf::autograd
