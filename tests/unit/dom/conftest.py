"""The tests of pages run twice: flattened by the reference, and by its compiled twin."""

import pytest

from sitecrawl.dom import twin


@pytest.fixture(scope="module", params=["reference", "twin"], autouse=True)
def flattened_by(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(twin.VARIABLE, raising=False)
        assert twin.choose("off" if request.param == "reference" else "auto") == (request.param == "twin"), twin.PROBLEM
        yield request.param
    twin.choose()
