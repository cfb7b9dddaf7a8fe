// Elementwise ops and row sums on CUDA, bound by memory: 2e bytes an element (x in, y out; add and
// move_towards 3e, fill_zero and sum_rows e, masked_fill 2e + 4), e = 4 or 2. To gather_rows a
// number that is no row's is as an empty place. Mapping and block size: rows.cuh. Matrices without
// gaps are walked as one long row, whatever their width.
#include "kernels/elementwise.h"

#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

template <typename T>
struct Add {
  Matrix<const T> x;
  Matrix<T> y;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    const auto terms = x.load(row, column, left, alignment);
    auto sum = y.load(row, column, left, alignment);
#pragma unroll
    for (int i = 0; i < sum.kCount; ++i) sum.x[i] += terms.x[i];
    y.store(sum, row, column, left, alignment);
  }
};

template <typename T>
struct Scale {
  Matrix<const T> x;
  Matrix<T> y;
  float alpha;
  const float* alpha_at;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    auto pack = x.load(row, column, left, alignment);
    const float factor = alpha_at ? *alpha_at : alpha;
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] *= factor;
    y.store(pack, row, column, left, alignment);
  }
};

template <typename T>
struct MoveTowards {
  Matrix<const T> x;
  Matrix<T> y;
  const float* share;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    const auto to = x.load(row, column, left, alignment);
    auto pack = y.load(row, column, left, alignment);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] = fmaf(*share, to.x[i] - pack.x[i], pack.x[i]);
    y.store(pack, row, column, left, alignment);
  }
};

template <typename T>
struct MaskedFill {
  Matrix<const T> x;
  const int32_t* mask;
  Matrix<T> y;
  float value;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    auto pack = x.load(row, column, left, alignment);
    const int32_t* const attended = mask + row * x.stride + column;
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) {
      if (i < left && attended[i] == 0) pack.x[i] = value;
    }
    y.store(pack, row, column, left, alignment);
  }
};

template <typename T>
struct Gather {
  Matrix<const T> x;
  const int32_t* rows;
  int64_t M;
  Matrix<T> y;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    const int32_t from = rows[row];
    const bool there = from >= 0 && from < M;
    y.store(x.load(there ? from : 0, column, there ? left : 0, alignment), row, column, left, alignment);
  }
};

template <typename T>
struct Copy {
  Matrix<const T> x;
  Matrix<T> y;
  bool rows_aligned(int64_t width) const { return all_aligned(width, x, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    y.store(x.load(row, column, left, alignment), row, column, left, alignment);
  }
};

template <typename T>
struct Zero {
  Matrix<T> y;
  bool rows_aligned(int64_t width) const { return all_aligned(width, y); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    y.store({}, row, column, left, alignment);
  }
};

template <typename T, typename Body>
void walk(const RowsArgs<T>& args, bool one_row, const Body& body) {
  if (one_row) {
    for_each_pack<T>(1, args.N * args.D, body);
  } else {
    for_each_pack<T>(args.N, args.D, body);
  }
}

template <typename T>
bool without_gaps(const RowsArgs<T>& args) {
  return args.x_stride == args.D && args.y_stride == args.D;
}

}  // namespace

template <typename T>
void add_in_place(Cuda, const RowsArgs<T>& args) {
  walk(args, without_gaps(args), Add<T>{{args.x, args.x_stride}, {args.y, args.y_stride}});
}

template <typename T>
void add_bias(Cuda, const RowsArgs<T>& args) {
  walk(args, false, Add<T>{{args.x, 0}, {args.y, args.y_stride}});
}

template <typename T>
void sum_rows(Cuda, const SumRowsArgs<T>& args) {
  column_sums<T>(args.N, args.D, args.sum, Elements<T>{{args.x, args.x_stride}});
}

template <typename T>
void scale(Cuda, const RowsArgs<T>& args) {
  walk(args, without_gaps(args),
       Scale<T>{{args.x, args.x_stride}, {args.y, args.y_stride}, args.alpha, args.alpha_at});
}

template <typename T>
void move_towards(Cuda, const RowsArgs<T>& args) {
  walk(args, without_gaps(args),
       MoveTowards<T>{{args.x, args.x_stride}, {args.y, args.y_stride}, args.alpha_at});
}

template <typename T>
void masked_fill(Cuda, const MaskedFillArgs<T>& args) {
  const int64_t all = args.N * args.D;
  for_each_pack<T>(1, all, MaskedFill<T>{{args.x, all}, args.mask, {args.y, all}, args.value});
}

template <typename T>
void gather_rows(Cuda, const GatherRowsArgs<T>& args) {
  for_each_pack<T>(args.N, args.D,
                   Gather<T>{{args.x, args.x_stride}, args.rows, args.M, {args.y, args.y_stride}});
}

template <typename T>
void copy(Cuda, const RowsArgs<T>& args) {
  walk(args, without_gaps(args), Copy<T>{{args.x, args.x_stride}, {args.y, args.y_stride}});
}

template <typename T>
void fill_zero(Cuda, const RowsArgs<T>& args) {
  walk(args, without_gaps(args), Zero<T>{{args.y, args.y_stride}});
}

XF_INSTANTIATE(add_in_place, RowsArgs);
XF_INSTANTIATE(add_bias, RowsArgs);
XF_INSTANTIATE(sum_rows, SumRowsArgs);
XF_INSTANTIATE(scale, RowsArgs);
XF_INSTANTIATE(move_towards, RowsArgs);
XF_INSTANTIATE(masked_fill, MaskedFillArgs);
XF_INSTANTIATE(gather_rows, GatherRowsArgs);
XF_INSTANTIATE(copy, RowsArgs);
XF_INSTANTIATE(fill_zero, RowsArgs);

}  // namespace xf::kernels
