#include "tools/formats/ctranslate2_variables.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "tools/formats/ctranslate2_file.h"

namespace xf::tools::exchange {

namespace {

constexpr const char* kScale = "_scale";

// Numbers that say nothing of what a model computes: of alignments, of attention that others have,
// of how it is computed.
bool is_without_effect(const std::string& name) {
  constexpr std::string_view kNames[] = {
      "/alignment_layer", "/alignment_heads",  "/alibi_use_positive_positions",
      "/scale_alibi",     "/embeddings_merge", "/use_flash_attention"};
  return std::ranges::any_of(kNames, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

CTranslate2Variables::CTranslate2Variables(const std::string& path) : path_(path), mapped_(path) {
  const CTranslate2File file = parse_ctranslate2_file(mapped_.bytes(), path);
  if (file.specification != "TransformerSpec")
    fail(ErrorKind::usage, "{}: a {}; translation models of CTranslate2, TransformerSpec, are read", path,
         file.specification);
  if (file.revision > kCTranslate2Revision)
    fail(ErrorKind::usage, "{}: revision {} of {}; up to {} is read, which converters of CTranslate2 4 write",
         path, file.revision, file.specification, kCTranslate2Revision);
  arrays_ = {file.variables.begin(), file.variables.end()};
  for (const auto& [alias, name] : file.aliases) {
    arrays_[alias] = arrays_.at(name);
    // The scales of weights in eight bits come along.
    if (const auto scale = arrays_.find(name + kScale); scale != arrays_.end())
      arrays_[alias + kScale] = scale->second;
  }
}

const StoredArray& CTranslate2Variables::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(ErrorKind::data, "{}: has no {}", path_, name);
  read_.insert(found->second.bytes.data());
  return found->second;
}

double CTranslate2Variables::number(const std::string& name, double otherwise) const {
  if (!has(name)) return otherwise;
  const Tensor value = f32_values(array(name), path_ + ": " + name);
  if (value.numel() != 1) fail(ErrorKind::data, "{}: {} is not a number", path_, name);
  return static_cast<double>(value.data<float>()[0]);
}

int64_t CTranslate2Variables::extent(const std::string& name, size_t axis) const {
  const StoredArray& found = array(name);
  if (found.shape.size() != 2 || found.bytes.empty())
    fail(ErrorKind::data, "{}: {} is not a matrix", path_, name);
  return found.shape[axis];
}

Tensor CTranslate2Variables::tensor(const std::string& name) const {
  const StoredArray& stored = array(name);
  const Tensor values = f32_values(stored, path_ + ": " + name);
  if (stored.type == ArrayType::i8 || stored.type == ArrayType::i16) scale_rows(name, values);
  return values;
}

void CTranslate2Variables::scale_rows(const std::string& name, const Tensor& values) const {
  const Tensor scales = f32_values(array(name + kScale), path_ + ": " + name + kScale);
  if (values.rank() != 2 || (scales.numel() != 1 && scales.numel() != values.rows()))
    fail(ErrorKind::data, "{}: {} scales do not fit {}", path_, scales.numel(), name);
  for (int64_t i = 0; i < values.rows(); ++i) {
    const float scale = scales.data<float>()[scales.numel() == 1 ? 0 : i];
    for (int64_t j = 0; j < values.width(); ++j) values.data<float>()[i * values.width() + j] /= scale;
  }
}

bool CTranslate2Variables::is_flag(const std::string& name) const {
  return has(name) && array(name).type == ArrayType::i8;
}

bool CTranslate2Variables::same(const std::string& a, const std::string& b) const {
  return has(a) && has(b) && array(a).bytes.data() == array(b).bytes.data();
}

void CTranslate2Variables::refuse(const std::string& name) const {
  fail(ErrorKind::usage, "{}: has {}, which models of this engine do not have", path_, name);
}

void CTranslate2Variables::refuse(std::initializer_list<const char*> parts) const {
  for (const auto& [name, array] : arrays_) {
    const auto is_in = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (std::ranges::any_of(parts, is_in)) refuse(name);
  }
}

void CTranslate2Variables::check_all_read() const {
  for (const auto& [name, array] : arrays_) {
    if (read_.contains(array.bytes.data()) || is_without_effect(name)) continue;
    if (!array.shape.empty() || number(name, 0) != 0) refuse(name);
  }
}

}  // namespace xf::tools::exchange
