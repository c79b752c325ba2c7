"""Pages of a small made-up site: one layout, another text on each page."""

URL = "https://journal.example/notes/{}.html"


def html(number: int) -> str:
    text = "".join(
        f"<p>Note {number} tells in sentence {i} of the {number * 7 + i} boats that came in, and of what they carried.</p>"
        for i in range(4)
    )
    return (
        f"<html lang=en><head><title>Note {number} - The Journal</title></head><body>"
        "<nav><a href=/>Home</a> <a href=/notes/>All notes</a> <a href=/about>About the journal</a></nav>"
        f"<main><h1>Note {number}</h1>{text}</main>"
        "<footer><p>The Journal is written by the harbour master and printed on Sundays in the old town.</p></footer>"
        "</body></html>"
    )


def pages(count: int) -> list[tuple[str, str]]:
    return [(URL.format(number), html(number)) for number in range(1, count + 1)]
