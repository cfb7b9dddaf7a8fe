# What `cmake --install` puts where: programs; static libraries, headers below xformer/, and how CMake and pkg-config
# find them. `cpack` makes Debian packages of it: xformer, libxformer-dev and, where there
# is MPI, xformer-mpi, which xformer suggests and does not need.
include(CMakePackageConfigHelpers)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # the tests are not installed
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/xformer)

set_target_properties(xf_headers PROPERTIES EXPORT_NAME headers)
install(TARGETS xf_headers xf_core xf_dist xf_kernels xf_autograd xf_nn xf_checkpoint xf_train xf_decode xf_data xf_score
  xf_console xf_config xf_setup xf_formats xf_report xf_inference xf_explain xf_tutorials xf_app EXPORT xformer
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT xformer NAMESPACE xformer:: FILE xformerTargets.cmake DESTINATION ${config_folder} COMPONENT development)
configure_package_config_file(tools/cmake/xformerConfig.cmake.in xformerConfig.cmake INSTALL_DESTINATION ${config_folder})
# Semantic versions: what the interface promises holds within a major version, until the first one within a minor one.
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(xformerConfigVersion.cmake COMPATIBILITY ${compatible})
get_target_property(definitions xf_headers INTERFACE_COMPILE_DEFINITIONS)
list(FILTER definitions INCLUDE REGEX "^XF_")
list(TRANSFORM definitions PREPEND -D)
list(JOIN definitions " " XF_PC_DEFINITIONS)
if(XFORMER_CUDA)
  set(XF_PC_CUDA " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
endif()
configure_file(tools/cmake/xformer.pc.in xformer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/xformerConfig.cmake ${PROJECT_BINARY_DIR}/xformerConfigVersion.cmake
  DESTINATION ${config_folder} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/xformer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Our headers name each other from the root of the checkout; installed, from the folder above xformer/.
install(CODE "
  set(root \"${PROJECT_SOURCE_DIR}\")
  set(to \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/xformer\")
  file(GLOB headers RELATIVE \${root} \${root}/core/*.h \${root}/core/dist/*.h \${root}/kernels/*.h \${root}/autograd/*.h \${root}/nn/*.h
       \${root}/nn/*/*.h \${root}/data/*.h \${root}/data/score/*.h)
  foreach(header \${headers})
    file(READ \${root}/\${header} text)
    string(REGEX REPLACE \"#include \\\"(core|kernels|autograd|nn|data)/\" \"#include \\\"xformer/\\\\1/\" text \"\${text}\")
    file(WRITE \${to}/\${header} \"\${text}\")
  endforeach()" COMPONENT development)
install(FILES tools/app/xformer.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xformer COMPONENT development)
install(DIRECTORY docs/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/xformer/examples COMPONENT development)
install(PROGRAMS tools/train_demo.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/xformer COMPONENT programs)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
# The licence and the notices of others' works are in every package, in the folder of its name.
set(notices LICENSE THIRD_PARTY_NOTICES.md)
install(FILES ${notices} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(FILES ${notices} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libxformer-dev COMPONENT development)
if(TARGET xformer_mpi)
  install(FILES ${notices} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/xformer-mpi COMPONENT mpi)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The authors of xformer <xformer@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs development)
if(TARGET xformer_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME xformer)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "Trains and runs translation models from the shell
 A Transformer on a tensor engine of its own: training, translation, scores.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "xformer-mpi")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME xformer-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "xformer (= ${PROJECT_VERSION}), openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION "Trains a translation model with several processes
 What xformer-train loads when mpirun or srun starts it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libxformer-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "g++, libdnnl-dev, ocl-icd-opencl-dev, libicu-dev, "
  "libsentencepiece-dev, libprotobuf-dev, libtomlplusplus-dev, libyaml-cpp-dev, libfmt-dev, liblzma-dev, zlib1g-dev, libzstd-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Libraries, headers and examples of xformer
 The engine under the programs of the package xformer, and a facade to load, translate and train.")
include(CPack)
