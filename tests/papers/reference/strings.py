"""The longest common substring and subsequence (S2, section 5), by tables."""


def substring(one: str, other: str) -> int:
    """Return the length of the longest common substring."""
    ends = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            if a == b:
                ends[i][j] = ends[i - 1][j - 1] + 1
    return max(map(max, ends))


def subsequence(one: str, other: str) -> int:
    """Return the length of the longest common subsequence."""
    best = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            best[i][j] = best[i - 1][j - 1] + 1 if a == b else max(best[i - 1][j], best[i][j - 1])
    return best[-1][-1]
