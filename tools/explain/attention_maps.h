// What every head of a trained model looks at, on one sentence and its translation, or on a text
// that a language model or a classifier reads: the probabilities (AT2) of each attention block,
// with the tokens of both axes. They are those of the pass itself (nn/trace.h).
#pragma once

#include <string>
#include <vector>

#include "tools/config/program_options.h"
#include "tools/explain/traced_sentence.h"
#include "tools/report/matrix_picture.h"

namespace xf::tools::explain {

struct AttentionMap {
  std::string part;  // "encoder", "self" or "cross"
  int64_t layer = 0, head = 0;
  // Queries and keys. Of "encoder": the source on both axes; of "self": what the decoder reads; of
  // "cross": what the decoder writes at each position, and the source.
  TokenMatrix matrix;
  bool chosen = true;         // by --layer, --head and --part
  std::vector<size_t> focus;  // rows of --focus's word
};

struct AttentionMaps {
  std::vector<std::string> source, target_in, target_out;  // of one that does not translate a side
                                                           // is empty
  std::string translation;
  std::vector<AttentionMap> maps;  // by part, layer, head

  bool translates() const { return !source.empty() && !target_out.empty(); }
  // What a model reads that does not translate.
  const std::vector<std::string>& text() const { return source.empty() ? target_in : source; }
};

AttentionMaps attention_maps(const TracedSentence& sentence);

// Of each layer the mean over the heads of its cross-attention: what a translation looked at, in
// few pictures.
std::vector<TitledMatrix> mean_cross_attention(const AttentionMaps& maps);

// "encoder self-attention"
std::string part_name(const std::string& part);
// "encoder self-attention, layer 0"
std::string layer_name(const AttentionMap& map);

// What is not asked for is no longer chosen; each list is "all" or numbers from 0, apart by commas.
// Error usage for what is no number, and for layers and heads that the model has not.
void choose(AttentionMaps& maps, const std::string& part, const std::string& layers,
            const std::string& heads);

// The rows that `word` is made of, in every map; maps without it are no longer chosen. Error usage
// if none has it.
void set_focus(AttentionMaps& maps, const std::string& word);

// Where a map's mass lies: means over its rows, of the rows that have such a key.
struct AttentionSummary {
  double entropy = 0;                       // in nats; that of equal weights on n keys is ln n
  double same = 0, previous = 0, next = 0;  // weight of the key at the query's place, one before,
                                            // one behind
  double first = 0, last = 0;               // of the first key, and of the last: </s> where it is
                                            // the source
  size_t strongest_row = 0,
         strongest_column = 0;  // the largest weight below 1: a query with one key has no choice
};
AttentionSummary summary_of(const TokenMatrix& matrix);

// The columns of a row's largest weights, largest first.
std::vector<size_t> strongest(const TokenMatrix& matrix, size_t row, size_t count);

std::string to_text(const AttentionMaps& maps);
std::string to_json(const AttentionMaps& maps);
std::string to_svg(const AttentionMaps& maps);
std::string to_html(const AttentionMaps& maps);

// The command: options model, sentence, target, layer, head, part, focus, format, device,
// cpu-threads.
std::string attention(const AttentionOptions& options);

}  // namespace xf::tools::explain
