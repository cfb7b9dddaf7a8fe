#include "data/vocabularies.h"

#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "data/labels.h"

namespace xf::data {
namespace {

// The file `stem` with one of the extensions; "" if there is none.
std::string find(const std::string& folder, const std::string& stem) {
  for (const char* extension : {".spm", ".txt", ".labels"}) {
    const std::string path = folder + "/" + stem + extension;
    std::error_code unknown;
    if (std::filesystem::is_regular_file(path, unknown)) return path;  // a pipe would be waited for
  }
  return "";
}

}  // namespace

std::string Vocabularies::checksum() const {
  return joint() ? source->checksum() : source->checksum() + "+" + target->checksum();
}

std::string Vocabularies::hash() const {
  return joint() ? source->hash() : source->hash() + "+" + target->hash();
}

std::map<std::string, std::string> Vocabularies::files() const {
  if (joint()) return {{std::string("vocab") + source->extension(), source->serialize()}};
  return {{std::string("vocab.source") + source->extension(), source->serialize()},
          {std::string("vocab.target") + target->extension(), target->serialize()}};
}

void Vocabularies::save(const std::string& folder) const {
  for (const auto& [name, bytes] : files()) atomic_write(folder + "/" + name, bytes, Existing::replaced);
}

std::vector<std::string> vocabulary_files(const std::string& folder) {
  if (const std::string joint = find(folder, "vocab"); !joint.empty()) return {joint};
  const std::string source = find(folder, "vocab.source"), target = find(folder, "vocab.target");
  if (source.empty() || target.empty()) return {};
  return {source, target};
}

Vocabularies vocabularies_of(const std::map<std::string, std::string>& files) {
  const auto& [path, bytes] = *files.begin();
  const std::shared_ptr<const Tokenizer> source = make_tokenizer(bytes, path);
  if (files.size() == 1) return {source, source};
  const auto& [target_path, target] = *files.rbegin();  // "vocab.target" comes behind
                                                        // "vocab.source"
  if (target_path.ends_with(".labels")) return {source, make_labels(target, target_path)};
  return {source, make_tokenizer(target, target_path)};
}

Vocabularies load_vocabularies(const std::string& folder) {
  const std::vector<std::string> paths = vocabulary_files(folder);
  if (paths.empty()) {
    fail(ErrorKind::data,
         "{}: no vocabulary (vocab.spm) in this folder; give the run folder that xformer-train made", folder);
  }
  std::map<std::string, std::string> files;
  for (const std::string& path : paths) files[path] = read_regular_file(path);
  return vocabularies_of(files);
}

bool has_vocabularies(const std::string& folder) { return !vocabulary_files(folder).empty(); }

std::string find_vocabularies(const std::string& folder) {
  for (auto path = std::filesystem::absolute(folder).lexically_normal(); path.has_relative_path();
       path = path.parent_path()) {
    if (has_vocabularies(path.string())) return path.string();
  }
  return "";
}

}  // namespace xf::data
