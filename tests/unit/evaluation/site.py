"""A small gold site, written in each of the three forms."""

import gzip
import json

FRAME = (
    "<html lang=en><head><title>{title} - Harbour</title></head><body><nav><a href=/>Home</a> <a href=/0.html>First</a>"
    " <a href=/1.html>Second</a></nav><main><p>{text}</p></main><footer>All rights reserved by the harbour.</footer>"
)


def text(number):
    return f"Ship {number} came in on the morning tide, laden with timber, and was unloaded before noon by hand. " * 4


def page(number):
    return FRAME.format(title=f"Ship {number}", text=text(number))


def rows(count=6):
    found = [
        {
            "url": f"https://harbour.example/{i}.html",
            "path": f"{i}.html",
            "kind": "content",
            "html": page(i),
            "gold_text": text(i),
            "gold_xpaths": ["/html/body/main"],
            "exclude_xpaths": [],
        }
        for i in range(count)
    ]
    links = "".join(f"<li><a href=/{i}.html>Ship {i}</a>" for i in range(count))
    home = FRAME.format(title="Home", text="").replace("<p></p>", f"<ul>{links}</ul>")
    start = {**found[0], "url": "https://harbour.example/", "kind": "listing", "html": home, "gold_text": ""}
    other = {**found[0], "url": "https://harbour.example/about.html", "kind": "other", "gold_text": ""}
    return [start, *found, other]


def write(path, found):
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in found)


def golden(folder, count=4):
    folder.mkdir(parents=True)
    (folder / "site.toml").write_text('name = "Harbour"\nkind = "news"\n')
    for i in range(count):
        (folder / f"p{i}.html").write_text(page(i))
        (folder / f"p{i}.txt").write_text(text(i))
        (folder / f"p{i}.toml").write_text(f'url = "https://harbour.example/{i}.html"\nkind = "content"\n')
