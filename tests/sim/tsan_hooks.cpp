// What g++ -fsanitize=thread has kernels call. The names are the sanitiser's interface; its library
// is not linked, these are ours (instrumented.h).
#include <cstddef>
#include <cstdint>

#include "tests/sim/instrumented.h"

using xf::sim::Access;
using xf::sim::access;

#define XF_HERE_PC __builtin_return_address(0)

// Loads and stores of n bytes.
#define XF_TSAN_ACCESS(n)                                                                     \
  void __tsan_read##n(void* p) { access(p, n, Access::read, XF_HERE_PC); }                    \
  void __tsan_write##n(void* p) { access(p, n, Access::write, XF_HERE_PC); }                  \
  void __tsan_unaligned_read##n(void* p) { access(p, n, Access::read, XF_HERE_PC); }          \
  void __tsan_unaligned_write##n(void* p) { access(p, n, Access::write, XF_HERE_PC); }        \
  void __tsan_volatile_read##n(void* p) { access(p, n, Access::read, XF_HERE_PC); }           \
  void __tsan_volatile_write##n(void* p) { access(p, n, Access::write, XF_HERE_PC); }         \
  void __tsan_unaligned_volatile_read##n(void* p) { access(p, n, Access::read, XF_HERE_PC); } \
  void __tsan_unaligned_volatile_write##n(void* p) { access(p, n, Access::write, XF_HERE_PC); }

// The host's atomics in a .cu file (reference counts); kernels' own are atomics.h.
#define XF_TSAN_ATOMIC(bits, T)                                                                           \
  T __tsan_atomic##bits##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  void __tsan_atomic##bits##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                                             \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                       \
  T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int) {                                             \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                       \
  T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {                 \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
  }                                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {                   \
    return __atomic_compare_exchange_n(p, e, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, size_t n) { access(p, n, Access::read, XF_HERE_PC); }
void __tsan_write_range(void* p, size_t n) { access(p, n, Access::write, XF_HERE_PC); }
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
XF_TSAN_ACCESS(1)
XF_TSAN_ACCESS(2)
XF_TSAN_ACCESS(4)
XF_TSAN_ACCESS(8)
XF_TSAN_ACCESS(16)
XF_TSAN_ATOMIC(8, uint8_t)
XF_TSAN_ATOMIC(32, uint32_t)
XF_TSAN_ATOMIC(64, uint64_t)

}  // extern "C"
