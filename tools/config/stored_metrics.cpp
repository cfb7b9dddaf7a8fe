#include "tools/config/stored_metrics.h"

namespace xf::tools {
namespace {

constexpr const char* kTutorialBleu = "tutorial-bleu";
constexpr const char* kStoredAs = "compat-bleu";

}  // namespace

std::string stored_metric(const std::string& metric) { return metric == kTutorialBleu ? kStoredAs : metric; }

std::string metric_stored_as(const std::string& name) { return name == kStoredAs ? kTutorialBleu : name; }

}  // namespace xf::tools
