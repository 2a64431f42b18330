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

cmake --install "$build" --prefix "$folder/installed" >/dev/null
use "$folder/installed" installed

if command -v dpkg-shlibdeps >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -B "$folder/packages" >"$folder/cpack.log" || { cat "$folder/cpack.log"; exit 1; }
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --info "$package" | grep -E '^ (Package|Depends|Installed-Size):'
        dpkg-deb -x "$package" "$folder/root"
    done
    # What each depends on is there or named by Debian's own packages.
    dpkg-deb -f "$folder"/packages/graze_*.deb Depends | grep -q libassimp
    if [[ -e $build/libexec/graze/read_step ]]; then
        dpkg-deb -f "$folder"/packages/graze-step_*.deb Depends | grep -q libocct
    fi
    dpkg-deb -f "$folder"/packages/libgraze-dev_*.deb Depends | grep -q libhwy-dev
    use "$folder/root/usr" unpacked
else
    echo "no packages made: dpkg-shlibdeps (dpkg-dev) is not there"
fi
