"""The tests of pages run twice: flattened by the reference, and by its compiled twin."""

import pytest

from sitecrawl.dom import speedups


@pytest.fixture(scope="module", params=["reference", "twin"], autouse=True)
def flattened_by(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(speedups.VARIABLE, raising=False)
        assert speedups.choose("off" if request.param == "reference" else "auto") == (request.param == "twin"), (
            speedups.PROBLEM
        )
        yield request.param
    speedups.choose()
