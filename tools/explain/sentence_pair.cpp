#include "tools/explain/sentence_pair.h"

#include "core/error.h"

namespace xf::tools::explain {

std::vector<int32_t> ids_of(const data::Tokenizer& vocabulary, const std::string& line,
                            const nn::Model& model) {
  std::vector<int32_t> ids = vocabulary.encode(line);
  if (ids.empty()) fail(ErrorKind::usage, "a sentence without tokens ('{}'); give some text", line);
  const auto most = static_cast<size_t>(nn::most_tokens(model.config()) - 1);  // and </s>
  if (ids.size() > most) fail(ErrorKind::usage, "a sentence of {} tokens; give at most {}", ids.size(), most);
  return ids;
}

PackedBatch sentence_pair(const data::BatchSpecials& specials, const std::vector<int32_t>& source_ids,
                          const std::vector<int32_t>& target_ids) {
  data::ParallelCorpus corpus;
  corpus.source.push_back(source_ids);
  corpus.target.push_back(target_ids);
  return data::validation_batches(corpus, specials, data::BatchCapacity{}).front().batch;
}

std::vector<std::string> pieces(const data::Tokenizer& vocabulary, const std::vector<int32_t>& ids) {
  std::vector<std::string> names;
  for (const int32_t id : ids) names.push_back(vocabulary.piece(id));
  return names;
}

}  // namespace xf::tools::explain
