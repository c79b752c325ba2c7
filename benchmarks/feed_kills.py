"""Feeds a failing search server from a changing database, kills the feed again and again, and compares.

python -m benchmarks.feed_kills DATABASE_URL [--pages 2000] [--changes 5000] [--kills 20] [--seed 1]

The database must be new. 10 % of the requests fail, 5 % time out, 2 % of the changes are refused.
"""

import argparse
import random

from tests.integration.feeding import feed_with_kills


def main() -> None:
    """Run the feed with kills, compare, and print what the server received."""
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    for name, default in (("pages", 2000), ("changes", 5000), ("kills", 20), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    seen = feed_with_kills(options.database, options.pages, options.changes, options.kills, rng)
    print(f"{options.changes} changes, {options.kills} kills: the server holds what the database says; {seen}")


if __name__ == "__main__":
    main()
