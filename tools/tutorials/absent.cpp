// The library of a build without tutorials.
#include "core/registered.h"
#include "tools/tutorials/commands.h"
#include "tools/tutorials/register.h"

namespace xf::tutorials {

void register_all() {}

std::string steps_page(const tools::StepsOptions&) { fail_without_tutorials("steps"); }
std::string quirk_page(const tools::QuirkOptions&) { fail_without_tutorials("quirk"); }
std::vector<std::string> quirk_ids() { return {}; }
std::string field_page(const tools::FieldOptions&) { fail_without_tutorials("field"); }
int translate_along_reference(const tools::TranslationOptions&) { fail_without_tutorials("teacher-forced"); }

}  // namespace xf::tutorials
