// A fuzz target: a reader of xformer, given any bytes. The same target is driven by two programs:
// libFuzzer (libfuzzer.cpp, built by tests/fuzz.sh), which looks for bytes that reach new branches,
// and a replay of the committed corpus and of fixed variants of it (replay.cpp), which every build
// has as a test.
#pragma once

#include <functional>
#include <string_view>

namespace xf::fuzz {

// Each target's own: reads `bytes`, by attempt() where it tries several things, and checks with
// promise() what the reader promises about them.
void read(std::string_view bytes);

// Whether the action succeeds. Not if it throws an Error about its input, of kind usage, data or
// resources: that is a reader's answer. Everything else is a bug and goes on to whoever called.
bool attempt(const std::function<void()>& action);

// Throws std::logic_error unless it is kept.
void promise(bool kept, const char* what);

}  // namespace xf::fuzz
