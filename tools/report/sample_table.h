// Sentences of the validation set and what became of their translations, on a page.
#pragma once

#include <map>

#include "tools/report/html_page.h"
#include "tools/report/validation_files.h"

namespace xf::tools {

// Of the first few sentences: source, reference, and translations at a few validations, first and last among them, with
// the words marked that the one above does not have. Nothing where there are none.
void add_samples(HtmlPage& page, const std::map<int64_t, SampleHistory>& histories);

}  // namespace xf::tools
