# SPDX-License-Identifier: Apache-2.0
"""Builds the extension with CMake: pip install bindings/python, or python3 -m build --wheel --no-isolation bindings/python.

CXX names the compiler and CMAKE_ARGS has further options, such as -DGRAZE_REPORT=ON for the report in notebooks, which
needs node and npm. GRAZE_BUILD names a build folder with GRAZE_PYTHON=ON whose extension is taken instead.
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


class CMakeBuild(build_ext):
    def run(self):
        built = os.environ.get("GRAZE_BUILD")
        build = Path(built) if built else Path(self.build_temp).resolve() / "cmake"
        if not built:
            self.configure(build)
        try:
            subprocess.run(["cmake", "--build", str(build), "--target", "graze_python"], check=True)
        except (OSError, subprocess.CalledProcessError) as failure:
            sys.exit(f"graze: {failure}; script/bootstrap python installs what the build needs")
        made = list((build / "python" / "graze").glob("_graze.*.so"))
        if len(made) != 1:
            sys.exit(f"graze: {build} has {len(made)} extensions instead of one")
        package = Path(self.build_lib) / "graze"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(made[0], package)

    @staticmethod
    def configure(build):
        compiler = os.environ.get("CXX") or shutil.which("clang++-19") or "c++"
        # Readers of IFC and STEP are programs of their own, which a wheel does not have.
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DGRAZE_PYTHON=ON", "-DGRAZE_TESTS=OFF", "-DGRAZE_REPORT=OFF",
                   "-DGRAZE_IFC=OFF", "-DGRAZE_STEP=OFF", f"-DCMAKE_CXX_COMPILER={compiler}",
                   f"-DPython_EXECUTABLE={sys.executable}"]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        try:
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, *options,
                            *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
        except (OSError, subprocess.CalledProcessError) as failure:
            sys.exit(f"graze: {failure}; script/bootstrap python installs what the build needs")


setup(version=version(), ext_modules=[Extension("graze._graze", [])], cmdclass={"build_ext": CMakeBuild})
