# Every test that a page tells its reader to run exists: `ctest … -R "…"` and `-L …` select at least one.
#   cmake -D ROOT=. -D BUILD=build -P tests/check_doc_commands.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE pages ${ROOT}/docs/*.md)
list(FILTER pages EXCLUDE REGEX "/docs/log/")  # what was true on its date
list(APPEND pages ${ROOT}/README.md ${ROOT}/CONTRIBUTING.md ${ROOT}/SECURITY.md)
set(commands "")
foreach(page IN LISTS pages)
  file(READ ${page} text)
  string(REPLACE "\\|" "|" text "${text}")  # as a cell of a table writes it
  string(REPLACE "-R Foo" "" text "${text}")  # the op that CONTRIBUTING.md adds
  string(REGEX MATCHALL "ctest (…|--test-dir build) (-R \"[^\"\n]+\"|-[RL] [A-Za-z0-9_]+)" found "${text}")
  list(APPEND commands ${found})
endforeach()
list(REMOVE_DUPLICATES commands)

set(empty "")
foreach(command IN LISTS commands)
  string(REGEX MATCH "(-[RL]) \"?([^\"]+)\"?$" selection "${command}")
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} -N ${CMAKE_MATCH_1} ${CMAKE_MATCH_2}
    OUTPUT_VARIABLE list COMMAND_ERROR_IS_FATAL ANY)
  if(list MATCHES "Total Tests: 0")
    string(APPEND empty "${command}\n")
  endif()
endforeach()
list(LENGTH commands count)
if(empty OR count LESS 10)
  message(FATAL_ERROR "of ${count} commands these name no test:\n${empty}")
endif()
message("${count} commands")
