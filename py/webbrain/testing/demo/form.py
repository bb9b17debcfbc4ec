"""Finding the fields of an order form by their roles and labels, and filling them one by one."""

import re

from webbrain.testing.chat import Reply
from webbrain.testing.demo.history import Step
from webbrain.testing.demo.tree import Node
from webbrain.testing.demo.wanted import Wanted
from webbrain.testing.model_server import call

TEXT_ROLES = {"textbox", "combobox", "spinbutton", "searchbox"}
BUTTON_ROLES = {"button"}
CLUES: dict[str, re.Pattern[str]] = {
    "email": re.compile(r"e-?mail|write to you", re.IGNORECASE),
    "date": re.compile(r"\bdate\b|\bwhen\b|deliver on|arriv", re.IGNORECASE),
    "city": re.compile(r"\bcity\b|\btown\b|\bwhere\b", re.IGNORECASE),
    "quantity": re.compile(r"quantity|how many|number of|pieces", re.IGNORECASE),
    "name": re.compile(r"\bname\b|\bwho\b|recipient", re.IGNORECASE),
}
"""What a label says about its field."""
TYPES = {"email": "email", "date": "date", "number": "quantity"}
OPTIONAL = re.compile(r"optional|search", re.IGNORECASE)
TERMS = re.compile(r"\bterms\b|conditions", re.IGNORECASE)
NEWSLETTER = re.compile(r"newsletter|news\b|offers", re.IGNORECASE)
SUBMIT = re.compile(r"\b(order|buy|confirm|purchase)\b", re.IGNORECASE)
NOT_SUBMIT = re.compile(r"draft|later|cancel|voucher|search", re.IGNORECASE)
FORM_FIELDS = 4


def assign(nodes: list[Node]) -> dict[str, Node]:
    """Return which node is which field, each node used once, the surest first."""
    scored = sorted(
        (
            (_score(node, key), -index, key, node)
            for index, node in enumerate(nodes)
            for key in CLUES
            if node.ref and node.role in TEXT_ROLES and _score(node, key)
        ),
        key=lambda row: row[:3],
        reverse=True,
    )
    fields: dict[str, Node] = {}
    taken: set[str] = set()
    for _, _, key, node in scored:
        if key not in fields and node.ref not in taken:
            fields[key] = node
            taken.add(node.ref)
    for node in nodes:
        if node.role == "checkbox" and node.ref:
            key = "terms" if TERMS.search(node.name) else "newsletter" if NEWSLETTER.search(node.name) else ""
            if key:
                fields.setdefault(key, node)
    return fields


def _score(node: Node, key: str) -> int:
    if OPTIONAL.search(node.name):
        return 0
    points = 2 if CLUES[key].search(node.name) else 0
    kind = TYPES.get(node.attributes.get("type", ""))
    if kind:
        return points + 4 if kind == key else 0
    if key == "city" and node.role == "combobox":
        points += 3
    if key == "quantity" and node.role == "spinbutton":
        points += 3
    return points


def is_order_form(fields: dict[str, Node]) -> bool:
    """Enough of an order form was recognised to fill it in."""
    return len(set(fields) & set(CLUES)) >= FORM_FIELDS


def submit_button(nodes: list[Node]) -> Node | None:
    """The last button that orders."""
    buttons = [
        node
        for node in nodes
        if node.role in BUTTON_ROLES
        and node.ref
        and SUBMIT.search(node.name)
        and not NOT_SUBMIT.search(node.name)
    ]
    return buttons[-1] if buttons else None


def next_step(order: Wanted, nodes: list[Node], fields: dict[str, Node], since: list[Step]) -> Reply | None:
    """Return the next call that brings the form closer to the order, or ``None`` if it is filled in.

    ``since`` are the steps taken after ``nodes`` were read. They are believed only if the tool verified them;
    after a combobox or a checkbox the page is read again before anything is concluded.
    """
    if since and _must_look_again(since[-1], fields):
        return call("get_accessibility_tree")
    believed = {
        step.arguments.get("ref_id"): str(step.arguments.get("text", ""))
        for step in since
        if step.call.name == "set_field" and step.ok
    }
    for key, value in order.values.items():
        node = fields.get(key)
        if node is None or believed.get(node.ref, node.value) == value:
            continue
        if key == "city":
            return _choose(node, value, nodes)
        return call("set_field", ref_id=node.ref, text=value)
    for key, wish in (("terms", True), ("newsletter", order.newsletter)):
        box = fields.get(key)
        if box is not None and box.checked != wish:
            return call("click_ax", ref_id=box.ref)
    return call("get_accessibility_tree") if since else None


def _choose(node: Node, value: str, nodes: list[Node]) -> Reply:
    """Pick the suggestion if it is on the screen, else type so that it appears."""
    for option in nodes:
        if option.role == "option" and option.ref and option.name.strip().lower() == value.lower():
            return call("click_ax", ref_id=option.ref)
    return call("set_field", ref_id=node.ref, text=value)


def _must_look_again(step: Step, fields: dict[str, Node]) -> bool:
    if step.call.name != "set_field":
        return True
    city = fields.get("city")
    return not step.result.get("verified", True) or (
        city is not None and step.arguments.get("ref_id") == city.ref
    )
