// The one header that a .cu file includes for CUDA. Under nvcc it is CUDA, and the few instructions
// that C++ has no words for stand here as inline PTX. Under g++ the same names are those of the
// software GPU (docs/software_gpu.md), and so the same kernels run in tests on a machine without a
// GPU. Hence:
//   shared memory by XF_SHARED and XF_DYNAMIC_SHARED   launches by launch()   CUB in sort.cu only
//   blocks of whole warps; a warp leaves a kernel as a whole; no block waits for another
#pragma once

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include <software_gpu.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/dtype.h"
#include "core/error.h"

// An op's function for the types that the device computes in.
#define XF_INSTANTIATE(name, Args)              \
  template void name(Cuda, const Args<float>&); \
  template void name(Cuda, const Args<bf16>&)

namespace xf::cuda {

constexpr unsigned kFullWarp = 0xffffffffu;

// XF_SHARED(float[8], partial): an array of the block. XF_DYNAMIC_SHARED(bytes): unsigned char*
// bytes, what the launch asked for, 128-byte aligned.
//
// Site: the place of a barrier or collective in the source, for the software GPU's messages; empty
// under nvcc. A helper that calls a collective takes `Site site = XF_HERE` as its last parameter
// and passes it on.
#if defined(__CUDACC__)
struct Site {};
#define XF_HERE \
  {}
#define XF_SHARED(type, name) __shared__ std::type_identity_t<type> name
#define XF_DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
#else
using Site = sim::Site;
#define XF_HERE \
  { __builtin_FILE(), __builtin_LINE() }
#define XF_SHARED(type, name) \
  auto& name = ::xf::sim::shared<std::type_identity_t<type>>([] {}, #name, XF_SIM_HERE)
#define XF_DYNAMIC_SHARED(name) unsigned char* const name = ::xf::sim::dynamic_shared_memory()
#endif

// ---------------------------------------------------------------- launches, on the host

namespace detail {

// Throws, naming the kernel.
inline void check_launch(cudaError_t status, const void* kernel, dim3 grid, dim3 block, size_t shared_bytes) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) != cudaSuccess || !name) name = "a kernel";
  fail(ErrorKind::failure,
       "cuda: launch of {} with grid ({}, {}, {}), block ({}, {}, {}), {} bytes shared: {}", name, grid.x,
       grid.y, grid.z, block.x, block.y, block.z, shared_bytes, cudaGetErrorString(status));
}

}  // namespace detail

// kernel<<<grid, block, shared_bytes, stream>>>(arguments...). A grid without blocks does nothing.
// More than 48 KiB of dynamic shared memory needs the kernel's consent, which is given here.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  const auto address = reinterpret_cast<const void*>(kernel);
  if (shared_bytes > 48 << 10) {
    const cudaError_t status = cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    static_cast<int>(shared_bytes));
    detail::check_launch(status, address, grid, block, shared_bytes);
  }
#if defined(__CUDACC__)
  kernel<<<grid, block, shared_bytes, stream>>>(std::forward<Arguments>(arguments)...);
  const cudaError_t status = cudaGetLastError();
#else
  const cudaError_t status =
      sim::launch_kernel(kernel, grid, block, shared_bytes, stream, std::forward<Arguments>(arguments)...);
#endif
  detail::check_launch(status, address, grid, block, shared_bytes);
}

// ---------------------------------------------------------------- memory

// a b, rounded. A compiler may join a product and the sum that it goes into to one operation (fma),
// and does so in one kernel and not in another. Kernels that are compiled for whole packs and for
// any therefore say which they want, fmaf or this: so that their bits do not depend on where the
// rows lie.
__device__ __forceinline__ float product(float a, float b) {
#if defined(__CUDACC__)
  return __fmul_rn(a, b);
#else
  float rounded = a * b;
  asm("" : "+x"(rounded));
  return rounded;
#endif
}

// 16 bytes at once. p is a multiple of 16.
__device__ __forceinline__ uint4 load_16(const void* p, [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  return *static_cast<const uint4*>(p);
#else
  sim::check_alignment(p, site);
  uint4 value;
  std::memcpy(&value, p, sizeof value);
  return value;
#endif
}

// 16 bytes at once, of which the first `bytes` count: nobody need have written the others. p as
// above.
__device__ __forceinline__ uint4 load_16_of(const void* p, [[maybe_unused]] int64_t bytes,
                                            [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  return *static_cast<const uint4*>(p);
#else
  sim::check_alignment(p, site);
  uint4 value = make_uint4(0, 0, 0, 0);
  std::memcpy(&value, p, bytes < 16 ? static_cast<size_t>(bytes) : 16);
  return value;
#endif
}

__device__ __forceinline__ void store_16(void* p, uint4 value, [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  *static_cast<uint4*>(p) = value;
#else
  sim::check_alignment(p, site);
  std::memcpy(p, &value, sizeof value);
#endif
}

#if defined(__CUDACC__)
__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
#endif

// Starts a copy of 16 bytes from global to shared memory, both 16-byte aligned; without `predicate`
// zeros are written and nothing is read (but `global` must be a valid address). The bytes are there
// for this thread after copy_async_wait, and for others after a barrier that follows.
__device__ __forceinline__ void copy_async_16(void* shared, const void* global, bool predicate = true,
                                              [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
               "r"(predicate ? 16 : 0)
               : "memory");
#else
  sim::copy_async(shared, global, predicate, site);
#endif
}

// The copies since the last commit become a group.
__device__ __forceinline__ void copy_async_commit() {
#if defined(__CUDACC__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  sim::commit_copies();
#endif
}

// Waits for this thread's groups, but for the newest kLeft.
template <int kLeft>
__device__ __forceinline__ void copy_async_wait([[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#else
  if (!sim::left_out("copy_async_wait", site)) sim::land_copies(kLeft);
#endif
}

// ---------------------------------------------------------------- bf16 pairs, tensor cores

// Rounded to nearest even; lo is the lower half.
__device__ __forceinline__ uint32_t pack_bf16x2(float lo, float hi) {
#if defined(__CUDACC__)
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(hi), "f"(lo));
  return pair;
#else
  return bf16(lo).bits | static_cast<uint32_t>(bf16(hi).bits) << 16;
#endif
}

__device__ __forceinline__ float2 unpack_bf16x2(uint32_t pair) {
  return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}

// d = a b + c for a warp: a [16, 16] and b [16, 8] bf16, c and d [16, 8] f32. Which lane holds
// what: PTX ISA, "Matrix Fragments for mma.m16n8k16" (floating point types). With group = lane / 4,
// place = lane % 4:
//   a0 row group, columns 2 place, +1; a1 row group + 8; a2, a3 the same, columns + 8
//   b0 rows 2 place, +1 of column group; b1 rows + 8          d0, d1 row group, columns 2 place, +1; d2, d3
//   row + 8
__device__ __forceinline__ void mma_16x8x16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                            const float (&c)[4], [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]),
        "f"(c[3]));
#else
  sim::mma_16x8x16(d, a, b, c, site);
#endif
}

// Four 8 x 8 matrices of 16-bit elements from shared memory: lane 8 m + r names row r of matrix m
// (16 bytes, aligned). Afterwards r[m] holds row lane / 4, columns 2 (lane % 4), +1 of matrix m.
__device__ __forceinline__ void load_matrix_x4(uint32_t (&r)[4], const void* row,
                                               [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#else
  sim::load_matrix_x4(r, row, false, site);
#endif
}

// The same of each matrix's transpose.
__device__ __forceinline__ void load_matrix_x4_transposed(uint32_t (&r)[4], const void* row,
                                                          [[maybe_unused]] Site site = XF_HERE) {
#if defined(__CUDACC__)
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#else
  sim::load_matrix_x4(r, row, true, site);
#endif
}

}  // namespace xf::cuda
