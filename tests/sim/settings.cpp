#include "tests/sim/settings.h"

#include <algorithm>
#include <cstdlib>

#include "core/error.h"

namespace xf::sim {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

uint64_t number(const char* what, const std::string& text) {
  char* end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') fail(ErrorKind::usage, "sim: {}: '{}' is not a number", what, text);
  return value;
}

Settings from_environment() {
  Settings s;
  if (const std::string text = variable("XF_SIM_SCHEDULE"); !text.empty()) {
    s.schedule = parse_schedule(text, s.seed);
  }
  if (const std::string text = variable("XF_SIM_STREAMS"); !text.empty()) {
    if (text != "eager" && text != "lazy") {
      fail(ErrorKind::usage, "sim: XF_SIM_STREAMS is eager or lazy, not '{}'", text);
    }
    s.lazy_streams = text == "lazy";
  }
  if (const std::string text = variable("XF_SIM_SKIP"); !text.empty()) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) fail(ErrorKind::usage, "sim: XF_SIM_SKIP is FILE:LINE, not '{}'", text);
    s.skip_file = text.substr(0, colon);
    s.skip_line = static_cast<int>(number("XF_SIM_SKIP", text.substr(colon + 1)));
  }
  s.list = variable("XF_SIM_LIST");
  s.traffic = variable("XF_SIM_TRAFFIC");
  if (const std::string text = variable("XF_SIM_MEMORY"); !text.empty()) {
    s.memory = number("XF_SIM_MEMORY", text);
  }
  if (const std::string text = variable("XF_SIM_SHARED"); !text.empty()) {
    s.shared = std::min<size_t>(number("XF_SIM_SHARED", text), kMostShared);
  }
  if (const std::string text = variable("XF_SIM_DEVICES"); !text.empty()) {
    s.devices = static_cast<int>(number("XF_SIM_DEVICES", text));
  }
  if (const std::string text = variable("XF_SIM_FAILS"); !text.empty()) {
    s.device_error = static_cast<int>(number("XF_SIM_FAILS", text));
  }
  return s;
}

}  // namespace

Schedule parse_schedule(const std::string& text, uint64_t& seed) {
  if (text == "forward") return Schedule::forward;
  if (text == "reverse") return Schedule::reverse;
  if (text.rfind("random:", 0) == 0) {
    seed = number("XF_SIM_SCHEDULE", text.substr(7));
    return Schedule::random;
  }
  fail(ErrorKind::usage, "sim: a schedule is forward, reverse or random:SEED, not '{}'", text);
}

Settings& load_settings() {
  static Settings instance = from_environment();
  loaded_settings = &instance;
  return instance;
}

}  // namespace xf::sim
