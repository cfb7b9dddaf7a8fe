// Affine maps with cuBLASLt's epilogues: the bias, and relu where there is no dropout, are applied
// to sums that are still in registers, which saves a read and a write of y. The bias gradient comes
// with the weight's: a kernel of the library's own behind the product (cuBLASLt 13.1, an H200), as
// fast as our sums of rows, one launch where those are two.
#include "kernels/linear.h"

#include "core/cuda.h"
#include "kernels/cuda/product.h"
#include "kernels/elementwise.h"

namespace xf::kernels {

template <typename T>
bool linear_forward_at_once(Cuda, const LinearForwardArgs<T>& args) {
  return multiply(product_of(args), Epilogue<T>{.bias = args.bias, .relu = args.relu});
}

// dw = dy^T x. The epilogue writes the sums of the rows of dy^T; where they are to be added, by way
// of scratch.
template <typename T>
bool linear_backward_weight_at_once(Cuda backend, const LinearBackwardWeightArgs<T>& args) {
  const MatmulArgs<T, Acc<T>> product{.a = args.dy,
                                      .b = args.x,
                                      .c = args.dw,
                                      .M = args.M,
                                      .N = args.K,
                                      .K = args.N,
                                      .a_stride = args.dy_stride,
                                      .b_stride = args.x_stride,
                                      .c_stride = args.dw_stride,
                                      .transpose_a = true,
                                      .transpose_b = false,
                                      .accumulate = args.accumulate};
  if (!args.accumulate) return multiply(product, Epilogue<Acc<T>>{.sums_of_a = args.dbias});
  const auto sums = static_cast<Acc<T>*>(cuda::workspace(args.M * static_cast<int64_t>(sizeof(Acc<T>))));
  if (!multiply(product, Epilogue<Acc<T>>{.sums_of_a = sums})) return false;
  add_in_place(backend,
               RowsArgs<Acc<T>>{
                   .x = sums, .y = args.dbias, .N = 1, .D = args.M, .x_stride = args.M, .y_stride = args.M});
  return true;
}

template bool linear_forward_at_once(Cuda, const LinearForwardArgs<float>&);
template bool linear_forward_at_once(Cuda, const LinearForwardArgs<bf16>&);
template bool linear_backward_weight_at_once(Cuda, const LinearBackwardWeightArgs<float>&);
template bool linear_backward_weight_at_once(Cuda, const LinearBackwardWeightArgs<bf16>&);

}  // namespace xf::kernels
