"""The shop without a browser: trees as text, and tools that act on its state.

For unit tests of whatever plays the model. References are drawn at random and never used twice.
"""

import json
import random
from typing import Any

from webbrain.testing.site import words
from webbrain.testing.site.words import CITIES, PRODUCTS, Order


class FakeShop:
    """One tab on the shop; ``act`` runs a tool call and returns its result."""

    def __init__(self, seed: int, *, stubborn: str = "", start: str = "list") -> None:
        self._rng = random.Random(f"refs {seed}")
        self._words = words.wording(seed)
        self._stubborn = stubborn
        self._targets: dict[str, str] = {}
        self._refs: dict[str, str] = {}
        self._suggested = False
        self.page = start
        self.product = ""
        self.values: dict[str, str] = {}
        self.orders: list[Order] = []
        self.said: dict[str, Any] | None = None

    def act(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Run one tool."""
        match name:
            case "get_accessibility_tree":
                return {"success": True, "pageContent": self.tree(), "hasMore": False, "page": 1}
            case "read_page":
                return {"success": True, "text": self.text()}
            case "set_field" | "click_ax":
                target = self._targets.get(arguments["ref_id"])
                if target is None:
                    return {"success": False, "error": "No such element.", "code": "stale_ref"}
                return self._set(target, arguments["text"]) if name == "set_field" else self._click(target)
            case "done":
                self.said = arguments
                return {"success": True}
        return {"success": False, "error": f"unknown tool {name}"}

    def tree(self) -> str:
        """The page as an accessibility tree."""
        lines = ["navigation", f' link "Products" {self._ref("nav:list")} href="/"']
        lines.append(f' link "About the shop" {self._ref("nav:about")} href="/about"')
        match self.page:
            case "list":
                lines.append(' heading "Products"')
                lines += [
                    f'  link "{PRODUCTS[slug][0]}" {self._ref(f"product:{slug}")} href="/product/{slug}"'
                    for slug in self._words.products
                ]
            case "product":
                lines.append(f' heading "{PRODUCTS[self.product][0]}"')
                lines.append(f' link "{self._words.labels["open_form"]}" {self._ref("open")} href="/order"')
            case "form":
                lines += self._form()
            case "thanks":
                lines.append(f' heading "{self._words.labels["thanks"]}, {self.orders[-1].name}"')
            case _:
                lines.append(' heading "About the shop"')
        return "\n".join(lines)

    def text(self) -> str:
        """The page as prose."""
        if self.page == "thanks":
            return f"{self._words.labels['thanks']}. Your order number is CS-{10_000 + len(self.orders)}."
        return "Corner Shop. We are open from Tuesday to Saturday, from 10:00 to 18:30. Returns are free."

    def _form(self) -> list[str]:
        lines = []
        if self._suggested:
            lines.append("[open overlays]")
            start = self.values["city"].lower()
            lines += [
                f' option "{city}" {self._ref(f"option:{city}")}'
                for city in CITIES
                if city.lower().startswith(start)
            ]
        lines.append(f' heading "Order: {PRODUCTS[self.product][0]}"')
        roles = {"city": "combobox", "terms": "checkbox", "newsletter": "checkbox", "quantity": "spinbutton"}
        types = {"email": "email", "date": "date", "quantity": "number"}
        for key in self._words.order:
            role = roles.get(key, "textbox")
            value = self.values.get(key, "")
            shown = " checked" if role == "checkbox" and value else f' value="{value}"' if value else ""
            if self._words.styles[key] == "labelledby":
                label = self._words.labels[key]
                lines.append(f'  generic "{label}" {self._ref(f"label:{key}")}')
            kind = f' type="{types[key]}"' if key in types else ""
            lines.append(f'  {role} "{self._words.labels[key]}" {self._ref(f"field:{key}")}{kind}{shown}')
        if self._words.has_draft:
            lines.append(f'  button "{self._words.labels["draft"]}" {self._ref("draft")}')
        lines.append(f'  button "{self._words.labels["submit"]}" {self._ref("submit")}')
        return lines

    def _set(self, target: str, text: str) -> dict[str, Any]:
        key = target.removeprefix("field:")
        if key != self._stubborn:
            self.values[key] = text
        self._suggested = key == "city"
        return {"success": True, "verified": key != self._stubborn}

    def _click(self, target: str) -> dict[str, Any]:
        kind, _, rest = target.partition(":")
        match kind:
            case "product":
                self.product = rest
                self._go("product")
            case "open":
                self._go("form")
            case "nav":
                self._go(rest)
            case "option":
                self.values["city"], self._suggested = rest, False
            case "field":
                self.values[rest] = "" if self.values.get(rest) else "yes"
            case "submit":
                self._submit()
        return {"success": True}

    def _submit(self) -> None:
        if self._suggested or not all(self.values.get(key) for key in words.REQUIRED):
            return
        value = self.values
        self.orders.append(
            Order(
                self.product,
                int(value["quantity"]),
                value["name"],
                value["email"],
                value["date"],
                value["city"],
                bool(value.get("newsletter")),
            )
        )
        self._go("thanks")

    def _go(self, page: str) -> None:
        self.page = page
        self._targets.clear()
        self._refs.clear()

    def _ref(self, target: str) -> str:
        if target not in self._refs:
            ref = f"ref_{self._rng.randrange(10**6)}"
            self._refs[target] = ref
            self._targets[ref] = target
        return f"[{self._refs[target]}]"


def wrapped(result: dict[str, Any]) -> str:
    """A result as the agent shows it to a model: JSON inside the untrusted wrapper."""
    tag = 'untrusted_page_content id="0badcafe"'
    return f"<{tag}>\n{json.dumps(result)}\n</{tag}>"
