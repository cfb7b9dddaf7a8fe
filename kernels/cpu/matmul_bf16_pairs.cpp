// The instruction VDPBF16PS adds to each of sixteen sums in f32 the products of two pairs of bf16.
// So both factors are read in pairs of neighbours along K: one pair of a row of op(A), for all
// lanes, times a register of pairs of sixteen columns of op(B).
//
// A thread packs op(B) into panels, in which the pairs of kPanel columns lie side by side, and
// multiplies kRows rows at a time with one of them: their sums stay in registers for a whole block
// of K. The pairs of op(A) are read where they lie, except where neighbours along K do not lie
// together, in a transpose, or where the last one has no neighbour: then some rows are packed as
// well. Each thread packs all that it needs, a few per cent of its work, and none waits for another
// one.
#include "kernels/cpu/matmul_bf16_pairs.h"

#ifdef __AVX512BW__
#include <immintrin.h>
// GCC's own header seems to read what it leaves undefined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/lanes.h"

namespace xf::kernels {

#ifdef __AVX512BW__

// The rest of this level is for processors without AVX512_BF16 too.
#define XF_PAIRS __attribute__((target("avx512bf16")))
#define XF_PAIRS_INLINE __attribute__((target("avx512bf16"), always_inline)) inline

namespace {

constexpr int kWide = 16, kRegisters = 2;  // sums in a register, and registers side by side
constexpr int64_t kPanel = kRegisters * kWide, kRows = 8;

// What is worked on at once: a block of rows and a panel of columns stay in the first-level cache,
// all panels in the second.
constexpr int64_t kDepth = 512, kBlockRows = 128, kBlockColumns = 256;

constexpr __mmask16 kAll = 0xFFFF;

// Packed pairs lie in strips of kWide rows or columns, each [k / 2, kWide], zeros for those that
// are not there.
using Pair = uint32_t;

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

int64_t pairs_of(const Range& k) { return (k.size() + 1) / 2; }

// body(block) for the blocks of a range, in order.
template <typename Body>
void for_each_block(const Range& range, int64_t size, const Body& body) {
  for (int64_t begin = range.begin; begin < range.end; begin += size)
    body(Range{begin, std::min(begin + size, range.end)});
}

XF_PAIRS_INLINE __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>(count >= kWide ? kAll : count <= 0 ? 0 : (1 << count) - 1);
}

// The pairs of up to kWide neighbours in two rows; a null second row is zeros.
XF_PAIRS_INLINE __m512i interleaved(const bf16* first, const bf16* second, __mmask16 here) {
  const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, first));
  if (!second) return low;
  const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, second));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

// Rows that lie far apart in memory are no stream to the processor: it is told of those to come.
// The logits' gradient, [512, 10000]: its product is done in 3.7 ms in place of 3.9.
constexpr int64_t kAhead = 64, kOfLine = 64 / sizeof(bf16);

XF_PAIRS_INLINE void prefetch(const bf16* row, int64_t count) {
  for (int64_t i = 0; i < count; i += kOfLine) __builtin_prefetch(row + i);
}

// A matrix in memory whose rows count along K: its columns' pairs, in strips.
XF_PAIRS void pack_rows(const bf16* matrix, int64_t stride, const Range& k, const Range& columns, Pair* to) {
  const int64_t strip = pairs_of(k) * kWide;
  for (int64_t row = k.begin; row < k.end; row += 2, to += kWide) {
    const bf16* const first = matrix + row * stride + columns.begin;
    const bf16* const second = row + 1 < k.end ? first + stride : nullptr;
    if (row + kAhead + 1 < k.end) {
      prefetch(first + kAhead * stride, columns.size());
      prefetch(first + (kAhead + 1) * stride, columns.size());
    }
    Pair* pairs = to;
    for (int64_t i = 0; i < columns.size(); i += kWide, pairs += strip) {
      const __m512i some =
          interleaved(first + i, second ? second + i : nullptr, first_lanes(columns.size() - i));
      _mm512_storeu_epi32(pairs, some);
    }
  }
}

// A matrix in memory whose columns count along K: its rows' pairs, in strips.
XF_PAIRS void pack_columns(const bf16* matrix, int64_t stride, const Range& k, const Range& rows, Pair* to) {
  using Square = Pair __attribute__((vector_size(64)));
  for (int64_t row = rows.begin; row < rows.end; row += kWide) {
    for (int64_t begin = k.begin; begin < k.end; begin += 2 * kWide) {
      const int64_t left = std::min<int64_t>(2 * kWide, k.end - begin), pairs = (left + 1) / 2;
      const auto here = static_cast<__mmask32>(left == 2 * kWide ? ~0u : (1u << left) - 1);
      Square square[kWide];
#pragma GCC unroll 16
      for (int r = 0; r < kWide; ++r) {
        square[r] = row + r < rows.end
                        ? (Square)_mm512_maskz_loadu_epi16(here, matrix + (row + r) * stride + begin)
                        : Square{};
      }
      transpose_square(square);
      for (int64_t p = 0; p < pairs; ++p, to += kWide) std::memcpy(to, &square[p], sizeof(Square));
    }
  }
}

// Some rows of op(A): in bytes, `row` from one to the next, `pair` from one pair of a row to the
// next, and `strip` from kWide rows to the next kWide.
struct Left {
  const std::byte* first;
  int64_t row, pair, strip;
  const std::byte* at(int64_t r) const { return first + r / kWide * strip + r % kWide * row; }
};

XF_PAIRS_INLINE __m512bh for_all_lanes(const std::byte* from) {
  int pair;
  std::memcpy(&pair, from, sizeof pair);
  return (__m512bh)_mm512_set1_epi32(pair);
}

// Where sums begin, null for zero, and where they go.
template <typename From, typename To>
struct Ends {
  const From* from;
  int64_t from_stride;
  To* to;
  int64_t to_stride;
};

XF_PAIRS_INLINE __m512 load_sums(const float* from, __mmask16 here) {
  return _mm512_maskz_loadu_ps(here, from);
}
XF_PAIRS_INLINE __m512 load_sums(const bf16* from, __mmask16 here) {
  const __m512i bits = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 16));
}
// A store under a mask costs many times one without.
XF_PAIRS_INLINE void store_sums(__m512 sums, __mmask16 here, float* to) {
  here == kAll ? _mm512_storeu_ps(to, sums) : _mm512_mask_storeu_ps(to, here, sums);
}
XF_PAIRS_INLINE void store_sums(__m512 sums, __mmask16 here, bf16* to) {
  const auto rounded = (__m256i)_mm512_cvtneps_pbh(sums);
  here == kAll ? _mm256_storeu_epi16(to, rounded) : _mm256_mask_storeu_epi16(to, here, rounded);
}

// kCount rows of op(A) times a panel of op(B), of which `columns` are there.
template <int kCount, typename From, typename To>
XF_PAIRS_INLINE void multiply_tile(const Left& a, int64_t row, const Pair* panel, int64_t pairs,
                                   int64_t columns, const Ends<From, To>& ends) {
  const std::byte* const rows = a.at(row);
  const From* const from = ends.from ? ends.from + row * ends.from_stride : nullptr;
  To* const to = ends.to + row * ends.to_stride;
  const __mmask16 here[kRegisters] = {first_lanes(columns), first_lanes(columns - kWide)};
  __m512 sums[kCount][kRegisters];
#pragma GCC unroll 8
  for (int r = 0; r < kCount; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < kRegisters; ++i) {
      sums[r][i] = from ? load_sums(from + r * ends.from_stride + i * kWide, here[i]) : _mm512_setzero_ps();
    }
  }
  const Pair* const second_strip = panel + pairs * kWide;
  for (int64_t p = 0; p < pairs; ++p) {
    const auto first = (__m512bh)_mm512_loadu_si512(panel + p * kWide),
               second = (__m512bh)_mm512_loadu_si512(second_strip + p * kWide);
#pragma GCC unroll 8
    for (int r = 0; r < kCount; ++r) {
      const __m512bh factor = for_all_lanes(rows + r * a.row + p * a.pair);
      sums[r][0] = _mm512_dpbf16_ps(sums[r][0], factor, first);
      sums[r][1] = _mm512_dpbf16_ps(sums[r][1], factor, second);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kCount; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < kRegisters; ++i) store_sums(sums[r][i], here[i], to + r * ends.to_stride + i * kWide);
  }
}

template <typename From, typename To>
XF_PAIRS void multiply_panel(const Left& a, int64_t rows, const Pair* panel, int64_t pairs, int64_t columns,
                             const Ends<From, To>& ends) {
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) multiply_tile<kRows>(a, r, panel, pairs, columns, ends);
  for (; r + 4 <= rows; r += 4) multiply_tile<4>(a, r, panel, pairs, columns, ends);
  for (; r < rows; ++r) multiply_tile<1>(a, r, panel, pairs, columns, ends);
}

struct Scratch {
  std::vector<Pair> left, right;
  std::vector<float> sums;
};

// Some rows and columns of a product.
template <typename C>
class Part {
 public:
  Part(const MatmulArgs<bf16, C>& args, const bf16* bias, const Range& rows, const Range& columns,
       Scratch& scratch)
      : args_(args), bias_(bias), rows_(rows), columns_(columns), scratch_(scratch) {
    scratch_.right.resize(kBlockColumns * kDepth / 2);
    if (packs_left()) scratch_.left.resize(kBlockRows * kDepth / 2);
    if (rounds() && args_.K > kDepth) scratch_.sums.resize(static_cast<size_t>(rows.size() * columns.size()));
  }

  void multiply() {
    const auto pack = args_.transpose_b ? pack_columns : pack_rows;
    for_each_block({0, args_.K}, kDepth, [&](const Range& k) {
      for_each_block(columns_, kBlockColumns, [&](const Range& columns) {
        pack(args_.b, args_.b_stride, k, columns, scratch_.right.data());
        for_each_block(rows_, kBlockRows,
                       [&](const Range& rows) { multiply_block(left(k, rows), rows, columns, k); });
      });
    });
  }

 private:
  static constexpr bool rounds() { return !std::is_same_v<C, float>; }
  bool packs_left() const { return args_.transpose_a || args_.K % 2 != 0; }

  Left left(const Range& k, const Range& rows) {
    if (packs_left()) return packed_left(k, rows);
    const bf16* const first = args_.a + rows.begin * args_.a_stride + k.begin;
    const int64_t row = args_.a_stride * int64_t{sizeof(bf16)};
    return {reinterpret_cast<const std::byte*>(first), row, sizeof(Pair), kWide * row};
  }

  Left packed_left(const Range& k, const Range& rows) {
    const auto pack = args_.transpose_a ? pack_rows : pack_columns;
    pack(args_.a, args_.a_stride, k, rows, scratch_.left.data());
    constexpr int64_t kPair = sizeof(Pair);
    return {reinterpret_cast<const std::byte*>(scratch_.left.data()), kPair, kWide * kPair,
            pairs_of(k) * kWide * kPair};
  }

  // Sums that would be rounded between two blocks of K wait in the scratch.
  void multiply_block(const Left& a, const Range& rows, const Range& columns, const Range& k) {
    C* const c = args_.c + rows.begin * args_.c_stride + columns.begin;
    const bool first = k.begin == 0, last = k.end == args_.K;
    const C* const from = first && !args_.accumulate ? nullptr : c;
    if constexpr (!rounds()) {
      return multiply_panels(a, rows, columns, k,
                             Ends<float, float>{from, args_.c_stride, c, args_.c_stride});
    } else {
      const int64_t width = columns_.size();
      float* const sums =
          scratch_.sums.data() + (rows.begin - rows_.begin) * width + columns.begin - columns_.begin;
      const bf16* const begin = bias_ ? bias_ + columns.begin : from;
      const int64_t begin_stride = bias_ ? 0 : args_.c_stride;
      if (first && last)
        return multiply_panels(a, rows, columns, k, Ends<bf16, bf16>{begin, begin_stride, c, args_.c_stride});
      if (first)
        return multiply_panels(a, rows, columns, k, Ends<bf16, float>{begin, begin_stride, sums, width});
      if (last)
        return multiply_panels(a, rows, columns, k, Ends<float, bf16>{sums, width, c, args_.c_stride});
      multiply_panels(a, rows, columns, k, Ends<float, float>{sums, width, sums, width});
    }
  }

  template <typename From, typename To>
  void multiply_panels(const Left& a, const Range& rows, const Range& columns, const Range& k,
                       Ends<From, To> ends) {
    const Pair* panel = scratch_.right.data();
    for_each_block(columns, kPanel, [&](const Range& some) {
      multiply_panel(a, rows.size(), panel, pairs_of(k), some.size(), ends);
      panel += pairs_of(k) * kPanel;
      if (ends.from) ends.from += kPanel;
      ends.to += kPanel;
    });
  }

  const MatmulArgs<bf16, C>& args_;
  const bf16* bias_;
  Range rows_, columns_;
  Scratch& scratch_;
};

}  // namespace

template <typename C>
void multiply_pairs(const MatmulArgs<bf16, C>& args, const bf16* bias) {
  const bool by_rows = args.M >= args.N;
  const int64_t unit = by_rows ? kRows : kPanel, length = by_rows ? args.M : args.N;
  parallel_for((length + unit - 1) / unit, 1, [&](int64_t begin, int64_t end) {
    thread_local Scratch scratch;
    const Range some{begin * unit, std::min(end * unit, length)};
    Part<C>(args, bias, by_rows ? some : Range{0, args.M}, by_rows ? Range{0, args.N} : some, scratch)
        .multiply();
  });
}

#else

template <typename C>
void multiply_pairs(const MatmulArgs<bf16, C>&, const bf16*) {
  fail(ErrorKind::failure, "matmul: not compiled for AVX512_BF16");
}

#endif

template void multiply_pairs(const MatmulArgs<bf16, bf16>&, const bf16*);
template void multiply_pairs(const MatmulArgs<bf16, float>&, const bf16*);

}  // namespace xf::kernels
