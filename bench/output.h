// Results for the eye, and for a spreadsheet.
#pragma once

#include <string>

#include "bench/results.h"

namespace xf::bench {

// The header, one line per row, and below it what the rows have to add: notes, parts of a step's
// floor.
std::string to_table(const Results& results);
// For each row its intensity, the ceiling above it and how much of that it reaches.
std::string to_roofline(const Results& results);
// RFC 4180, the columns of the JSON rows.
std::string to_csv(const Results& results);

// "12.3 us"
std::string readable(double seconds);

}  // namespace xf::bench
