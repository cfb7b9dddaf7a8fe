// Opening files in folders where others can write: nothing is followed or waited for that somebody
// else has put there.
#pragma once

#include <string>

#include "core/descriptor.h"

namespace xf {

// A regular file to read, also at the end of links. Error data if it is missing or unreadable, and
// for a pipe or a device, which nobody waits for.
Descriptor open_regular(const std::string& path);

// A file to write by a name that nobody has given, in a folder that may come from a stranger
// (train.log of a run): made where it is missing, opened as `flags` of open(2) say. A file that has
// another name as well (a hard link, of `cp -al`) is replaced by a copy first. Error resources, and
// nothing is changed, for a link, a pipe or a device of that name.
Descriptor open_part(const std::string& path, int flags);

// Error resources if another user has put something on the way to `path`, a link, a pipe or a file,
// into a folder where everybody may put things but remove only his own (sticky, as /tmp). Linux
// refuses the same where protected_symlinks, protected_fifos and protected_regular are set
// (proc_sys_fs(5)), to who opens such a name, not to who reads its link as core/file_writer.h does.
void refuse_planted(const std::string& path);

}  // namespace xf
