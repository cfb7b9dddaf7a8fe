// The k best of a row: a sorted list of the best so far, and blocks that are passed over whole when their
// largest logit does not reach the worst of the list, which after the first few hundred columns is nearly
// always.
#include "kernels/top_k.h"

#include <limits>

#include "kernels/cpu/rows.h"
#include "kernels/cpu/vector_math.h"

namespace xf::kernels {

namespace {

constexpr int64_t kBlock = 64;

template <typename T>
T log_sum_exp(const T* z, int64_t n) {
  const int64_t whole = n / kLanes<T> * kLanes<T>;
  Lanes<T> maxima = Lanes<T>{} - std::numeric_limits<T>::infinity(), sums{};
  for (int64_t i = 0; i < whole; i += kLanes<T>) {
    const Lanes<T> values = load_lanes(z + i);
    maxima = values > maxima ? values : maxima;
  }
  T maximum = maximum_of<T>(maxima);
  for (int64_t i = whole; i < n; ++i) maximum = std::max(maximum, z[i]);
  for (int64_t i = 0; i < whole; i += kLanes<T>) sums += vector_exp(load_lanes(z + i) - maximum);
  T sum = sum_of<T>(sums);
  for (int64_t i = whole; i < n; ++i) sum += vector_exp(z[i] - maximum);
  return maximum + std::log(sum);
}

// Whether any of a whole block exceeds the threshold.
template <typename T>
bool any_above(const T* block, T threshold) {
  auto above = load_lanes(block) > threshold;
  for (int64_t i = kLanes<T>; i < kBlock; i += kLanes<T>) above |= load_lanes(block + i) > threshold;
  return any(above);
}

// values and ids, best first; equal values keep the order in which they came, that is, of their ids.
template <typename T>
void best_of_row(const T* z, const TopKArgs<T>& args, T* values, int32_t* ids) {
  int64_t count = 0;
  const auto offer = [&](int64_t id) {
    if (count == args.K && !(z[id] > values[count - 1])) return;
    if (std::find(args.banned, args.banned + args.M, static_cast<int32_t>(id)) != args.banned + args.M)
      return;
    if (count < args.K) ++count;
    int64_t place = count - 1;
    for (; place > 0 && z[id] > values[place - 1]; --place) {
      values[place] = values[place - 1];
      ids[place] = ids[place - 1];
    }
    values[place] = z[id];
    ids[place] = static_cast<int32_t>(id);
  };
  for (int64_t begin = 0; begin < args.V; begin += kBlock) {
    const int64_t n = std::min(kBlock, args.V - begin);
    if (count == args.K && n == kBlock && !any_above(z + begin, values[count - 1])) continue;
    for (int64_t id = begin; id < begin + n; ++id) offer(id);
  }
}

}  // namespace

template <typename T>
void log_softmax_top_k(Cpu, const TopKArgs<T>& args) {
  for_each_row(args.N, args.V, [&](int64_t row) {
    const T* const z = args.z + row * args.z_stride;
    Acc<T>* const scores = args.scores + row * args.K;
    best_of_row(z, args, scores, args.ids + row * args.K);
    const T normaliser = log_sum_exp(z, args.V);
    for (int64_t k = 0; k < args.K; ++k) scores[k] -= normaliser;
  });
}

template void log_softmax_top_k(Cpu, const TopKArgs<float>&);
template void log_softmax_top_k(Cpu, const TopKArgs<double>&);

}  // namespace xf::kernels
