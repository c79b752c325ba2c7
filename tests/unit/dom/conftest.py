"""The tests of pages run twice: flattened by the reference, and by its compiled twin."""

import pytest

from sitecrawl import twins
from sitecrawl.dom.flattening import flatten


@pytest.fixture(scope="module", params=["reference", "twin"], autouse=True)
def flattened_by(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(twins.VARIABLE, raising=False)
        twins.choose("off" if request.param == "reference" else "auto")
        assert flatten.is_compiled == (request.param == "twin"), flatten.problem
        yield request.param
    twins.choose()
