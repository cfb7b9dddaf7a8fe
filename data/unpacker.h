// What gzip and Zstandard packed, unpacked piece by piece. In both formats a file is a row of members (frames): each begins
// with a mark that says which format it is, and knows where it ends.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace xf::data {

class Unpacker {
 public:
  struct Step {
    size_t taken = 0,
           given = 0;    // bytes of `packed` and of `plain`; both 0: there is no going on without more of one
    bool ended = false;  // the member is whole, and all of it is given
    std::string problem = {};  // why it cannot be unpacked, or empty
  };

  virtual ~Unpacker() = default;
  // Takes from the front of `packed`, gives to the front of `plain`.
  virtual Step step(std::span<const unsigned char> packed, std::span<char> plain) = 0;
};

// Whether bytes begin a packed member; `perhaps`, if more of them would tell.
enum class Packed { no, perhaps, yes };
Packed is_packed(std::span<const unsigned char> beginning);

// For the member that begins so, where is_packed() says yes. Error resources if there is no memory for it.
std::unique_ptr<Unpacker> make_unpacker(std::span<const unsigned char> beginning);

}  // namespace xf::data
