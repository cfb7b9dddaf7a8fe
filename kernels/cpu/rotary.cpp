// Rotary positions on the CPU: one trip through memory; a token's cosines and sines stay in the
// first-level cache for all of its heads. Threads take runs of tokens.
#include "kernels/rotary.h"

#include "kernels/cpu/element.h"
#include "kernels/cpu/rows.h"

namespace xf::kernels {

namespace {

// RO1, and with direction -1 RO2. Both elements of a pair are read before one is written: y may be
// x.
template <typename T>
void turn_head(const T* x, const Acc<T>* cosines, const Acc<T>* sines, Acc<T> direction, int64_t P, T* y) {
#pragma omp simd
  for (int64_t i = 0; i < P; ++i) {
    const Acc<T> first = widen(x[i]), second = widen(x[P + i]), sine = direction * sines[i];
    store(first * cosines[i] - second * sine, y + i);
    store(first * sine + second * cosines[i], y + P + i);
  }
}

}  // namespace

template <typename T, CpuLevel L>
void rotary(Cpu<L>, const RotaryArgs<T>& args) {
  const int64_t Dh = 2 * args.P;
  for_each_row(args.tokens, args.H * Dh, [&](int64_t t) {
    const int64_t position = args.positions[t];
    XF_CHECK(0 <= position && position < args.S, "rotary: positions[{}] must be in 0..{}, got {}", t,
             args.S - 1, position);
    const Acc<T>*const cosines = args.table + position * Dh, *const sines = cosines + args.P;
    for (int64_t h = 0; h < args.H; ++h) {
      turn_head<T>(args.x + t * args.x_stride + h * Dh, cosines, sines, static_cast<Acc<T>>(args.direction),
                   args.P, args.y + t * args.y_stride + h * Dh);
    }
  });
}

XF_INSTANTIATE(rotary, RotaryArgs);

}  // namespace xf::kernels
