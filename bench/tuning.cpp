#include "bench/tuning.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace xf::bench {

namespace {

using Json = nlohmann::json;

std::vector<Setting> settings_from(const Json& list) {
  std::vector<Setting> settings;
  for (const Json& json : list) {
    Setting& setting = settings.emplace_back();
    setting.name = json.at("name");
    setting.environment = json.value("environment", setting.environment);
    setting.options = json.value("options", Json::object()).dump();
  }
  return settings;
}

// The refinement's variables and options count where both have one.
Setting refined(const Setting& setting, const Setting& refinement) {
  Setting both = refinement;
  both.name = setting.name + ", " + refinement.name;
  both.environment.insert(setting.environment.begin(), setting.environment.end());
  Json options = Json::parse(setting.options);
  options.update(Json::parse(refinement.options));
  both.options = options.dump();
  return both;
}

struct Timed {
  Setting setting;
  Tried tried;
  bool ran() const { return std::isfinite(tried.seconds); }
};

std::vector<Timed> round_of(std::vector<Setting> settings, bool sample, const TimeSetting& time) {
  std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
    return a.environment < b.environment;  // so that a process serves several
  });
  std::vector<Timed> timed;
  for (const Setting& setting : settings) timed.push_back({setting, time(setting, sample)});
  return timed;
}

// Those that ran, the fastest first.
std::vector<Timed> ranked(std::vector<Timed> round) {
  std::erase_if(round, [](const Timed& timed) { return !timed.ran(); });
  std::stable_sort(round.begin(), round.end(),
                   [](const Timed& a, const Timed& b) { return a.tried.seconds < b.tried.seconds; });
  return round;
}

std::string reason(const Tuning& tuning, size_t first, const Timed& best_of_first,
                   const Timed* best_of_second, size_t kept, size_t ways) {
  std::string text = fmt::format("fastest of {} settings", tuning.tried.size());
  if (best_of_second) {
    text += fmt::format(": {} on {}, then the {} fastest of them in {} ways each on {}", first,
                        best_of_first.tried.on, kept, ways, best_of_second->tried.on);
  } else {
    text += " on " + best_of_first.tried.on;
  }
  const auto failed = std::count_if(tuning.tried.begin(), tuning.tried.end(),
                                    [](const Tried& tried) { return !std::isfinite(tried.seconds); });
  return failed == 0 ? text : text + fmt::format("; {} of them did not run", failed);
}

}  // namespace

Offer offer_from(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Offer offer;
    offer.settings = settings_from(json.at("settings"));
    offer.refinements = settings_from(json.value("refinements", Json::array()));
    offer.kept = json.value("kept", offer.kept);
    offer.turns = json.value("turns", offer.turns);
    offer.limit_s = json.value("limit_s", offer.limit_s);
    if (offer.settings.empty() || offer.kept < 1 || offer.turns < 1)
      fail(ErrorKind::failure, "a peer that offers nothing to time");
    return offer;
  } catch (const Json::exception& error) {
    fail(ErrorKind::failure, "no settings of a peer: {}", error.what());
  }
}

Tuned tune(const Offer& offer, const TimeSetting& time) {
  Tuning tuning;
  const auto record = [&](const std::vector<Timed>& round) {
    for (const Timed& timed : round) tuning.tried.push_back(timed.tried);
    return ranked(round);
  };
  const std::vector<Timed> first = record(round_of(offer.settings, true, time));
  if (first.empty()) fail(ErrorKind::failure, "{}", tuning.tried.front().why_not);
  const size_t kept = std::min(first.size(), static_cast<size_t>(offer.kept));
  std::vector<Setting> refined_ones;
  for (size_t i = 0; i < kept; ++i) {
    for (const Setting& way : offer.refinements) refined_ones.push_back(refined(first[i].setting, way));
  }
  const std::vector<Timed> second = record(round_of(refined_ones, false, time));
  const Timed& best = second.empty() ? first.front() : second.front();
  tuning.chosen = best.setting.name;
  tuning.why = reason(tuning, offer.settings.size(), first.front(), second.empty() ? nullptr : &best, kept,
                      offer.refinements.size());
  return {best.setting, tuning};
}

}  // namespace xf::bench
