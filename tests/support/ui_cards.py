"""Questions of the gate for the screens, worded by the package itself."""

from typing import Final

from webbrain.core import events as ev
from webbrain.policy.asking import (
    FRESH_OPTIONS,
    GRANT_OPTIONS,
    STANDING_OPTIONS,
    TASK_OPTIONS,
    Ask,
    card,
    detail,
)
from webbrain.policy.submit import card_for

LONG_HOST = "a-rather-long-subdomain.statistics.shop.example"
PROBE = {
    "submits": True,
    "action": "https://shop.example/order",
    "control": "Place order",
    "fields": [
        {"label": "Name", "value": "Ada Lind", "masked": False},
        {"label": "Delivery on", "value": "2026-12-04", "masked": False},
        {"label": "Password", "value": "x", "masked": True},
    ],
}
LETTER = (
    "We met on Monday and agreed that the roof is mended first, the windows follow in spring, and that Ada "
    "asks for two more offers.\n"
)
MAIL = ev.CardField(label="Text from mail.example", value="Your order number is 5521-8890, PIN in the letter")

ASKED: Final[dict[str, ev.Card]] = {
    "work": card(Ask.WORK, "shop.example", GRANT_OPTIONS, details=[detail("Action", "Click “Fjord Shell”")]),
    "type": card(
        Ask.WORK,
        "shop.example",
        GRANT_OPTIONS,
        details=[
            detail("Action", "Set “Note to the seller”"),
            detail("Enter", "Please leave the parcel with the neighbours at number 12.\nThank you!"),
        ],
    ),
    "open": card(
        Ask.OPEN,
        "news.example",
        GRANT_OPTIONS,
        details=[detail("Address", "http://news.example/archive/2026/11/30/tea-prices-are-rising?page=2")],
        warnings=["plain_text"],
    ),
    "disguised": card(
        Ask.OPEN,
        "xn--pypal-4ve.example",
        GRANT_OPTIONS,
        details=[detail("Address", "https://xn--pypal-4ve.example/signin")],
    ),
    "umlaut": card(Ask.READ, "xn--mnchen-3ya.example", GRANT_OPTIONS),
    "download": card(
        Ask.DOWNLOAD,
        "files.shop.example",
        STANDING_OPTIONS,
        details=[detail("Address", f"https://files.shop.example/care-{number}.pdf") for number in (1, 2, 3)],
    ),
    "upload": card(
        Ask.UPLOAD,
        "shop.example",
        STANDING_OPTIONS,
        details=[detail("Action", "Give the file invoice.pdf to the page")],
    ),
    "fetch": card(
        Ask.READ,
        LONG_HOST,
        GRANT_OPTIONS,
        details=[detail("Address", f"http://{LONG_HOST}/api/prices?all=1")],
        warnings=["as_user", "plain_text"],
    ),
    "api": card(
        Ask.API,
        "api.shop.example",
        FRESH_OPTIONS,
        details=[
            detail("Request", "POST https://api.shop.example/v1/orders"),
            detail("Body", '{\n "product": 17,\n "count": 2,\n "express": true\n}'),
        ],
    ),
    "carry": card(
        Ask.CARRY,
        "forms.example",
        FRESH_OPTIONS,
        details=[MAIL, detail("Address", "https://forms.example/track?number=5521-8890")],
    ),
    "hidden": card(
        Ask.HIDDEN,
        "forms.example",
        FRESH_OPTIONS,
        details=[
            ev.CardField(label="Password of yours", value="••••••", masked=True),
            detail("Address", "https://forms.example/x"),
        ],
    ),
    "window": card(Ask.WINDOW, "", TASK_OPTIONS, details=[detail("Size", "width 1200, height 800")]),
    "send": card_for(PROBE, "https://shop.example/basket"),
    "send_long": card_for(
        {
            **PROBE,
            "fields": [
                {"label": "Subject", "value": "Minutes", "masked": False},
                {"label": "Text", "value": "Dear all,\n\n" + LETTER * 6, "masked": False, "more": 412},
                {"label": "Notes", "value": LETTER * 3, "masked": False},
            ],
            "total": 57,
        },
        "https://shop.example/basket",
    ),
    "press": card_for(
        {**PROBE, "submits": False, "commits": True, "control": "Delete this conversation", "fields": []},
        "https://chat.example/room",
    ),
}
"""Every kind of question, by the name of its picture."""
