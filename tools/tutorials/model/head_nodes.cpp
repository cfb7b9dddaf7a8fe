#include "tools/tutorials/model/head_nodes.h"

#include <cstring>

namespace xf::nn::quirks {

using autograd::Gradients;
using kernels::Accumulate;
using kernels::Transpose;

namespace {

// joined [B, S, H * Dh], apart [B, H, S, Dh]: calls f with each token's address of a head in both,
// and its bytes.
template <typename F>
void for_each_head(const Tensor& joined, const Tensor& apart, const F& f) {
  const int64_t B = apart.dim(0), H = apart.dim(1), S = apart.dim(2),
                bytes = apart.dim(3) * size_of(apart.dtype());
  auto* from = static_cast<char*>(joined.raw());
  auto* to = static_cast<char*>(apart.raw());
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < H; ++h) {
      for (int64_t s = 0; s < S; ++s)
        f(from + ((b * S + s) * H + h) * bytes, to + ((b * H + h) * S + s) * bytes,
          static_cast<size_t>(bytes));
    }
  }
}

void split(const Tensor& joined, const Tensor& apart) {
  for_each_head(joined, apart, [](char* one, char* other, size_t bytes) { std::memcpy(other, one, bytes); });
}
void join(const Tensor& apart, const Tensor& joined) {
  for_each_head(joined, apart, [](char* one, char* other, size_t bytes) { std::memcpy(one, other, bytes); });
}

// Matrix i of x [B, H, R, C]. -> [R, C]
Tensor matrix(const Tensor& x, int64_t i) { return x.slice_rows(i * x.dim(2), (i + 1) * x.dim(2)); }

// C = op(A) op(B), matrix by matrix.
void multiply(const Tensor& a, Transpose transpose_a, const Tensor& b, Transpose transpose_b,
              Accumulate accumulate, const Tensor& c) {
  for (int64_t i = 0; i < c.dim(0) * c.dim(1); ++i)
    kernels::matmul(matrix(a, i), transpose_a, matrix(b, i), transpose_b, accumulate, matrix(c, i));
}

}  // namespace

Variable split_heads(Tape& tape, const Variable& x, int64_t H) {
  const Shape shape = x.value().shape();
  const Tensor y = tape.allocate({shape[0], H, shape[1], shape[2] / H}, x.value().dtype());
  split(x.value(), y);
  return tape.record("split_heads", y, {x}, [](Gradients& grad) {
    if (grad.wanted(0)) join(grad.of_output(), grad.written(0));
  });
}

Variable join_heads(Tape& tape, const Variable& x) {
  const Shape shape = x.value().shape();
  const Tensor y = tape.allocate({shape[0], shape[2], shape[1] * shape[3]}, x.value().dtype());
  join(x.value(), y);
  return tape.record("join_heads", y, {x}, [](Gradients& grad) {
    if (grad.wanted(0)) split(grad.of_output(), grad.written(0));
  });
}

Variable products(Tape& tape, const Variable& a, const Variable& b, Transpose transpose_b) {
  const Tensor A = a.value(), B = b.value();
  const bool transposed = transpose_b == Transpose::yes;
  const Tensor c = tape.allocate({A.dim(0), A.dim(1), A.dim(2), transposed ? B.dim(2) : B.dim(3)}, A.dtype());
  multiply(A, Transpose::no, B, transpose_b, Accumulate::no, c);
  return tape.record("products", c, {a, b}, [=](Gradients& grad) {
    const Tensor dc = grad.of_output();
    if (grad.wanted(0)) {
      const auto da = grad.accumulated(0);
      multiply(dc, Transpose::no, B, transposed ? Transpose::no : Transpose::yes, da.accumulate, da.tensor);
    }
    if (!grad.wanted(1)) return;
    const auto db = grad.accumulated(1);
    if (transposed) {
      multiply(dc, Transpose::yes, A, Transpose::no, db.accumulate, db.tensor);
    } else {
      multiply(A, Transpose::yes, dc, Transpose::no, db.accumulate, db.tensor);
    }
  });
}

}  // namespace xf::nn::quirks
