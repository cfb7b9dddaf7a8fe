#include "tools/tutorials/model/settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

namespace xf::nn::quirks {

namespace {

struct Switch {
  std::string_view name;
  std::string values;
  std::function<bool(Quirks&, std::string_view value)> set;  // whether it is one
};

template <typename E>
Switch choice(std::string_view name, E Quirks::*member, std::vector<std::pair<std::string_view, E>> values) {
  std::string text;
  for (const auto& [word, value] : values) text += (text.empty() ? "" : "|") + std::string(word);
  return {name, text, [=](Quirks& quirks, std::string_view given) {
            const auto found = std::ranges::find(values, given, &std::pair<std::string_view, E>::first);
            if (found == values.end()) return false;
            quirks.*member = found->second;
            return true;
          }};
}

// The correct value first.
Switch flag(std::string_view name, bool Quirks::*member) {
  if (Quirks{}.*member) return choice<bool>(name, member, {{"true", true}, {"false", false}});
  return choice<bool>(name, member, {{"false", false}, {"true", true}});
}

Switch number(std::string_view name, float Quirks::*member, std::string_view others, bool (*is_one)(float)) {
  return {name, fmt::format("{} or another {}", Quirks{}.*member, others),
          [=](Quirks& quirks, std::string_view given) {
            const char* const last = given.data() + given.size();
            const auto [end, error] = std::from_chars(given.data(), last, quirks.*member);
            return error == std::errc() && end == last && is_one(quirks.*member);
          }};
}

const std::vector<Switch>& table() {
  static const std::vector<Switch> all{
      number("mask-fill", &Quirks::mask_fill, "number below infinity",
             [](float fill) { return fill < std::numeric_limits<float>::infinity(); }),
      choice<PadAxis>("pad-axis", &Quirks::pad_axis,
                      {{"key", PadAxis::key}, {"query", PadAxis::query}, {"both", PadAxis::both}}),
      flag("apply-mask", &Quirks::apply_mask),
      choice<PositionExponent>("position-exponent", &Quirks::position_exponent,
                               {{"correct", PositionExponent::correct},
                                {"doubled", PositionExponent::doubled},
                                {"divided-outside", PositionExponent::divided_outside}}),
      choice<NormFormula>("norm-formula", &Quirks::norm,
                          {{"variance", NormFormula::variance},
                           {"deviation", NormFormula::deviation},
                           {"misplaced", NormFormula::misplaced}}),
      number("norm-eps", &Quirks::norm_eps, "finite number from 0 on",
             [](float eps) { return eps >= 0 && std::isfinite(eps); }),
      choice<NormSharing>(
          "decoder-norms", &Quirks::decoder_norms,
          {{"own", NormSharing::none}, {"first", NormSharing::first}, {"second", NormSharing::second}}),
      choice<DropoutPlace>(
          "dropout-place", &Quirks::dropout_place,
          {{"before-add", DropoutPlace::before_add}, {"after-norm", DropoutPlace::after_norm}}),
      flag("feed-forward-dropout-last", &Quirks::feed_forward_dropout_last),
      flag("position-offset", &Quirks::position_offset),
      choice<EmbeddingScale>("embedding-scale", &Quirks::embedding_scale,
                             {{"sqrt-dim", EmbeddingScale::sqrt_dim},
                              {"none", EmbeddingScale::none},
                              {"inverse-sqrt-dim", EmbeddingScale::inverse_sqrt_dim}}),
      flag("positions-of-zeros", &Quirks::positions_of_zeros),
      flag("zero-pad-row", &Quirks::zero_pad_row),
      flag("freeze-pad-row", &Quirks::freeze_pad_row),
      flag("target-masked-by-source-pad", &Quirks::target_masked_by_source_pad),
      flag("attention-dropout-at-evaluation", &Quirks::attention_dropout_at_evaluation),
      flag("dropout-in-tests", &Quirks::dropout_in_tests),
      choice<CacheContents>("decoder-cache", &Quirks::cache,
                            {{"keys-values", CacheContents::keys_values}, {"inputs", CacheContents::inputs}}),
      choice<InitScheme>("init", &Quirks::init,
                         {{"xavier-uniform", InitScheme::xavier_uniform},
                          {"kaiming-uniform", InitScheme::kaiming_uniform},
                          {"torch-default", InitScheme::torch_default}}),
      flag("attention-bias", &Quirks::attention_bias),
      choice<Output>("output", &Quirks::output,
                     {{"logits", Output::logits}, {"log-softmax", Output::log_softmax}}),
  };
  return all;
}

void apply_setting(Quirks& quirks, std::string_view setting) {
  const size_t equals = setting.find('=');
  const auto found = std::ranges::find(table(), setting.substr(0, equals), &Switch::name);
  if (found == table().end())
    fail(ErrorKind::usage, "quirks: there is no switch {}; there are: {}", setting,
         fmt::join(switches(), ", "));
  if (equals == setting.npos || !found->set(quirks, setting.substr(equals + 1)))
    fail(ErrorKind::usage, "quirks: expected {}={}, got {}", found->name, found->values, setting);
}

}  // namespace

Quirks quirks_from(const std::vector<std::string>& settings) {
  Quirks quirks;
  for (const std::string& setting : settings) apply_setting(quirks, setting);
  return quirks;
}

std::vector<std::string> switches() {
  std::vector<std::string> lines;
  for (const Switch& one : table()) lines.push_back(fmt::format("{}={}", one.name, one.values));
  return lines;
}

}  // namespace xf::nn::quirks
