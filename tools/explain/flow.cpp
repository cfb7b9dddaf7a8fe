#include "tools/explain/flow.h"
#include "tools/config/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "core/error.h"
#include "tools/console/nearest_name.h"
#include "tools/explain/flow_stages.h"

namespace xf::tools::explain {

namespace {

using Stages = std::vector<FlowStage>;

Stages encoder_flow(const FlowPass& pass) {
  const FlowStages make(pass, pass.traced.source);
  Stages stages = {make.words("Source words", pass.traced.source), make.source_embedding()};
  make.add_self_attention(
      stages, "encoder.layers.0",
      {"Self-attention", "Queries, keys and values of every position, all heads side by side.",
       "softmax(q k / sqrt(Dh)): each row is one word's shares of all words; its sum is 1.", false});
  make.add_feed_forward(stages, "encoder.layers.0");
  for (int64_t l = 1; l < pass.config.encoder_layers; ++l) stages.push_back(make.encoder_layer(l));
  stages.push_back(make.memory("What the decoder will read: one row per source word."));
  return stages;
}

// Where the words differ between the two views of the decoder.
struct DecoderWords {
  const char *in, *embedding;
  FlowStages::SelfAttentionText self_attention;
  const char* out;
};

Stages decoder_flow(const FlowPass& pass, const DecoderWords& say) {
  const TracedSentence& traced = pass.traced;
  const FlowStages make(pass, traced.target_in);
  Stages stages = {make.memory("The encoder's output, one row per source word."),
                   make.words(say.in, traced.target_in), make.target_embedding(say.embedding)};
  stages.front().is_memory = true;
  make.add_self_attention(stages, "decoder.layers.0", say.self_attention);
  make.add_cross_attention(stages, "decoder.layers.0");
  make.add_feed_forward(stages, "decoder.layers.0");
  for (int64_t l = 1; l < pass.config.decoder_layers; ++l) stages.push_back(make.decoder_layer(l));
  make.add_logits(stages);
  stages.push_back(make.words(say.out, traced.target_out, pass.losses));
  return stages;
}

Stages training_flow(const FlowPass& pass) {
  return decoder_flow(
      pass, {"Target, shifted right",
             "All positions at once: the right words are known.",
             {"Masked self-attention", "Queries, keys and values of every position, all heads side by side.",
              "softmax(q k / sqrt(Dh)) over the words up to the own one; hatched: masked.", true},
             "To be said, and its -log p (CE1)"});
}

Stages decoding_flow(const FlowPass& pass) {
  return decoder_flow(
      pass, {"Words so far",
             "One position at a time: each needs the word before it.",
             {"Self-attention with a cache", "One row is computed; the rows of k and v before it are kept.",
              "softmax(q k / sqrt(Dh)) over the cached words; hatched: not there yet.", true},
             "Likeliest word, and its -log p (CE1)"});
}

Stages model_flow(const FlowPass& pass) {
  const TracedSentence& traced = pass.traced;
  const FlowStages encoder(pass, traced.source), decoder(pass, traced.target_in);
  Stages stages = {encoder.words("Source words", traced.source), encoder.source_embedding()};
  for (int64_t l = 0; l < pass.config.encoder_layers; ++l) {
    stages.push_back(encoder.encoder_layer(l));
    stages.back().title = fmt::format("Encoder, layer {}", l);
  }
  stages.push_back(encoder.memory("What every layer of the decoder reads."));
  stages.back().is_memory = true;
  stages.push_back(decoder.words("Target, shifted right", traced.target_in));
  stages.push_back(decoder.target_embedding("All positions at once: the right words are known."));
  for (int64_t l = 0; l < pass.config.decoder_layers; ++l) {
    stages.push_back(decoder.decoder_layer(l));
    stages.back().title = fmt::format("Decoder, layer {}", l);
  }
  decoder.add_logits(stages);
  stages.push_back(decoder.words("To be said, and its -log p (CE1)", traced.target_out, pass.losses));
  return stages;
}

Stages attention_flow(const FlowPass& pass) {
  const FlowStages make(pass, pass.traced.target_in);
  Stages stages = {make.words("Words", pass.traced.target_in)};
  make.add_attention_steps(stages, "decoder.layers.0.self_attention");
  return stages;
}

Stages feed_forward_flow(const FlowPass& pass) {
  const FlowStages make(pass, pass.traced.source);
  Stages stages = {make.words("Words", pass.traced.source)};
  make.add_feed_forward_steps(stages, "encoder.layers.0");
  return stages;
}

Stages positions_flow(const FlowPass& pass) {
  const FlowStages make(pass, pass.traced.source);
  Stages stages = {make.words("Words", pass.traced.source)};
  make.add_embedding_steps(stages);
  return stages;
}

struct Subject {
  const char *name, *title;
  Stages (*make)(const FlowPass&);
  bool stepwise = false;
};
const std::vector<Subject> kSubjects = {
    {"model", "Encoder and decoder, layer by layer", model_flow},
    {"encoder", "Encoder", encoder_flow},
    {"training", "Decoder in training: all positions at once", training_flow},
    {"decoding", "Decoder step by step: one word after the other", decoding_flow, true},
    {"attention", "Attention", attention_flow},
    {"feed_forward", "Feed-forward", feed_forward_flow},
    {"positions", "Embedding and positions", positions_flow},
};

const Subject& find_subject(const std::string& name) {
  const auto found = std::ranges::find(kSubjects, name, &Subject::name);
  if (found != kSubjects.end()) return *found;
  fail(ErrorKind::usage, "xformer-explain flow: there is no flow of '{}'{} (one of {})", name,
       did_you_mean(name, flow_subjects()), fmt::join(flow_subjects(), ", "));
}

}  // namespace

int64_t Flow::rows() const {
  return stepwise ? std::min<int64_t>(std::ssize(stages.back().words), kMostRows) : 1;
}

int64_t Flow::tick(size_t stage, int64_t row) const {
  const auto s = static_cast<int64_t>(stage), in_a_row = static_cast<int64_t>(stages.size()) - 1;
  return stepwise && s > 0 ? s + row * in_a_row : s;
}

int64_t Flow::ticks() const { return tick(stages.size() - 1, rows() - 1) + 1; }

const std::vector<std::string>& flow_subjects() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Subject& subject : kSubjects) all.emplace_back(subject.name);
    return all;
  }();
  return names;
}

FlowTarget flow_target(const std::string& subject) {
  return find_subject(subject).stepwise ? FlowTarget::greedy : FlowTarget::reference;
}

Flow make_flow(const std::string& name, const FlowPass& pass) {
  const Subject& subject = find_subject(name);
  return {subject.name, subject.title, pass.model, subject.stepwise, subject.make(pass)};
}

std::string flow_document(const FlowOptions& options) {
  options_of(options).require("subject");
  const auto& words = options.subject;
  const std::string& subject = words.front();
  const FlowTarget target = flow_target(subject);
  const bool has_model = !options.model.empty();
  if (has_model != (words.size() == 2)) {
    fail(ErrorKind::usage, "xformer-explain flow: give both a model and a sentence: flow {} -m DIR \"...\"",
         subject);
  }
  const Flow flow =
      make_flow(subject, has_model ? model_pass(options, words[1], target) : micro_pass(target));
  const std::string& format = options.format;
  return format == "svg"    ? to_svg(flow)
         : format == "html" ? to_html(flow)
         : format == "json" ? to_json(flow)
                            : to_text(flow);
}

}  // namespace xf::tools::explain
