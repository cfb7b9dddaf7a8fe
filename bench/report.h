// A page about one or several runs, complete in one file: no script, nothing from elsewhere.
#pragma once

#include <string>
#include <vector>

#include "bench/results.h"

namespace xf::bench {

// Of the newest run (the last): header, roofline, bars against peers, a step's floor, cost growth,
// all rows. Of all of them: how times changed from label to label.
std::string to_html(const std::vector<Results>& runs);

// Reads labels or files and writes the page.
void write_report(const std::vector<std::string>& labels, const std::string& path);

}  // namespace xf::bench
