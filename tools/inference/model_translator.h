// A loaded model, or several as an ensemble, and a search over it, as the options of
// xformer-translate say.
#pragma once

#include <memory>

#include <vector>

#include "core/arena.h"
#include "data/vocabularies.h"
#include "nn/decode/ensemble.h"
#include "tools/config/program_options.h"
#include "tools/formats/loaded_model.h"
#include "tools/inference/translator.h"
#include "tools/setup/compute_device.h"

namespace xf::tools {

struct ModelTranslator {
  // `options`: of xformer-translate, "model" among them; what they leave open is as the first model
  // was trained to be used. scored: whether somebody wants to know the hypotheses' scores
  // (nn::SearchOptions). Sets the number of threads. Errors as check_translation_options(),
  // set_up_device(), load_model() and Ensemble have them; usage if the models read text in
  // different ways.
  explicit ModelTranslator(const TranslationOptions& options, bool scored = true);
  ModelTranslator(const ModelTranslator&) = delete;
  ModelTranslator& operator=(const ModelTranslator&) = delete;

  // A line as a user writes it, prepared, unless it is pieces (--no-spm-encode); with
  // --force-decode, `source TAB prefix` or a source alone. Error data, beginning with `where`, for
  // more tabs, for a prefix that is too long, and for one of pieces that has an unknown one.
  SourceLine source_line(std::string_view line, const std::string& where) const;

  // Text as the model's vocabularies take it: prepared, or pieces as they are (--no-spm-encode).
  std::string prepared(std::string_view line) const;

  // The folders that the weights came from.
  std::string name() const;

  const Device device;
  const std::unique_ptr<LoadedModel> model;                // the first; all share its vocabularies
  const std::vector<std::unique_ptr<LoadedModel>> others;  // of an ensemble
  const std::unique_ptr<nn::Ensemble> ensemble;            // null: one model
  const nn::TranslationModel& translation;                 // the model, or the ensemble
  Arena arena;
  const nn::SearchOptions search;
  const bool with_prefixes;       // --force-decode
  const bool reads_pieces;        // --no-spm-encode
  const bool writes_pieces;       // --no-spm-decode
  const data::Vocabularies text;  // the model's, as --no-spm-encode and --no-spm-decode have them
  const Translator translator;    // refers to translation and arena

 private:
  void add_prefix(std::string_view prefix, const std::string& where, SourceLine& line) const;
};

}  // namespace xf::tools
