# The presets are text inside the programs: found from the build tree and installed alike.
function(xf_presets_text output)
  set(folder ${PROJECT_SOURCE_DIR}/tools)
  file(GLOB presets CONFIGURE_DEPENDS ${folder}/presets/*.toml)
  list(SORT presets ORDER DESCENDING)  # tiny, the default, first
  set(XF_PRESETS "")
  foreach(path ${presets})
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND XF_PRESETS "      {\"${name}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  configure_file(${folder}/config/presets.cpp.in ${output} @ONLY)
endfunction()
