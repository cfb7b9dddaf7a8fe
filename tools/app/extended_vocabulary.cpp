#include "tools/app/extended_vocabulary.h"

#include <fmt/core.h>

#include <set>

#include "core/error.h"
#include "data/sentencepiece_extension.h"
#include "data/sentencepiece_tokenizer.h"
#include "data/text_file.h"
#include "data/unicode.h"
#include "data/vocabularies.h"

namespace xf::tools {

namespace {

constexpr std::string_view kSpace = "\u2581";

std::string with(std::string text, std::string_view from, std::string_view to) {
  data::replace_all(text, from, to);
  return text;
}

std::shared_ptr<const data::Tokenizer> extended(const data::Tokenizer& tokenizer,
                                                const std::vector<std::string>& pieces) {
  if (std::string_view(tokenizer.extension()) != ".spm")
    fail(ErrorKind::usage,
         "extend-vocab: the model has a word vocabulary, and only SentencePiece's can be extended");
  const std::string bytes =
      data::sentencepiece_with_pieces(tokenizer.serialize(), pieces, "extend-vocab: the model's vocabulary");
  return data::make_sentencepiece_tokenizer(bytes, "the extended vocabulary");
}

// Which old pieces stand for a new one.
std::vector<int32_t> cut_before(const std::string& piece, const data::Tokenizer& tokenizer) {
  return tokenizer.encode(with(piece, kSpace, " "));
}

// Of rows `ids`.
Tensor mean(const Tensor& table, const std::vector<int32_t>& ids) {
  const int64_t width = table.numel() / table.dim(0);
  std::vector<float> row;
  for (int64_t j = 0; j < width; ++j) {
    double sum = 0;
    for (const int32_t id : ids) sum += static_cast<double>(table.data<float>()[id * width + j]);
    row.push_back(static_cast<float>(sum / static_cast<double>(ids.size())));
  }
  return Tensor::from(row);
}

// Those of a classifier, whose target is its classes.
bool has_classes(const data::Vocabularies& vocabularies) {
  return std::string_view(vocabularies.target->extension()) == ".labels";
}

// Whether there is a table of `from` whose rows are as wide as the parameter's.
bool has_rows(const nn::TensorMap& from, const nn::Parameter& parameter) {
  const auto found = from.find(parameter.name);
  return found != from.end() && found->second.dtype() == DType::f32 &&
         found->second.numel() / found->second.dim(0) == parameter.shape.numel() / parameter.shape[0];
}

// What is wrong with a line that gives no piece.
std::string why_empty(const std::string& line) {
  if (line.empty()) return "an empty line";
  std::string names;
  for (const char32_t c : data::to_utf32(line))
    names += fmt::format("{}U+{:04X}", names.empty() ? "" : " ", static_cast<uint32_t>(c));
  return names + " alone, which is invisible";
}

}  // namespace

std::vector<std::string> read_pieces(const std::string& path, const data::TextPipeline& pipeline) {
  std::vector<std::string> pieces;
  std::set<std::string> seen;
  for (const std::string& line : data::read_raw_lines(path)) {
    data::check_utf8(path, std::ssize(pieces) + 1, line);
    const std::string piece = with(pipeline.prepare(line), " ", kSpace);
    if (piece.empty() || !seen.insert(piece).second)
      fail(ErrorKind::data, "{}:{}: {}; give each piece once, one per line", path, pieces.size() + 1,
           piece.empty() ? why_empty(line) : fmt::format("'{}' is a repetition", piece));
    pieces.push_back(piece);
  }
  if (pieces.empty()) fail(ErrorKind::data, "{}: no piece in it; give one a line", path);
  return pieces;
}

data::Vocabularies extended(const data::Vocabularies& vocabularies, const std::vector<std::string>& pieces) {
  data::Vocabularies result = vocabularies;
  result.source = extended(*vocabularies.source, pieces);
  if (!has_classes(vocabularies))
    result.target = vocabularies.joint() ? result.source : extended(*vocabularies.target, pieces);
  return result;
}

void begin_new_rows(const nn::TensorMap& from, const nn::ParameterStore& store,
                    const data::Vocabularies& before, const std::vector<std::string>& pieces) {
  const bool classifies = has_classes(before);
  for (const nn::Parameter& parameter : store.parameters()) {
    const bool of_source = parameter.name == "source_embedding.weight",
               of_both = parameter.name == "embedding.weight" && !before.joint() && !classifies;
    const bool is_output = parameter.name.starts_with("output.") && !classifies;
    if (!parameter.is_embedding_table && !is_output) continue;
    if (parameter.name.find("positions") != std::string::npos || !has_rows(from, parameter)) continue;
    const Tensor& table = from.at(parameter.name);
    const data::Tokenizer& own = of_source || classifies ? *before.source : *before.target;
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::vector<int32_t> ids = cut_before(pieces[i], own);
      if (of_both) {
        const std::vector<int32_t> others = cut_before(pieces[i], *before.source);
        ids.insert(ids.end(), others.begin(), others.end());
      }
      const int64_t row = own.size() + static_cast<int64_t>(i);
      XF_CHECK(row < parameter.shape[0], "extend-vocab: {} has no row {}", parameter.name, row);
      if (!ids.empty()) store.set(parameter, mean(table, ids), row * (table.numel() / table.dim(0)));
    }
  }
}

}  // namespace xf::tools
