#!/usr/bin/env bash
# Installs the module as a stranger would, each way into an environment of its own, and uses it: install.sh BUILD PYTHON
set -euo pipefail
build=$1 python=$2
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH
export PIP_CONFIG_FILE=/dev/null  # a stranger has no settings of this machine
for module in build venv wheel setuptools; do
    if ! "$python" -c "import $module" 2>/dev/null; then
        echo "install test skipped: $python has no module $module; script/bootstrap python installs Debian's"
        exit 0
    fi
done

# Uses the module of an environment: try WHAT PYTHON FOLDER, where FOLDER is where the module must come from.
try() {
    "$2" - "$3" <<'END'
import sys
import numpy as np
import graze, graze.fcl, graze.trimesh
assert graze.__file__.startswith(sys.argv[1]), graze.__file__
box = graze.shapes.box([1, 1, 1])
assert graze.intersects(box, box, graze.pose(translation=[[1, 0, 0], [1.1, 0, 0]])).tolist() == [True, False]
assert graze.trimesh.CollisionManager().in_collision_internal() is False
END
    # Only a reader that is there says what is wrong with these files. Debian has the readers in graze and graze-step.
    for one in IFC:share/graze/ifc/read_ifc.mjs STEP:libexec/graze/read_step; do
        [[ $1 != python3-graze && ! -e /usr/${one#*:} ]] || continue
        local name=part.${one%:*} said
        echo "not a file of this kind" >"${name,,}"
        said=$("$2" -c "import graze, sys; graze.read(sys.argv[1])" "${name,,}" 2>&1) && exit 1
        if [[ -e $build/${one#*:} ]]; then
            [[ $said != *"reads no"* ]]
        else
            [[ $said == *"reads no ${one%:*}: it was made without "* ]]
        fi || { echo "$1: $said"; exit 1; }
    done
    echo "$1: works"
}

# A copy, because setuptools writes beside its sources. The extension is the one that was built already.
cp -r "$here" "$folder/source"
cd "$folder"
export GRAZE_BUILD=$build
"$python" -m build --wheel --no-isolation --outdir wheels source >log 2>&1 || { cat log; exit 1; }

# Environments with Debian's NumPy.
"$python" -m venv --system-site-packages wheel
wheel/bin/pip install --quiet --no-index wheels/graze-*.whl
try "wheel" wheel/bin/python "$folder/wheel"
files=$(wheel/bin/pip show --files graze)
[[ $files == *graze/_graze.pyi* && $files == *graze/py.typed* ]]

pip=("$folder/wheel/bin/pip" --python)  # serves the other environments too: a pip of their own takes seconds
"$python" -m venv --without-pip --system-site-packages tree
(cd source && "${pip[@]}" "$folder/tree/bin/python" install --quiet --no-index --no-build-isolation . >../log 2>&1) || { cat log; exit 1; }
try "pip install ." tree/bin/python "$folder/tree"

if command -v dpkg-deb >/dev/null; then
    cpack --config "$build/CPackConfig.cmake" -D CPACK_COMPONENTS_ALL=python -B packages >log 2>&1 || { cat log; exit 1; }
    dpkg-deb -x packages/python3-graze_*.deb debian
    "$python" -m venv --without-pip --system-site-packages system
    PYTHONPATH=$folder/debian/usr/lib/python3/dist-packages try "python3-graze" system/bin/python "$folder/debian"
fi

# An environment with nothing in it.
"$python" -m venv --without-pip empty
pip+=("$folder/empty/bin/python" install --no-index)
said=$("${pip[@]}" wheels/graze-*.whl 2>&1) && { echo "pip did not ask for numpy"; exit 1; }
[[ $said == *"No matching distribution found for numpy"* ]]
"${pip[@]}" --quiet --no-deps wheels/graze-*.whl
said=$(empty/bin/python -c "import graze" 2>&1) && { echo "graze was imported without numpy"; exit 1; }
[[ $(tail -n 1 <<<"$said") == "ImportError: graze needs numpy, "* ]] || { echo "$said"; exit 1; }
echo "without numpy: $(tail -n 1 <<<"$said")"
