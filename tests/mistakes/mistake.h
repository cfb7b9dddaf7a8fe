// What a source with planted mistakes asks (tests/mistakes/plant.py): whether it is to make the one
// of this number.
#pragma once

#include <cstdlib>

namespace xf {

// $XF_MISTAKE, or none.
inline const int kMistake = std::getenv("XF_MISTAKE") ? std::atoi(std::getenv("XF_MISTAKE")) : 0;
inline bool mistake(int number) { return number == kMistake; }

}  // namespace xf
