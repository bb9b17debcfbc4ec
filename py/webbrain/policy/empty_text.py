"""A message whose text is missing is not sent: the task gave a text, and the field for it is empty.

The page says whether all fields for a longer text are empty (``submit_probe``); the user's own words say
whether there is a text to be in them. Words that say that it is to be empty count for more.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webbrain.core.errors import ToolFailed
from webbrain.policy.taint import squash
from webbrain.tools.base import ToolSpec

EMPTY: Final = (
    "Not sent: the task gives a text, and every field for a longer text is still empty here. Put the text "
    "into its field (see field), and see that it stands there. If it cannot be entered, say so instead."
)
MOST_CHARS: Final = 20_000
"""Of a request that is looked at."""
COMPARED: Final = 60
"""Letters and digits of a given text that must be found in a field."""

_SENDS: Final = re.compile(
    r"\b(?:send|reply|post|publish|comment|share|tweet"
    r"|(?:ab)?senden|abschicken|antworten|posten|veröffentlichen|kommentieren|teilen"
    r"|envoyer|répondre|publier|commenter|enviar|responder|publicar|comentar|invia|rispondi|pubblica)\b",
    re.IGNORECASE,
)
"""Names of controls that send what somebody wrote."""
_QUOTED: Final = (
    r"(?:\"([^\"\n]+)\"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|(?<!\w)['\u2018]([^\n]+?)['\u2019](?!\w))"
)
_SENT_QUOTE: Final = re.compile(
    r"\b(?:send|write|reply|answer|respond|post|comment|message|text|body|with|saying|says?"
    r"|schick\w*|send\w*|schreib\w*|antwort\w*|text|nachricht|mit|écri\w*|envo\w*|répond\w*|message|texte"
    r"|envía\w*|escrib\w*|respond\w*|texto|mensaje|scriv\w*|invia\w*|testo|messaggio|mensagem|escrev\w*)\b"
    r"[^\"“„«'\u2018.!?\n]{0,30}" + _QUOTED,
    re.IGNORECASE,
)
"""A text in quotation marks that is to be sent."""
_INTRODUCED: Final = re.compile(
    r"(?:\b(?:saying|stating|that (?:says|reads)|and (?:say|ask|tell|write that)|asking|telling|thanking"
    r"|inviting|reminding|informing|announcing|explaining|apologi[sz]ing|write that"
    r"|with (?:the |this )?(?:text|message|body|words|content)|(?:the|its) (?:text|body) (?:is|should be)"
    r"|mit (?:dem|der|diesem|dieser) (?:text|nachricht|inhalt|wortlaut)"
    r"|(?:schreib|sag|teil)\w*\b[^.\n]{0,40}?,? dass"
    r"|und frag\w*"
    r"|(?:en )?disant|avec (?:le|ce) (?:texte|message)|pour (?:lui|leur) (?:dire|demander)"
    r"|diciendo|que diga|con el (?:texto|mensaje)|dicendo|con il (?:testo|messaggio)"
    r"|dizendo|com (?:o texto|a mensagem))\b"
    r"|\b(?:text|message|body|nachricht|inhalt|texte|texto|mensaje|testo|messaggio|mensagem)\s*:)"
    r"\s*:?\s*([^\n]+)",
    re.IGNORECASE,
)
"""What follows is what the message is to say, in these words or in others."""
_TO_BE_EMPTY: Final = re.compile(
    r"\b(?:empty|blank|without (?:a |any )?(?:text|body|message)|no (?:text|body|message)"
    r"|leere?[mnrs]?|ohne (?:text|nachricht|inhalt)"
    r"|vides?|sans texte|vací[oa]|sin texto|vuot[oa]|vazi[oa])\b",
    re.IGNORECASE,
)


def refuse_empty(said: str, spec: ToolSpec, seen: Mapping[str, Any]) -> None:
    """Raise ``ToolFailed`` (``empty_text``) for a press that would send a message without its text.

    ``said`` is what the user typed for this task; ``seen`` what the page says of the press
    (``submit_probe``).
    """
    field = str(seen.get("emptyText") or "")
    if not field or not (spec.name == "press_keys" or _SENDS.search(str(seen.get("control") or ""))):
        return
    values = [squash(str(entry.get("value") or "")) for entry in seen.get("fields") or []]
    if any(not _entered(text, values) for text in given_texts(said)):
        raise ToolFailed(EMPTY, code="empty_text", data={"field": field, "dispatched": False})


def given_texts(said: str) -> list[str]:
    """The texts that a request gives to be sent, as it words them; none if they are to be left out."""
    said = said[:MOST_CHARS]
    return [] if _TO_BE_EMPTY.search(said) else [text for text in _texts(said) if squash(text)]


def _texts(said: str) -> Iterator[str]:
    for match in _SENT_QUOTE.finditer(said):
        yield next(group for group in match.groups() if group)
    for match in _INTRODUCED.finditer(said):
        quoted = re.match(_QUOTED, match[1])
        yield next(group for group in quoted.groups() if group) if quoted else match[1]


def _entered(text: str, values: list[str]) -> bool:
    """Whether a given text stands in one of the fields (its beginning, or half of it in other company)."""
    wanted = squash(text)
    return any(
        wanted[:COMPARED] in value or (value in wanted and 2 * len(value) >= len(wanted))
        for value in values
        if value
    )
