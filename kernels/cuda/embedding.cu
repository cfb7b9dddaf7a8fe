// Embedding on CUDA.
// Forward (EM1), 2e bytes an element and the positions' rows from the caches: a warp to a token's
// row (rows.cuh). Backward, e bytes an element of dx and 8 an element of a table row that occurs:
// `order` makes the tokens of a word neighbours, a run. A block of 8 warps takes 8 places of
// `order`; the warp at whose place a run begins adds its tokens in their order, a pack of columns
// to a lane, and so is the one writer of the word's row. Runs of more than 8 tokens (a full stop is
// every 14th token) are added by the whole block, 8 tokens to a warp in turn, the warps' sums in
// order. The same bits always; no atomics; 8 warps, so that a word of every second token is not a
// matter for one. An id or a position out of range is as an empty place: the row of x is zero, the
// token adds nothing to the table.
#include "kernels/embedding.h"

#include "kernels/cuda/rows.cuh"

namespace xf::kernels {

namespace {

constexpr int kWarps = 8;
constexpr int kRowsInFlight = 8;  // of a warp; a run that has no more is short

template <typename T>
struct Gather {
  const int32_t *ids, *positions;
  int64_t V, P;
  Matrix<const T> table, position_table;
  Matrix<T> x;
  float scale;
  DropoutArgs dropout;
  bool rows_aligned(int64_t width) const { return all_aligned(width, table, position_table, x); }
  template <typename Alignment>
  __device__ void operator()(int64_t row, int64_t column, int64_t left, Alignment alignment) const {
    const int32_t id = ids[row], position = positions[row];
    const bool there = id >= 0 && id < V && position >= 0 && position < P;
    auto pack = table.load(there ? id : 0, column, there ? left : 0, alignment);
    const auto shift = position_table.load(there ? position : 0, column, there ? left : 0, alignment);
#pragma unroll
    for (int i = 0; i < pack.kCount; ++i) pack.x[i] = fmaf(scale, pack.x[i], shift.x[i]);
    drop(dropout, row, column, pack);
    x.store(pack, row, column, left, alignment);
  }
};

// The tokens in the order of their ids.
struct SortedTokens {
  const int32_t *ids, *order;
  int64_t N, V;

  struct Token {
    int32_t number, id;  // id -1: there is none, or none of the table
  };
  __device__ __forceinline__ Token at(int64_t place) const {
    if (place < 0 || place >= N) return {0, -1};
    const int32_t number = order[place];
    if (number < 0 || number >= N) return {0, -1};
    const int32_t id = ids[number];
    return {number, id < V ? id : -1};
  }
};

// A warp's share of the sum over a run, in the columns of a lane.
template <typename T>
struct RunSum {
  Matrix<const T> dx;
  DropoutArgs dropout;
  int64_t column, left;
  cuda::Vec16<T> sum = {};

  // Adds those of up to eight tokens, of which lanes first .. first + 7 know the numbers, that are
  // in `run`: the first of them.
  template <typename Alignment>
  __device__ __forceinline__ void add(int32_t number, unsigned run, int first, Alignment alignment) {
    const int count = __popc(run >> first & 0xffu);
    int32_t row[kRowsInFlight];
    cuda::Vec16<T> pack[kRowsInFlight];
#pragma unroll
    for (int k = 0; k < kRowsInFlight; ++k) {
      row[k] = __shfl_sync(cuda::kFullWarp, number, first + k);
      pack[k] = dx.load(row[k], column, k < count ? left : 0, alignment);
    }
#pragma unroll
    for (int k = 0; k < kRowsInFlight; ++k) {
      if (k >= count) break;
      drop(dropout, row[k], column, pack[k]);
#pragma unroll
      for (int j = 0; j < pack[k].kCount; ++j) sum.x[j] += pack[k].x[j];
    }
  }
};

// EM2. The table's row of a word, from `column` on: += scale * terms.
template <typename T, typename Alignment>
__device__ __forceinline__ void add_to_row(const Matrix<float>& dtable, int32_t id, int64_t column,
                                           int64_t left, float scale, const cuda::Vec16<T>& terms,
                                           Alignment alignment) {
#pragma unroll
  for (int i = 0; i < terms.kCount; i += cuda::Vec16<float>::kCount) {
    auto row = dtable.load(id, column + i, left - i, alignment);
#pragma unroll
    for (int j = 0; j < row.kCount; ++j) row.x[j] = fmaf(scale, terms.x[i + j], row.x[j]);
    dtable.store(row, id, column + i, left - i, alignment);
  }
}

template <typename T, typename Alignment>
__global__ void __launch_bounds__(32 * kWarps)
    add_runs(EmbeddingBackwardArgs<T> args, Matrix<const T> dx, Matrix<float> dtable, Alignment alignment) {
  constexpr int kCount = cuda::Vec16<T>::kCount, kColumns = 32 * kCount;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const SortedTokens tokens{args.ids, args.order, args.N, args.V};
  const int64_t first_place = static_cast<int64_t>(blockIdx.x) * kWarps;
  const int64_t first_column = static_cast<int64_t>(blockIdx.y) * kColumns,
                column = first_column + lane * kCount;

  // Lane l looks at place first_place + l - 1; bit w of `begins` is set where a run begins at the
  // place of warp w.
  const int32_t id = tokens.at(first_place + lane - 1).id;
  const int32_t next = __shfl_down_sync(cuda::kFullWarp, id, 1);
  const unsigned begins = __ballot_sync(cuda::kFullWarp, lane < kWarps && next >= 0 && next != id);
  if (begins == 0) return;
  const int last = 31 - __clz(static_cast<int>(begins));  // only the last of these runs can be long
  const int32_t last_id = __shfl_sync(cuda::kFullWarp, next, last);
  const bool is_long = tokens.at(first_place + last + kRowsInFlight).id == last_id;

  RunSum<T> run{dx, args.dropout, column, args.D - column};
  if ((begins >> warp & 1u) && !(is_long && warp == last)) {
    const int32_t its_id = __shfl_sync(cuda::kFullWarp, next, warp);
    const auto [number, of] = tokens.at(first_place + warp + lane);
    run.add(number, __ballot_sync(cuda::kFullWarp, of == its_id), 0, alignment);
    if (column < args.D) {
      add_to_row(dtable, its_id, column, args.D - column, args.scale, run.sum, alignment);
    }
  }
  if (!is_long) return;
  RunSum<T> share{dx, args.dropout, column, args.D - column};
  // Four turns' tokens are looked up at a time: lane l looks for the one of turn l / 8.
  constexpr int kOfTurn = kWarps * kRowsInFlight, kTurns = 32 / kRowsInFlight;
  unsigned of_run = cuda::kFullWarp;
  for (int64_t turns = first_place + last; of_run == cuda::kFullWarp; turns += kTurns * kOfTurn) {
    const auto [number, of] =
        tokens.at(turns + lane / kRowsInFlight * kOfTurn + warp * kRowsInFlight + lane % kRowsInFlight);
    of_run = __ballot_sync(cuda::kFullWarp, of == last_id);
#pragma unroll 1
    for (int first = 0; first < 32 && (of_run >> first & 1u) != 0; first += kRowsInFlight)
      share.add(number, of_run, first, alignment);
  }
  XF_SHARED(float[kWarps][kColumns], sums);
#pragma unroll
  for (int j = 0; j < kCount; ++j) sums[warp][lane * kCount + j] = share.sum.x[j];
  __syncthreads();
  const int at = static_cast<int>(threadIdx.x);
  if (at >= kColumns || first_column + at >= args.D) return;
  float total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += sums[w][at];
  float& element = dtable.data[last_id * args.D + first_column + at];
  element = fmaf(args.scale, total, element);
}

}  // namespace

template <typename T>
void embedding_forward(Cuda, const EmbeddingForwardArgs<T>& args) {
  for_each_pack<T>(args.N, args.D,
                   Gather<T>{args.ids,
                             args.positions,
                             args.V,
                             args.P,
                             {args.table, args.D},
                             {args.position_table, args.D},
                             {args.x, args.D},
                             args.scale,
                             args.dropout});
}

template <typename T>
void embedding_backward(Cuda, const EmbeddingBackwardArgs<T>& args) {
  const auto count = [](int64_t n, int64_t size) { return static_cast<unsigned>((n + size - 1) / size); };
  const Matrix<const T> dx(args.dx, args.D);
  const Matrix<float> dtable(args.dtable, args.D);
  cuda::dispatch_alignment(all_aligned(args.D, dx, dtable), [&](auto alignment) {
    cuda::launch(add_runs<T, decltype(alignment)>, dim3(count(args.N, kWarps), count(args.D, kSpan<T>)),
                 dim3(32 * kWarps), 0, cuda::stream(), args, dx, dtable, alignment);
  });
}

XF_INSTANTIATE(embedding_forward, EmbeddingForwardArgs);
XF_INSTANTIATE(embedding_backward, EmbeddingBackwardArgs);

}  // namespace xf::kernels
