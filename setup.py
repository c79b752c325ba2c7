"""Builds the compiled twins of hot loops where that can be done; all else is in pyproject.toml.

Without a compiler, Cython or the headers that lxml brings, sitecrawl is installed all the same, and pages are
flattened and learned in Python.
"""

import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildTwin(build_ext):
    """Translates the twins with Cython before they are compiled; what is missing is said on standard error."""

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
    Extension("sitecrawl.crawl._digest", ["sitecrawl/crawl/_digest.pyx"], optional=True),
    Extension("sitecrawl.dom._blocks", ["sitecrawl/dom/_blocks.pyx"], optional=True),
    Extension("sitecrawl.dom._flat", ["sitecrawl/dom/_flat.pyx"], optional=True),
    Extension("sitecrawl.dom._markup", ["sitecrawl/dom/_markup.pyx"], optional=True),
    Extension("sitecrawl.dom._text", ["sitecrawl/dom/_text.pyx"], optional=True),
    Extension("sitecrawl.extractors._choice", ["sitecrawl/extractors/_choice.pyx"], optional=True),
    Extension("sitecrawl.extractors._cues", ["sitecrawl/extractors/_cues.pyx"], optional=True),
    Extension("sitecrawl.extractors._figures", ["sitecrawl/extractors/_figures.pyx"], optional=True),
    Extension("sitecrawl.extractors._looks", ["sitecrawl/extractors/_looks.pyx"], optional=True),
    Extension("sitecrawl.extractors._memory", ["sitecrawl/extractors/_memory.pyx"], optional=True),
    Extension("sitecrawl.extractors._places", ["sitecrawl/extractors/_places.pyx"], optional=True),
    Extension("sitecrawl.extractors._site", ["sitecrawl/extractors/_site.pyx"], optional=True),
    Extension("sitecrawl.extractors._trees", ["sitecrawl/extractors/_trees.pyx"], optional=True),
    Extension("sitecrawl.metadata._rows", ["sitecrawl/metadata/_rows.pyx"], optional=True),
    Extension("sitecrawl.templates._trie", ["sitecrawl/templates/_trie.pyx"], optional=True),
]

setup(ext_modules=TWINS, cmdclass={"build_ext": BuildTwin})
