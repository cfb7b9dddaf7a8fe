#include "tools/explain/output_probabilities.h"
#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.h"
#include "kernels/cross_entropy.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "tools/explain/page.h"

namespace xf::tools::explain {

namespace {

using Row = std::vector<float>;

int64_t rank_of(const Row& z, int32_t id) {
  const float own = z[static_cast<size_t>(id)];
  int64_t rank = 1;
  for (size_t v = 0; v < z.size(); ++v) rank += z[v] > own || (z[v] == own && v < static_cast<size_t>(id));
  return rank;
}

double entropy_of(const Row& probabilities) {
  double sum = 0;
  for (const float p : probabilities) {
    if (p > 0) sum -= static_cast<double>(p) * std::log(static_cast<double>(p));
  }
  return sum;
}

// One position: a row of logits [1, V].
class Position {
 public:
  Position(const Tensor& z, const data::Tokenizer& vocabulary)
      : tensor_(z), vocabulary_(vocabulary), z_(z.to_vector<float>()) {
    const Tensor p = Tensor::empty({1, 1, 1, z.width()}, DType::f32);
    kernels::softmax_forward(z.reshape(p.shape()), {}, p);
    p_ = p.to_vector<float>();
  }

  OutputToken token(int32_t id, double log_probability, int64_t rank) const {
    const auto v = static_cast<size_t>(id);
    return {
        id,  vocabulary_.piece(id), static_cast<double>(z_[v]), static_cast<double>(p_[v]), log_probability,
        rank};
  }

  std::vector<OutputToken> best(int64_t top) const {
    const Tensor scores = Tensor::empty({1, top}, DType::f32), ids = Tensor::empty({1, top}, DType::i32);
    kernels::log_softmax_top_k(tensor_, Tensor::from(std::vector<int32_t>{}), kernels::Normalise::yes, scores,
                               ids);
    std::vector<OutputToken> tokens;
    for (int64_t k = 0; k < top; ++k) {
      tokens.push_back(token(ids.data<int32_t>()[k], static_cast<double>(scores.data<float>()[k]), k + 1));
    }
    return tokens;
  }

  OutputPosition explained(const std::string& read, int32_t target, float label_smoothing,
                           int64_t top) const {
    const nn::LossSums losses = loss_of(tensor_, target, label_smoothing);
    return {read, token(target, -losses.plain, rank_of(z_, target)), best(top), entropy_of(p_),
            losses.smoothed};
  }

 private:
  const Tensor tensor_;
  const data::Tokenizer& vocabulary_;
  const Row z_;
  Row p_;
};

std::string line_of(const OutputToken& token, const char* mark) {
  return fmt::format("  {:>5}. {:<16}{:>10.4f}{:>12.6f}{:>11.4f}  {}\n", token.rank, token.piece, token.logit,
                     token.probability, token.log_probability, mark);
}

nlohmann::ordered_json json_of(const OutputToken& token) {
  return {{"token", token.piece},
          {"id", token.id},
          {"rank", token.rank},
          {"logit", token.logit},
          {"probability", token.probability},
          {"log_probability", token.log_probability}};
}

}  // namespace

std::vector<size_t> OutputProbabilities::shown(std::optional<int64_t> position) const {
  std::vector<size_t> all(positions.size());
  std::iota(all.begin(), all.end(), size_t{0});
  if (!position) return all;
  if (*position < 1 || *position > static_cast<int64_t>(all.size())) {
    fail(ErrorKind::usage, "--position {}: the target has positions 1 to {}, </s> the last", *position,
         all.size());
  }
  return {static_cast<size_t>(*position - 1)};
}

nn::LossSums loss_of(const Tensor& z, int32_t target, float label_smoothing) {
  const Tensor sums = Tensor::zeros({2}, DType::f32);
  kernels::cross_entropy(z, Tensor::from(std::vector<int32_t>{target}), {.label_smoothing = label_smoothing},
                         sums, Tensor());
  return {static_cast<double>(sums.data<float>()[0]), static_cast<double>(sums.data<float>()[1]), 1};
}

OutputProbabilities output_probabilities(const TracedSentence& sentence, const data::Tokenizer& vocabulary,
                                         float label_smoothing, int64_t top) {
  const Tensor& z = sentence.values.back().value;
  OutputProbabilities output;
  output.source = sentence.source;
  output.translation = sentence.translation;
  output.vocabulary = z.width();
  output.label_smoothing = label_smoothing;
  for (int64_t t = 0; t < z.rows(); ++t) {
    const auto i = static_cast<size_t>(t);
    const Position position(z.slice_rows(t, t + 1), vocabulary);
    output.positions.push_back(position.explained(sentence.target_in[i], sentence.target_ids[i],
                                                  label_smoothing, std::min(top, z.width())));
    output.loss += output.positions.back().loss;
    output.negative_log_probability -= output.positions.back().target.log_probability;
  }
  return output;
}

std::string to_text(const OutputProbabilities& output, const std::vector<size_t>& shown) {
  std::string text = fmt::format("{}\n{}\n", fmt::join(output.source, " "), output.translation);
  for (const size_t i : shown) {
    const OutputPosition& position = output.positions[i];
    text += fmt::format("\nposition {}: reads {}, is to say {}\n{:>8}{:<16}{:>10}{:>12}{:>11}\n", i + 1,
                        position.read, position.target.piece, "", "token", "logit", "p", "log p");
    bool listed = false;
    for (const OutputToken& token : position.best) {
      text += line_of(token, token.id == position.target.id ? "<- target" : "");
      listed = listed || token.id == position.target.id;
    }
    if (!listed) text += line_of(position.target, "<- target");
    text += fmt::format("  entropy {:.4f} nats, loss {:.4f}, -log p(target) {:.4f}\n", position.entropy,
                        position.loss, -position.target.log_probability);
  }
  const auto tokens = static_cast<double>(output.positions.size());
  return text + fmt::format(
                    "\nall {} positions, {} tokens to choose from: loss {:.6g} with label smoothing {:g}; "
                    "-log p {:.6g}, perplexity {:.4g}\n",
                    output.positions.size(), output.vocabulary, output.loss, output.label_smoothing,
                    output.negative_log_probability, std::exp(output.negative_log_probability / tokens));
}

std::string to_json(const OutputProbabilities& output, const std::vector<size_t>& shown) {
  nlohmann::ordered_json positions = nlohmann::ordered_json::array();
  for (const size_t i : shown) {
    const OutputPosition& position = output.positions[i];
    nlohmann::ordered_json best = nlohmann::ordered_json::array();
    for (const OutputToken& token : position.best) best.push_back(json_of(token));
    positions.push_back({{"position", i + 1},
                         {"reads", position.read},
                         {"target", json_of(position.target)},
                         {"best", best},
                         {"entropy", position.entropy},
                         {"loss", position.loss}});
  }
  const nlohmann::ordered_json json = {{"source", output.source},
                                       {"translation", output.translation},
                                       {"vocabulary", output.vocabulary},
                                       {"label_smoothing", output.label_smoothing},
                                       {"positions", positions},
                                       {"loss", output.loss},
                                       {"negative_log_probability", output.negative_log_probability}};
  return json_page(json);
}

std::string logits(const LogitsOptions& options) {
  options_of(options).require("model");
  options_of(options).require("source");
  ModelTranslator model(translation_options(options.model, options.compute));
  const TracedSentence sentence = trace_sentence(model, options.source, options.target);
  const OutputProbabilities output =
      output_probabilities(sentence, *model.model->vocabularies.target,
                           model.model->translation_model().config().label_smoothing, options.top);
  const auto shown = output.shown(options.position);
  const std::string& format = options.format;
  if (format == "svg") return to_svg(output, shown);
  return format == "json" ? to_json(output, shown) : to_text(output, shown);
}

}  // namespace xf::tools::explain
