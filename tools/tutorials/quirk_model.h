// The small model on which quirks are shown, and its two sentences: width 8, two heads, two layers,
// in f64. Its weights are the correct model's initial ones, whatever the quirk; its norms are moved
// away from 1 and 0, as training does.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/tutorials/model/transformer.h"
#include "tools/tutorials/quirk.h"

namespace xf::tools::explain {

namespace quirks = nn::quirks;

// "a small dog sleeps" and "a dog <pad> <pad>"; "<s> ein kleiner Hund" and "<s> ein <pad> <pad>".
const std::vector<std::string>& source_words();  // by id; 0 is <pad>
const std::vector<std::string>& target_words();
Tensor source_sentences();  // i32 [2, 4]
Tensor target_sentences();
// The words of sentence b.
std::vector<std::string> words_of(const Tensor& sentences, const std::vector<std::string>& words, int64_t b);

quirks::Config small_config();
// With switches set otherwise.
quirks::Config small_config(const std::function<void(quirks::Config&)>& change);

class SmallModel {
 public:
  explicit SmallModel(const quirks::Config& config);

  struct Pass {
    Tensor logits;                         // [2, 4, V]
    std::map<std::string, Tensor> values;  // "block symbol", the first of each
  };
  // In evaluation; `update` numbers what dropout draws, where a quirk drops.
  Pass evaluate(int32_t update = 1) const {
    return run(source_sentences(), target_sentences(), false, update);
  }
  Pass evaluate(const Tensor& target) const { return evaluate(source_sentences(), target); }
  Pass evaluate(const Tensor& source, const Tensor& target) const { return run(source, target, false, 1); }
  Pass train(int32_t update = 1) const { return run(source_sentences(), target_sentences(), true, update); }
  // The logits of the target sentences, a token at a time; adds the rows that were projected to
  // keys to `projected`.
  Tensor token_by_token(int64_t* projected = nullptr) const;
  // Gradients of the loss of predicting the target's next words, by parameter.
  std::map<std::string, Tensor> gradients() const;
  // That many updates of Adam on these sentences, i32 [B, S], [B, T]; next [B * T]: the word to say
  // at each position.
  void learn(const Tensor& source, const Tensor& target, const Tensor& next, int updates, double rate);

 private:
  Pass run(const Tensor& source, const Tensor& target, bool training, int32_t update) const;
  // Into the store's gradients, from zero.
  void backward(const Tensor& source, const Tensor& target, const Tensor& next) const;

  nn::ParameterStore store_;
  quirks::Transformer model_;
};

// "ein kleiner Hund schläft", "ein": what target_sentences() are to say at each position, i32 [8].
// What follows padding, and the second sentence's end, is not asked: 0.
Tensor next_words();

// The largest difference of two tensors' elements.
double difference(const Tensor& a, const Tensor& b);
// The same of logits, at the positions of words, or of padding.
enum class At { words, padding };
double difference(const Tensor& a, const Tensor& b, At at);
// How far the first position's logits move when the last word of the first target sentence becomes
// another.
double leak(const quirks::Config& config);

// value [.., C], as many rows as there are names; painted in full at its largest element.
TitledMatrix panel(const std::string& title, std::vector<std::string> rows, std::vector<std::string> columns,
                   const Tensor& value);
// Names of columns: "0" .. "n-1".
std::vector<std::string> numbered(int64_t n);
// value [2, H, Sq, Sk]: the matrix of one sentence and head. -> [Sq, Sk]
Tensor of_head(const Tensor& value, int64_t b, int64_t h);

}  // namespace xf::tools::explain
