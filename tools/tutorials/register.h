// What published tutorials do otherwise, a library of its own (docs/variants). The engine knows it
// by its registries alone; without XFORMER_TUTORIALS these are empty, and what asks them says so.
#pragma once

namespace xf::tutorials {

// Before the first configuration is read. Further calls change nothing.
void register_all();

}  // namespace xf::tutorials
