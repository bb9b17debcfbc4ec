"""Files that a person attached to messages of the conversation, for tools that hand them to a page.

What a model reads of them it gets with the message itself.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from webbrain.core.errors import ToolFailed

NO_SUCH: Final = (
    "No attached file of this conversation is called so. They are at hand until the agent is started anew: "
    "use a name as it was told, or ask the user to attach the file again."
)
SEVERAL: Final = "Several attached files are called so. Ask the user to give them names of their own."
NAMES_CHARS: Final = 400


class AttachedFile(Protocol):
    """A file as it was attached. A picture is the copy that the panel made of it: scaled down, without what a
    camera wrote into it."""

    @property
    def name(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    @property
    def body(self) -> bytes: ...

    @property
    def is_copy(self) -> bool: ...


class Attachments(Protocol):
    """The files of one conversation."""

    def named(self, name: str) -> Sequence[AttachedFile]:
        """Those of the newest message that has one called so."""
        ...

    def names(self) -> list[str]:
        """What they are called, the newest first."""
        ...


def find(attachments: Attachments | None, name: str) -> AttachedFile:
    """The file of that name; raise ``ToolFailed`` (``no_attachment``, ``ambiguous``)."""
    found = attachments.named(name) if attachments is not None else []
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolFailed(SEVERAL, code="ambiguous")
    names = ", ".join(attachments.names() if attachments is not None else [])[:NAMES_CHARS]
    raise ToolFailed(NO_SUCH, code="no_attachment", data={"attached": names} if names else None)
