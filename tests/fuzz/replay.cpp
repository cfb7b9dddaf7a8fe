// A target without libFuzzer: each file of its corpus as it is, then variants of them, the same in
// every run.
//   fuzz_NAME CORPUS_FOLDER VARIANTS
// Exit code 1 at the first bug, which it names; the bytes are then in fuzz_NAME.bug.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_corpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> corpus;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// The standard says what mt19937 draws, but not what a distribution makes of it.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string variant() {
    std::string bytes = file();
    for (size_t changes = 1 + below(6); changes > 0; --changes) change(bytes);
    return bytes;
  }

 private:
  size_t below(size_t bound) { return random_() % bound; }
  const std::string& file() { return corpus_[below(corpus_.size())]; }

  void change(std::string& bytes) {
    const size_t at = below(bytes.size() + 1), rest = bytes.size() - at,
                 count = below(std::min<size_t>(rest, 16) + 1);
    switch (below(7)) {
      case 0:
        if (rest > 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        return;
      case 1:
        if (rest > 0) bytes[at] = "\0\x01\x7F\x80\xFF \n\t\"0-"[below(11)];
        return;
      case 2: bytes.erase(at, count); return;
      case 3: bytes.insert(at, bytes.substr(at, count)); return;
      case 4: bytes.insert(at, 1, static_cast<char>(below(256))); return;
      case 5: bytes.resize(at); return;
      default: {  // goes on as another file does
        const std::string& other = file();
        bytes = bytes.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 random_{1};
};

bool survives(const std::string& bytes, const std::string& what, const std::string& program) {
  try {
    xf::fuzz::attempt([&] { xf::fuzz::read(bytes); });
    return true;
  } catch (const std::exception& error) {
    const std::string path = fs::path(program).filename().string() + ".bug";
    std::ofstream(path, std::ios::binary) << bytes;
    fmt::print("{}: {} (the bytes are in {})\n", what, error.what(), path);
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} CORPUS_FOLDER VARIANTS\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    fmt::print(stderr, "{}: no file in it\n", argv[1]);
    return 2;
  }
  for (size_t i = 0; i < corpus.size(); ++i) {
    if (!survives(corpus[i], fmt::format("file {} of the corpus", i + 1), argv[0])) return 1;
  }
  Mutator mutator(corpus);
  const int variants = std::atoi(argv[2]);
  for (int i = 1; i <= variants; ++i) {
    if (!survives(mutator.variant(), fmt::format("variant {}", i), argv[0])) return 1;
  }
  fmt::print("{} files and {} variants\n", corpus.size(), variants);
}
