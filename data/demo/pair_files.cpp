#include "data/demo/pair_files.h"

#include <filesystem>
#include <iterator>
#include <list>
#include <system_error>

#include "core/error.h"
#include "core/file_writer.h"
#include "core/guarded_open.h"

namespace xf::data {
namespace {

std::string joined(const SentencePairs& pairs, size_t side) {
  std::string text;
  for (const auto& [first, second] : pairs) text += (side == 0 ? first : second) + '\n';
  return text;
}

void append(FileWriter& first, FileWriter& second, const std::function<bool(SentencePair&)>& more) {
  constexpr size_t kBytesAtATime = 1 << 20;
  SentencePairs pairs;
  const auto flush = [&] {
    first.write(joined(pairs, 0));
    second.write(joined(pairs, 1));
    pairs.clear();
  };
  size_t bytes = 0;
  for (SentencePair pair; more(pair);) {
    bytes += pair.first.size() + pair.second.size();
    pairs.push_back(std::move(pair));
    if (bytes < kBytesAtATime) continue;
    flush();
    bytes = 0;
  }
  flush();
}

}  // namespace

void write_pair_files(const std::string& folder, const std::array<std::string_view, 2>& ends,
                      const std::vector<std::pair<std::string_view, const SentencePairs*>>& parts,
                      const std::function<bool(SentencePair&)>& more) {
  refuse_planted(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    fail(ErrorKind::resources, "{}: cannot make the folder ({}); give another one", folder, error.message());
  std::list<FileWriter> files;  // a full disk shows before the first of them has its name
  for (const auto& [name, pairs] : parts) {
    for (size_t side = 0; side < ends.size(); ++side)
      files.emplace_back(fmt::format("{}/{}{}", folder, name, ends[side])).write(joined(*pairs, side));
  }
  if (more) append(files.front(), *std::next(files.begin()), more);
  for (FileWriter& file : files) file.commit();
}

}  // namespace xf::data
