"""Whether a known page may be asked for only if it changed."""

from sitecrawl.storage.revisits import Validators


def may_ask(page_key: int, validators: Validators, every: int) -> bool:
    """Say whether a page may be asked for with validators; at least each `every`th fetch is a whole one, 0 for never.

    So validators that lie are found out. Keys spread the whole fetches over the second half of the time, so that
    pages fetched first on one day are not all fetched whole on one day later.
    """
    if not every:
        return True
    return validators.not_modified < every - 1 - page_key % max(every // 2, 1)
