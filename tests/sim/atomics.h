// Atomic functions. Host threads take turns, so the operations themselves are plain; the race check
// sees them as atomic.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tests/sim/observer.h"

namespace xf::sim {

// *address = change(*address); returns what was there.
template <typename T, typename Change>
__attribute__((no_sanitize_thread, noinline)) T atomic(T* address, Site site, Change change) {
  observe(address, sizeof(T), Access::atomic, site);
  const T old = *address;
  *address = change(old);
  return old;
}

}  // namespace xf::sim

template <typename T>
T atomicAdd(T* address, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [value](T old) { return static_cast<T>(old + value); });
}
template <typename T>
T atomicMax(T* address, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [value](T old) { return old < value ? value : old; });
}
template <typename T>
T atomicMin(T* address, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [value](T old) { return value < old ? value : old; });
}
template <typename T>
T atomicOr(T* address, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [value](T old) { return old | value; });
}
template <typename T>
T atomicExch(T* address, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [value](T) { return value; });
}
template <typename T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value, XF_SIM_SITE) {
  return xf::sim::atomic(address, site, [expected, value](T old) { return old == expected ? value : old; });
}
