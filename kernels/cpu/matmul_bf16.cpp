// Products of bf16 on the CPU: our own (matmul_bf16_pairs.h) where a side is short, else oneDNN's
// matmul primitive, which sums in f32 and rounds once, with a bias on the way out. A primitive is
// code generated for one shape, in about 0.4 ms, and so is kept. On a processor without fast
// instructions for bf16 the factors are widened, and f32 multiplies them.
#include <bit>
#include <compare>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/element.h"
#include "kernels/cpu/matmul_bf16_pairs.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/rows.h"
#include "kernels/linear.h"

namespace xf::kernels {

namespace {

using Memory = dnnl::memory;
using Type = Memory::data_type;

// What a primitive is generated for.
struct Product {
  int64_t M, N, K, a_stride, b_stride, c_stride;
  bool transpose_a, transpose_b, accumulate, has_bias;
  Type c_type;
  int threads = thread_count();
  friend auto operator<=>(const Product&, const Product&) = default;
};

struct Primitive {
  dnnl::matmul multiply;
  std::unordered_map<int, Memory> arguments;
};

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// [rows, columns], or the transpose of a matrix in memory; its rows there are `stride` apart.
Memory::desc matrix(int64_t rows, int64_t columns, Type type, bool transposed, int64_t stride) {
  return {{rows, columns}, type, transposed ? Memory::dims{1, stride} : Memory::dims{stride, 1}};
}

Primitive generate(const Product& product) {
  const auto [M, N, K] = std::tuple(product.M, product.N, product.K);
  const Memory::desc a = matrix(M, K, Type::bf16, product.transpose_a, product.a_stride),
                     b = matrix(K, N, Type::bf16, product.transpose_b, product.b_stride),
                     c = matrix(M, N, product.c_type, false, product.c_stride),
                     bias = matrix(1, N, Type::bf16, false, N);
  dnnl::post_ops after;
  if (product.accumulate) after.append_sum(1.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  const dnnl::matmul::primitive_desc description =
      product.has_bias ? onednn::describe<dnnl::matmul>(engine(), attributes, a, b, bias, c)
                       : onednn::describe<dnnl::matmul>(engine(), attributes, a, b, c);
  const auto unbound = [](const Memory::desc& desc) { return Memory(desc, engine(), nullptr); };
  Primitive primitive{
      dnnl::matmul(description),
      {{DNNL_ARG_SRC, unbound(a)}, {DNNL_ARG_WEIGHTS, unbound(b)}, {DNNL_ARG_DST, unbound(c)}}};
  if (product.has_bias) primitive.arguments.emplace(DNNL_ARG_BIAS, unbound(bias));
  return primitive;
}

void multiply(const Product& product, const bf16* a, const bf16* b, const bf16* bias, void* c) try {
  thread_local dnnl::stream stream(engine());
  thread_local std::map<Product, Primitive> primitives;
  auto found = primitives.find(product);
  if (found == primitives.end()) found = primitives.emplace(product, generate(product)).first;
  auto& [primitive, arguments] = found->second;
  const auto bind = [&arguments = arguments](int argument, const void* elements) {
    arguments.at(argument).set_data_handle(const_cast<void*>(elements));
  };
  bind(DNNL_ARG_SRC, a);
  bind(DNNL_ARG_WEIGHTS, b);
  bind(DNNL_ARG_DST, c);
  if (bias) bind(DNNL_ARG_BIAS, bias);
  primitive.execute(stream, arguments);
  stream.wait();
} catch (const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) fail(ErrorKind::resources, "matmul: oneDNN is out of memory");
  fail(ErrorKind::failure, "matmul: oneDNN refused [{}, {}] x [{}, {}] in bf16: {}", product.M, product.K,
       product.K, product.N, error.what());
}

// The number of tokens differs from batch to batch. So the dimension that counts them is cut into
// powers of two and a rest: fifteen shapes in all, and the same ones in every batch.
constexpr int64_t kMostTokens = 1024, kFewTokens = 8;

template <typename Body>
void for_each_run_of_tokens(int64_t tokens, const Body& body) {
  for (int64_t begin = 0; begin < tokens;) {
    const auto left = static_cast<uint64_t>(std::min(tokens - begin, kMostTokens));
    const auto count = static_cast<int64_t>(left < kFewTokens ? left : std::bit_floor(left));
    body(begin, count);
    begin += count;
  }
}

// The matrices of a product without instructions for it, closed up.
struct Widened {
  std::vector<float> a, b, c;
};

const float* widened(const bf16* from, int64_t rows, int64_t width, int64_t stride, std::vector<float>& to) {
  to.resize(static_cast<size_t>(rows * width));
  for_each_row(rows, width, [&](int64_t row) {
    const bf16* const in = from + row * stride;
    float* const out = to.data() + row * width;
#pragma omp simd
    for (int64_t i = 0; i < width; ++i) out[i] = widen(in[i]);
  });
  return to.data();
}

template <typename C>
void multiply_widened(const MatmulArgs<bf16, C>& args) {
  thread_local Widened scratch;
  const int64_t a_width = args.transpose_a ? args.M : args.K, b_width = args.transpose_b ? args.K : args.N;
  const float* const a =
      widened(args.a, args.transpose_a ? args.K : args.M, a_width, args.a_stride, scratch.a);
  const float* const b =
      widened(args.b, args.transpose_b ? args.N : args.K, b_width, args.b_stride, scratch.b);
  scratch.c.resize(static_cast<size_t>(args.M * args.N));
  float* const product = scratch.c.data();  // of this thread: inside the loop below `scratch` is
                                            // another one
  matmul(Cpu<kLevel>{}, MatmulArgs<float>{a, b, product, args.M, args.N, args.K, a_width, b_width, args.N,
                                          args.transpose_a, args.transpose_b, false});
  for_each_row(args.M, args.N, [&](int64_t row) {
    C* const c = args.c + row * args.c_stride;
    if (!args.accumulate) fill_zero(c, args.N);
    add_to(product + row * args.N, args.N, c);
  });
}

template <typename C>
Product described(const MatmulArgs<bf16, C>& args) {
  return {.M = args.M,
          .N = args.N,
          .K = args.K,
          .a_stride = args.a_stride,
          .b_stride = args.b_stride,
          .c_stride = args.c_stride,
          .transpose_a = args.transpose_a,
          .transpose_b = args.transpose_b,
          .accumulate = args.accumulate,
          .has_bias = false,
          .c_type = std::is_same_v<C, float> ? Type::f32 : Type::bf16};
}

bool has_instructions(dnnl_cpu_isa_t isa) {
  const auto needed = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & needed) == needed;
}

// AVX512_BF16 multiplies pairs of bf16: AMD's processors at twice the rate of f32 (and Intel's
// Cooper Lake, which was made for it; not measured), Intel's later ones at half of it, 85 to 170
// GFLOP/s on an Emerald Rapids core, because there that is AMX's part; and virtual machines often
// hide AMX. Who limits oneDNN to those instructions by name wants them all the same.
bool pairs_are_fast() {
#if defined(__x86_64__)
  const char* const limit = std::getenv("ONEDNN_MAX_CPU_ISA");
  if (limit && std::string_view(limit) == "AVX512_CORE_BF16") return true;
  return !__builtin_cpu_is("intel") || __builtin_cpu_is("cooperlake");
#else
  return true;
#endif
}

// Of products with a short side, as those of a small model, oneDNN's copies and hundreds of
// primitives' calls are a good part; of longer ones its own way of caching is ahead, of fewer rows
// its dot products, and AMX leaves all others behind.
constexpr int64_t kLongestShortSide = 256, kFewestRows = 64;

template <typename C>
bool takes_pairs(const MatmulArgs<bf16, C>& args) {
  return kMultipliesPairs && args.M >= kFewestRows &&
         std::min({args.M, args.N, args.K}) <= kLongestShortSide &&
         !has_instructions(dnnl_cpu_isa_avx512_core_amx);
}

template <typename C>
void multiply(const MatmulArgs<bf16, C>& args) {
  if (args.K == 0) {
    for (int64_t m = 0; m < args.M && !args.accumulate; ++m) fill_zero(args.c + m * args.c_stride, args.N);
    return;
  }
  if (!has_fast_bf16_products(Cpu<kLevel>{})) return multiply_widened(args);
  if (takes_pairs(args)) return multiply_pairs(args, nullptr);
  constexpr bool kSums = std::is_same_v<C, float>;  // rounds nothing between two runs of tokens
  Product product = described(args);
  if (args.transpose_a && !kSums) return multiply(product, args.a, args.b, nullptr, args.c);
  for_each_run_of_tokens(args.transpose_a ? args.K : args.M, [&](int64_t begin, int64_t count) {
    if (args.transpose_a) {
      product.K = count;
      multiply(product, args.a + begin * args.a_stride,
               args.b + begin * (args.transpose_b ? 1 : args.b_stride), nullptr, args.c);
      product.accumulate = true;
    } else {
      product.M = count;
      multiply(product, args.a + begin * args.a_stride, args.b, nullptr, args.c + begin * args.c_stride);
    }
  });
}

}  // namespace

template <>
bool has_fast_bf16_products(Cpu<kLevel>) {
  static const bool fast = has_instructions(dnnl_cpu_isa_avx512_core_amx) ||
                           (has_instructions(dnnl_cpu_isa_avx512_core_bf16) && pairs_are_fast());
  return fast;
}

template <>
void matmul(Cpu<kLevel>, const MatmulArgs<bf16>& args) {
  multiply(args);
}
template <>
void matmul(Cpu<kLevel>, const MatmulArgs<bf16, float>& args) {
  multiply(args);
}

template <>
bool linear_forward_at_once(Cpu<kLevel>, const LinearForwardArgs<bf16>& args) {
  // oneDNN's relu turns NaN into 0
  if (args.relu || !has_fast_bf16_products(Cpu<kLevel>{})) return false;
  if (takes_pairs(product_of(args))) return multiply_pairs(product_of(args), args.bias), true;
  Product product = described(product_of(args));
  product.has_bias = true;
  for_each_run_of_tokens(args.N, [&](int64_t begin, int64_t count) {
    product.M = count;
    multiply(product, args.x + begin * args.x_stride, args.w, args.bias, args.y + begin * args.y_stride);
  });
  return true;
}

}  // namespace xf::kernels
