"""The template of a crawl: the growing one, and the published snapshot that extraction reads."""

from sitecrawl.config import Config
from sitecrawl.dom.page import Page
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.learner import TemplateLearner
from sitecrawl.templates.trie import SiteTemplate


class Learning:
    """Learns pages and publishes snapshots; between two of them extraction is a pure function of the page."""

    def __init__(self, config: Config, *, learn_blocks: bool = False) -> None:
        self.learner = TemplateLearner(
            min_pages=config.template_min_pages,
            window=config.template_window,
            min_share=config.template_min_share,
            max_nodes=config.template_max_nodes,
            stable_novelty=config.template_stable_novelty,
            sample_every=config.template_sample_every,
            drift=config.template_drift,
            learn_blocks=learn_blocks,
        )
        self.template: SiteTemplate | None = None

    @property
    def published(self) -> bool:
        """Whether there is a template to extract with."""
        return self.template is not None

    @property
    def blocks(self) -> BlockStore | None:
        """The atomic blocks of the published version, None when no method needs them."""
        return self.learner.published_blocks

    @property
    def version(self) -> int:
        """The published version, 0 for none."""
        return self.template.version if self.template is not None else 0

    @property
    def due(self) -> bool:
        """Whether enough was learned for a new snapshot."""
        return self.learner.due()

    def restore(self, stored: TemplateChanges) -> None:
        """Go on from the stored template."""
        self.template = self.learner.restore(stored)

    def learn(self, page: Page) -> bool:
        """Learn from a page; True if it was counted, False if it was passed over (the template is stable)."""
        return self.learner.see(page)

    def publish(self) -> TemplateChanges:
        """Make what was learned the template in use; return what to add to the stored one."""
        self.template, changes = self.learner.publish()
        return changes
