# cmake --install, what find_package(graze) and pkg-config read, and by cpack the packages libgraze-dev and graze.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS graze EXPORT grazeTargets COMPONENT dev)
install(DIRECTORY include/graze DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/graze)
install(EXPORT grazeTargets NAMESPACE graze:: DESTINATION ${config} COMPONENT dev)
# Before 1.0 any minor version may change what the headers say.
write_basic_package_version_file(grazeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/grazeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/grazeConfigVersion.cmake
  DESTINATION ${config} COMPONENT dev)

# The readers and writers are a component of their own, because they need more packages. Static libraries pass on what
# they are linked with, so the packages are read off the target: that of assimp::assimp is assimp.
if(TARGET graze_files)
  install(TARGETS graze_files EXPORT grazeFilesTargets COMPONENT dev)
  install(EXPORT grazeFilesTargets NAMESPACE graze:: DESTINATION ${config} COMPONENT dev)
  install(FILES files/assembly.hpp files/mesh_file.hpp files/write.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/graze/files COMPONENT dev)
  get_target_property(linked graze_files LINK_LIBRARIES)
  foreach(one IN LISTS linked)
    if(one MATCHES "^([A-Za-z0-9_]+)::")
      list(APPEND GRAZE_FILES_PACKAGES ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES GRAZE_FILES_PACKAGES)
endif()
configure_package_config_file(cmake/grazeConfig.cmake.in grazeConfig.cmake INSTALL_DESTINATION ${config})

# Programs must be linked with what a static library needs; a shared one brings it.
get_target_property(type graze TYPE)
if(type STREQUAL STATIC_LIBRARY)
  set(GRAZE_PC_REQUIRES Requires)
else()
  set(GRAZE_PC_REQUIRES Requires.private)
endif()
if(GRAZE_TBB)
  set(GRAZE_PC_TBB " tbb")
endif()
# Relative to the file, so that the tree can be moved.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH GRAZE_PC_UP /${pkgconfig} /)
configure_file(cmake/graze.pc.in graze.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/graze.pc DESTINATION ${pkgconfig} COMPONENT dev)

if(GRAZE_APPS)
  install(TARGETS graze_command COMPONENT command)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/apps/graze.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graze RENAME copyright COMPONENT command)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libgraze-dev RENAME copyright COMPONENT dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR graze)
set(CPACK_PACKAGE_CONTACT "The graze authors <graze@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgraze-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libhwy-dev, libqhull-dev")
if(GRAZE_TBB)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libtbb-dev")
endif()
# Only graze::files needs these.
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libtinyxml2-dev, libassimp-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEV_DESCRIPTION "${PROJECT_DESCRIPTION}: the library and its headers")
if(GRAZE_APPS)
  list(APPEND CPACK_COMPONENTS_ALL command)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME graze)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION graphics)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_COMMAND_DESCRIPTION "${PROJECT_DESCRIPTION}: the graze command")
endif()
include(CPack)
