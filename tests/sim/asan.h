// AddressSanitizer's calls, which do nothing in a build without it.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define XF_SIM_ASAN 1
#else
#define XF_SIM_ASAN 0
#endif

namespace xf::sim {

#if XF_SIM_ASAN
inline void asan_poison(const void* p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
inline void asan_unpoison(const void* p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
inline void asan_leave_stack(void** fake, const void* to, size_t bytes) {
  __sanitizer_start_switch_fiber(fake, to, bytes);
}
// from, bytes: the stack that was left.
inline void asan_enter_stack(void* fake, const void** from, size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake, from, bytes);
}
#else
inline void asan_poison(const void*, size_t) {}
inline void asan_unpoison(const void*, size_t) {}
inline void asan_leave_stack(void**, const void*, size_t) {}
inline void asan_enter_stack(void*, const void**, size_t*) {}
#endif

}  // namespace xf::sim
