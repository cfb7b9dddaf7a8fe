// Which shapes are timed: those of the tests, or those that a model's training step has.
#pragma once

#include <string>

#include "nn/transformer.h"
#include "tests/support/targets.h"

namespace xf::bench {

// A model and the batch that is its benchmark: sentences of one length, as
// bench/peers/torch_step.py has them.
struct ModelPreset {
  std::string name;
  nn::TransformerConfig config;
  int64_t sentences = 0, length = 0;

  int64_t tokens() const { return sentences * length; }  // of either side
  int64_t parameters() const;
};

// tiny: width 128, 292 sentences of 14. base: width 512, 128 sentences of 32.
ModelPreset model_preset(const std::string& name);

struct Scope {
  // odd: shapes of tests/cases, each with its reason; a language model's (bench/model_sizes.h);
  // else those of `model`
  std::string preset;
  tests::Target target;
  ModelPreset model;

  bool odd() const { return preset == "odd"; }
  // Bytes of an element, of an accumulator.
  double e() const { return static_cast<double>(size_of(target.dtype)); }
  double a() const { return static_cast<double>(size_of(target.accumulator())); }
};

Scope scope_of(const std::string& preset, const tests::Target& target);
// The same shapes with fewer sentences: what --check compares with the slow reference.
Scope small_scope(const Scope& scope);

}  // namespace xf::bench
