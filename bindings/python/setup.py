# SPDX-License-Identifier: Apache-2.0
"""Builds the extension with CMake: pip install bindings/python, or python3 -m build --wheel --no-isolation bindings/python.

The wheel has the report and the reader of IFC where node, npm and their registry are at hand, and the reader of STEP and
IGES where OpenCASCADE is installed. CXX names the compiler and CMAKE_ARGS has further options, such as -DGRAZE_CUDA=ON for
batches on a GPU, which take minutes to compile. GRAZE_BUILD names a build folder with GRAZE_PYTHON=ON whose extension is
taken instead.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parents[2]


def version():
    built = os.environ.get("GRAZE_BUILD")
    if built:
        return re.search(r"CMAKE_PROJECT_VERSION:STATIC=(\S+)", (Path(built) / "CMakeCache.txt").read_text())[1]
    return re.search(r"project\(graze VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def cmake(*arguments):
    """Whether it succeeded."""
    try:
        return subprocess.run(["cmake", *map(str, arguments)]).returncode == 0
    except OSError as failure:
        sys.exit(f"graze: {failure}; script/bootstrap python installs what the build needs")


class CMakeBuild(build_ext):
    def run(self):
        given = os.environ.get("GRAZE_BUILD")
        build = Path(given) if given else Path(self.build_temp).resolve() / "cmake"
        made = (given or self.configure(build)) and cmake("--build", build, "--target", "graze_python")
        if not made and not given:
            print("graze: the build failed; it goes on without the report and the reader of IFC, which npm fetches")
            shutil.rmtree(build / "share", ignore_errors=True)
            made = (self.configure(build, "-DGRAZE_REPORT=OFF", "-DGRAZE_IFC=OFF") and
                    cmake("--build", build, "--target", "graze_python"))
        if not made:
            sys.exit("graze: the build failed; script/bootstrap python installs what it needs")
        extensions = list((build / "python" / "graze").glob("_graze.*.so"))
        if len(extensions) != 1:
            sys.exit(f"graze: {build} has {len(extensions)} extensions instead of one")
        package = Path(self.build_lib) / "graze"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(extensions[0], package)
        # Programs beside the extension: the readers of IFC and of STEP.
        for reader in ("share/graze/ifc", "libexec/graze"):
            if (build / reader).is_dir():
                shutil.copytree(build / reader, package / reader, ignore=shutil.ignore_patterns("*.stamp"), dirs_exist_ok=True)

    @staticmethod
    def configure(build, *without):
        compiler = os.environ.get("CXX") or shutil.which("clang++-19") or "c++"
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DGRAZE_PYTHON=ON", "-DGRAZE_TESTS=OFF", "-DGRAZE_CUDA=OFF",
                   f"-DCMAKE_CXX_COMPILER={compiler}", f"-DPython_EXECUTABLE={sys.executable}"]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        return cmake("-S", ROOT, "-B", build, *generator, *options, *shlex.split(os.environ.get("CMAKE_ARGS", "")), *without)


setup(version=version(), ext_modules=[Extension("graze._graze", [])], cmdclass={"build_ext": CMakeBuild})
