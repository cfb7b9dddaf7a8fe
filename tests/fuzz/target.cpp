#include "tests/fuzz/target.h"

#include <stdexcept>

#include "core/error.h"

namespace xf::fuzz {

bool attempt(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::failure || error.kind() == ErrorKind::diverged) throw;
    return false;
  }
}

void promise(bool kept, const char* what) {
  if (!kept) throw std::logic_error(what);
}

}  // namespace xf::fuzz
