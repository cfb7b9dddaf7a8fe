#include "data/paired_lines.h"

#include <algorithm>

#include "core/error.h"
#include "data/labels.h"

namespace xf::data {

PairedLines::PairedLines(TextKind kind, const TextFiles& files)
    : kind_(kind),
      files_(files),
      source_(files.tsv || kind == TextKind::target_only ? std::nullopt
                                                         : std::optional<LineReader>(files.source())),
      target_(files.target()) {}

int64_t PairedLines::bytes_read() const {
  return target_.bytes_read() + (source_ ? source_->bytes_read() : 0);
}

void PairedLines::check_not_empty(const std::string& path) const {
  if (line_ == 0 && path != "-")
    fail(ErrorKind::data, "{}: is empty; give a file with one sentence a line", path);
}

// Counts the lines of the longer file first.
void PairedLines::fail_unequal(bool has_source, bool has_target) {
  int64_t source = line_ + has_source, target = line_ + has_target;
  std::string rest;
  while (has_source && source_->next(rest)) ++source;
  while (has_target && target_.next(rest)) ++target;
  fail(ErrorKind::data, "{} and {} have {} and {} lines; line i of one {}", files_.source(), files_.target(),
       source, target,
       kind_ == TextKind::labelled ? "is the class of line i of the other"
                                   : "must translate line i of the other, `xformer-vocab check` shows more");
}

bool PairedLines::next_of_files(std::string& source, std::string& target) {
  source.clear();
  const bool has_source = source_ && source_->next(source), has_target = target_.next(target);
  if (source_ && !has_source) check_not_empty(files_.source());
  if (!has_target) check_not_empty(files_.target());
  if (source_ && has_source != has_target) fail_unequal(has_source, has_target);
  if (!has_target) return false;
  ++line_;
  if (source_) check_utf8(files_.source(), line_, source);
  check_utf8(files_.target(), line_, target);
  return true;
}

bool PairedLines::next_of_columns(std::string& source, std::string& target) {
  const std::string& path = files_.target();
  if (!target_.next(source)) {
    check_not_empty(path);
    return false;
  }
  check_utf8(path, ++line_, source);
  const auto tabs = std::ranges::count(source, '\t');
  if (tabs != 1) {
    fail(ErrorKind::data, "{}:{}: {} column{}, not 2; give lines of {} with one tab between them", path,
         line_, tabs + 1, tabs == 0 ? "" : "s",
         kind_ == TextKind::labelled ? "a text and its class" : "two texts");
  }
  const size_t tab = source.find('\t');
  target = source.substr(tab + 1);
  source.resize(tab);
  return true;
}

bool PairedLines::next(std::string& source, std::string& target) {
  if (!(files_.tsv ? next_of_columns(source, target) : next_of_files(source, target))) return false;
  if (kind_ != TextKind::labelled) return true;
  target = class_name(target);
  if (target.empty())
    fail(ErrorKind::data, "{}:{}: a line without a class; give it one, or remove it with its text",
         files_.target(), line_);
  if (target.find('\t') != std::string::npos)
    fail(ErrorKind::data, "{}:{}: the class contains a tab, which separates classes in output; write a space",
         files_.target(), line_);
  return true;
}

}  // namespace xf::data
