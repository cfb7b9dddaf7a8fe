// Dropout on CUDA: 2e bytes an element and ten rounds of Philox per four. Mapping and block size:
// rows.cuh; a pack of 16 bytes is one counter (f32) or two (bf16).

#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

template <typename T>
struct Drop {
  Matrix<const T> x;
  Matrix<T> y;
  DropoutArgs dropout;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    auto pack = x.load(row, column, left, alignment);
    drop(dropout, row, column, pack);
    y.store(pack, row, column, left, alignment);
  }
};

}  // namespace

template <typename T>
void dropout(Cuda, const DropoutApplyArgs<T>& args) {
  for_each_pack<T>(args.N, args.D, Drop<T>{{args.x, args.x_stride}, {args.y, args.y_stride}, args.dropout});
}

XF_INSTANTIATE(dropout, DropoutApplyArgs);

}  // namespace xf::kernels
