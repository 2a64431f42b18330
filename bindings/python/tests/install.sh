#!/usr/bin/env bash
# Makes the wheel, installs it into a virtual environment as a stranger would, and uses it: install.sh BUILD PYTHON
set -euo pipefail
build=$1 python=$2
here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PYTHONPATH
for module in build venv wheel setuptools; do
    if ! "$python" -c "import $module" 2>/dev/null; then
        echo "install test skipped: $python has no module $module; script/bootstrap python installs Debian's"
        exit 0
    fi
done

# A copy, because setuptools writes beside its sources. The extension is the one that was built already.
cp -r "$here" "$folder/source"
GRAZE_BUILD=$build "$python" -m build --wheel --no-isolation --outdir "$folder/wheels" "$folder/source" \
    >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
"$python" -m venv --system-site-packages "$folder/venv"  # for Debian's NumPy
"$folder/venv/bin/pip" install --quiet --no-index "$folder"/wheels/graze-*.whl
cd "$folder"
"$folder/venv/bin/python" - "$folder" <<'END'
import sys
import numpy as np
import graze, graze.fcl, graze.trimesh
assert graze.__file__.startswith(sys.argv[1]), graze.__file__
box = graze.shapes.box([1, 1, 1])
assert graze.intersects(box, box, graze.pose(translation=[[1, 0, 0], [1.1, 0, 0]])).tolist() == [True, False]
assert graze.trimesh.CollisionManager().in_collision_internal() is False
END
files=$("$folder/venv/bin/pip" show --files graze)
[[ $files == *graze/_graze.pyi* && $files == *graze/py.typed* ]]
echo "wheel: works"
