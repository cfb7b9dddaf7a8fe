// Sizes by name, N = 4096 and D = 128, and the lists and ranges of them that --shape may give.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace xf::bench {

using Extents = std::vector<std::pair<std::string, int64_t>>;

// The value under a name; Error failure where it is not there.
int64_t size_of(const Extents& extents, const std::string& name);

// "N=4096,D=128,512"           a list: D is 128, then 512
// "N=4096,D=1:65536:*2"        from, to, step: 1, 2, 4 ... 65536
// "N=64:256:+64,D=512 gelu"    64, 128, 192, 256; of its rows those whose variant has the word
struct Sweep {
  std::vector<std::pair<std::string, std::vector<int64_t>>> sizes;
  std::string variant;

  // Every combination, the last name varied first, in the order of `names`. Error usage, for
  // `what`, where a name is missing or unknown.
  std::vector<Extents> combinations(const std::vector<std::string>& names, const std::string& what) const;
};
// Whether --shape's text is a sweep, not a regular expression for shapes as they are printed.
bool is_sweep(const std::string& text);
// Error usage, with what is wrong, for anything else than the above.
Sweep sweep_from(const std::string& text);

}  // namespace xf::bench
