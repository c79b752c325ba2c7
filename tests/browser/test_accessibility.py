"""No view has what axe-core calls serious or critical (WCAG 2.1 A and AA); stored pages in frames are left out."""

from tests.browser.axe import SCRIPT
from tests.browser.conftest import Visitor
from tests.unit.ui.views import VIEWS, fill

FINDINGS = """async () => {
  const rules = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], iframes: false, resultTypes: ["violations"] };
  const found = (await axe.run(document, rules)).violations;
  return found.filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 120))]);
}"""


def test_axe_finds_nothing_serious(chromium, served):
    fill(served.ui)
    visitor = Visitor(chromium, served, viewport={"width": 1280, "height": 800})
    source = SCRIPT.read_text("utf-8")
    for path in VIEWS.values():
        visitor.go(path)
        visitor.page.evaluate(source)
        for scheme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=scheme)
            assert visitor.page.evaluate(FINDINGS) == [], (path, scheme)
    visitor.context.close()
