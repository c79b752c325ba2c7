"""Builds the compiled twin of `sitecrawl/dom/flat.py` where that can be done; all else is in pyproject.toml.

Without a compiler, Cython or the headers that lxml brings, sitecrawl is installed all the same, and pages are
flattened in Python.
"""

import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildTwin(build_ext):
    """Translates the twin with Cython before it is compiled; what is missing is said on standard error."""

    def run(self) -> None:
        """Build what can be built: a compiler that fails is reported by setuptools, the extension being optional."""
        try:
            import lxml  # noqa: PLC0415
            from Cython.Build import cythonize  # noqa: PLC0415

            for extension in self.extensions:
                extension.include_dirs = lxml.get_include()
                translated = cythonize([Extension(extension.name, extension.sources)], build_dir=self.build_temp)
                extension.sources = translated[0].sources
        except Exception as error:  # noqa: BLE001 - whatever it is, Python code does the same work
            sys.stderr.write(f"sitecrawl: the compiled twin is not built: {error}\n")
            self.extensions = []
        super().run()


TWIN = Extension("sitecrawl.dom._flat", ["sitecrawl/dom/_flat.pyx"], optional=True)

setup(ext_modules=[TWIN], cmdclass={"build_ext": BuildTwin})
