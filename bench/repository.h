// What belongs to the running program. Its own place tells where that is, never the current folder,
// in which anybody may have put scripts.
#pragma once

#include <string>

namespace xf::bench {

// The path of what lies there in the repository: the nearest folder above the program that holds
// bench/peers, and in which not everybody can make folders, as in /tmp. "" where there is none.
std::string repository_path(const std::string& place);

// The path of a script of bench/peers; beside an installed program, of its share/xformer. Error
// failure, with what to do, where it is missing.
std::string peer_script(const std::string& name);

// What git calls the repository's commit, with -dirty behind it where files differ. What
// tests/gpu.sh packs has its commit beside it. "unknown" where neither is there.
std::string built_commit();

}  // namespace xf::bench
