#!/usr/bin/env bash
# Installs a build and makes its packages, and uses both as strangers would: package.sh BUILD COMPILER
set -euo pipefail
build=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
consumer=$here/../examples/consumer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The example by CMake and by pkg-config: a step aside of 1 the cubes touch, beyond that they do not.
use() {
    local prefix=$1 name=$2
    cmake -S "$consumer" -B "$folder/$name" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_BUILD_TYPE=Release >/dev/null
    cmake --build "$folder/$name" >/dev/null
    local flags
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name graze.pc)") pkg-config --cflags --libs graze)
    # shellcheck disable=SC2086  # flags are words
    "$compiler" -std=c++20 "$consumer/main.cpp" -o "$folder/$name/by-pkg-config" $flags
    for program in consumer by-pkg-config; do
        local code=0
        "$folder/$name/$program" 1 || code=$?
        [[ $code -eq 1 ]]
        [[ $("$folder/$name/$program" 1.0000001) == "0 contacts" ]]
    done
    [[ $("$prefix/bin/graze" --version) == graze* ]]
    grep -q '^\.SH COMMANDS' "$prefix/share/man/man1/graze.1"
    # Readers that are programs of their own are found from where the command is. Each refuses this file.
    printf 'ISO-10303-21;\n' | tee "$folder/short.ifc" >"$folder/short.step"
    if [[ -e $build/share/graze/ifc/read_ifc.mjs ]]; then
        [[ -s $prefix/share/graze/ifc/web-ifc/LICENSE.md ]]
        [[ $("$prefix/bin/graze" info "$folder/short.ifc" 2>&1) == *"the file states no schema" ]]
    fi
    if [[ -e $build/libexec/graze/read_step ]]; then
        [[ $("$prefix/bin/graze" info "$folder/short.step" 2>&1) == *"not a STEP file, or a damaged one" ]]
    fi
    echo "$name: works"
}

# Programs that read and write meshes and read a robot. Without the component there is no such target.
use_files() {
    local prefix=$1 name=$2-files
    mkdir "$folder/$name"
    cat >"$folder/$name/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(reader LANGUAGES CXX)
find_package(graze 0.2 REQUIRED)
if(TARGET graze::files OR TARGET assimp::assimp)
  message(FATAL_ERROR "nobody asked for files")
endif()
find_package(graze 0.2 REQUIRED COMPONENTS files)
add_executable(reader main.cpp)
target_link_libraries(reader PRIVATE graze::files)
add_executable(robot robot.cpp)
target_link_libraries(robot PRIVATE graze::files)
END
    cp "$here/../examples/robot.cpp" "$folder/$name"
    cat >"$folder/$name/main.cpp" <<'END'
#include <cstdio>
#include <graze/files/assembly.hpp>
#include <graze/files/write.hpp>

int main(int, char** argv) {
    const auto mesh = graze::files::read_mesh(argv[1]);
    if (!mesh) return 2;
    const auto model = graze::Model::build(mesh->view());
    if (!model || !graze::files::write_assembly(argv[2], graze::files::single(*mesh))) return 2;
    std::printf("%u triangles\n", model->triangle_count());
}
END
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n' >"$folder/$name/square.obj"
    cmake -S "$folder/$name" -B "$folder/$name/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
        >/dev/null
    cmake --build "$folder/$name/build" >/dev/null
    [[ $("$folder/$name/build/reader" "$folder/$name/square.obj" "$folder/$name/square.stl") == "2 triangles" ]]
    "$prefix/bin/graze" samples "$folder/$name/samples" >/dev/null
    [[ $("$folder/$name/build/robot" "$folder/$name/samples/arm/arm.urdf" | sed -n 4,5p) == \
        $'bend 1.5: 10 pairs of links collide\nbend 2.0: 1 pairs of links collide' ]]
    [[ $("$prefix/bin/graze" info --csv "$folder/$name/square.stl" | tail -n 1) == *,STL,1,2,2,4,* ]]
    echo "$name: works"
}

# A project that has the sources in its tree gets the library and nothing else: no scenes, apps, tests or page. Only the
# program is compiled here, because the library takes minutes.
embed() {
    mkdir "$folder/embedded"
    cp "$consumer/main.cpp" "$folder/embedded"
    cat >"$folder/embedded/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(embedding LANGUAGES CXX)
add_subdirectory("$here/.." graze)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE graze::graze)
get_property(targets DIRECTORY "$here/.." PROPERTY BUILDSYSTEM_TARGETS)
get_property(folders DIRECTORY "$here/.." PROPERTY SUBDIRECTORIES)
message(STATUS "targets \${targets} folders (\${folders})")
END
    cmake -G Ninja -S "$folder/embedded" -B "$folder/embedded/build" -DCMAKE_CXX_COMPILER="$compiler" \
        >"$folder/embedded.log" || { cat "$folder/embedded.log"; exit 1; }
    grep -qx -- '-- targets graze_flags;graze folders ()' "$folder/embedded.log"
    ninja -C "$folder/embedded/build" CMakeFiles/program.dir/main.cpp.o >/dev/null
    echo "embedded: works"
}

cmake --install "$build" --prefix "$folder/installed" >/dev/null
use "$folder/installed" installed
use_files "$folder/installed" installed
embed

if command -v dpkg-shlibdeps >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -B "$folder/packages" >"$folder/cpack.log" || { cat "$folder/cpack.log"; exit 1; }
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --info "$package" | grep -E '^ (Package|Depends|Installed-Size):'
        dpkg-deb -x "$package" "$folder/root"
    done
    # Each package names the Debian packages that it depends on.
    dpkg-deb -f "$folder"/packages/graze_*.deb Depends | grep -q libassimp
    if [[ -e $build/libexec/graze/read_step ]]; then
        dpkg-deb -f "$folder"/packages/graze-step_*.deb Depends | grep -q libocct
    fi
    dpkg-deb -f "$folder"/packages/libgraze-dev_*.deb Depends | grep -q libhwy-dev
    use "$folder/root/usr" unpacked
    if compgen -G "$folder/packages/python3-graze_*.deb" >/dev/null; then
        dpkg-deb -f "$folder"/packages/python3-graze_*.deb Depends | grep -q python3-numpy
        PYTHONPATH=$folder/root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import graze; graze.shapes.box([1, 1, 1])'
        echo "python3-graze: works"
    fi
else
    echo "no packages made: dpkg-shlibdeps (dpkg-dev) is not there"
fi
