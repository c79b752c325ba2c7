"""Builds the compiled twins of hot loops where that can be done; all else is in pyproject.toml.

Without a compiler, Cython or the headers that lxml brings, sitecrawl is installed all the same, and pages are
flattened and learned in Python.
"""

import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildTwin(build_ext):
    """Translates the twins with Cython before they are compiled; what is missing is said on standard error."""

    def finalize_options(self) -> None:
        """Compile as many twins at once as there are processors, unless another number is given."""
        super().finalize_options()
        if self.parallel is None:
            self.parallel = True

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
            sys.stderr.write(f"sitecrawl: the compiled twins are not built: {error}\n")
            self.extensions = []
        super().run()


TWINS = [
    "sitecrawl.crawl._digest",
    "sitecrawl.dom._flat",
    "sitecrawl.extractors.combined._block_classifier",
    "sitecrawl.extractors.combined._places",
    "sitecrawl.extractors.combined._trees",
    "sitecrawl.templates._trie",
]

setup(
    ext_modules=[Extension(name, [name.replace(".", "/") + ".pyx"], optional=True) for name in TWINS],
    cmdclass={"build_ext": BuildTwin},
)
