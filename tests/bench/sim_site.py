"""A small site as state, trees and results: what a page would answer, without a browser.

Trees are written in the format of the content script. Widgets are the strict kind: a combobox forgets what
was not chosen from its list, an order is refused until it is complete.
"""

# ruff: noqa: E501 - tables of cases are read by the line

from dataclasses import dataclass, field
from typing import Any

from webbrain.agent.turns import Control, PageView

PRODUCTS = {
    "Copper pan": ("46", "Heats evenly, 24 centimetres."),
    "Paper lantern": ("12", "Folds flat, for a 40 watt bulb."),
    "Linen towel": ("9", "Washes at 60 degrees."),
    "Walnut tray": ("33", "Oiled by hand in Graz."),
}
CITIES = ("Berlin", "Bergen", "Lyon", "Lisbon", "Madrid", "Malmö", "Oslo")
NEWS = {
    "Bridge reopens in May": "The old bridge reopens on 14 May after two years of work.",
    "Choir seeks tenors": "The town choir meets on Tuesdays at 19:30 in the school.",
    "Library extends hours": "From June the library is open until 21:00.",
}
FORM = ("name", "email", "date", "city", "quantity", "terms", "newsletter")


@dataclass
class Site:
    """One tab. ``record`` is what the site knows at the end."""

    page: str = "home"
    product: str = "Copper pan"
    labels: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    record: list[tuple[str, Any]] = field(default_factory=list)
    banner: bool = False
    problem: str = ""
    _refs: dict[str, str] = field(default_factory=dict)
    _next: int = 1
    _moved: bool = False
    _suggesting: bool = False
    _lines: list[str] = field(default_factory=list)
    _controls: list[Control] = field(default_factory=list)

    def view(self) -> PageView:
        """The page as the loop reads it."""
        self._lines, self._controls = [], []
        titles = {"home": "Home", "order": f"Order: {self.product}", "thanks": "Thank you"}
        if self.banner:
            self._lines.append("[open overlays]")
            self._add(0, "dialog", "We use cookies", "cookies")
            self._add(1, "button", "Accept all", "cookies:all", can="click")
            self._add(1, "button", "Only necessary", "cookies:few", can="click")
            self._lines.append("[page]")
        elif self._suggesting:
            self._lines.append("[open overlays]")
            self._add(0, "listbox", self.label("city"), "citylist")
            start = self.values.get("city", "").lower()
            for city in CITIES:
                if city.lower().startswith(start):
                    self._add(1, "option", city, f"city:{city}", can="click")
            self._lines.append("[page]")
        self._add(0, "navigation", "Main", "nav")
        for name in ("Products", "News", "Sign in", "Preferences"):
            self._add(1, "link", name, f"go:{name}", 'href="/x"', can="click")
        self._add(0, "heading", titles.get(self.page, self.page), "h")
        getattr(self, f"_page_{self.page.split(':')[0]}")()
        tree = "\n".join(self._lines)
        return PageView(
            self._url(),
            titles.get(self.page, self.page.partition(":")[0].capitalize()),
            tree,
            tuple(self._controls),
        )

    def label(self, key: str) -> str:
        """How the site calls a field."""
        return self.labels.get(key, key.capitalize())

    def _add(self, depth: int, role: str, name: str, target: str, extra: str = "", can: str = "") -> None:
        ref = self._refs.get(target)
        if ref is None:
            ref = self._refs[target] = f"ref_{self._next}"
            self._next += 1
        self._lines.append(f'{" " * depth}{role} "{name}" [{ref}]' + (f" {extra}" if extra else ""))
        if can and not (self.banner and not target.startswith("cookies")):
            shown = f"Language ({name})" if can == "select" else name
            self._controls.append(Control(ref, role, shown, frozenset(can.split())))

    def _text(self, text: str) -> None:
        self._lines.append(f'text "{text}"')

    def _page_home(self) -> None:
        self._text("Welcome to the village site.")
        self._box("q", "searchbox", self.label("search"), "text")
        self._add(0, "button", "Search", "search", can="click")

    def _page_products(self) -> None:
        for name, (price, _) in PRODUCTS.items():
            self._add(1, "link", name, f"product:{name}", can="click")
            self._text(f"€{price}")

    def _page_product(self) -> None:
        price, sentence = PRODUCTS[self.product]
        self._text(f"{sentence} Price: €{price}.")
        self._add(0, "link", self.label("open"), "open", can="click")

    def _page_order(self) -> None:
        if self.problem:
            self._add(0, "alert", self.problem, "alert")
        for key in FORM:
            if key in ("terms", "newsletter"):
                self._check(key)
            else:
                kind = {"date": "date", "email": "email", "quantity": "number"}.get(key, "text")
                role = {"city": "combobox", "quantity": "spinbutton"}.get(key, "textbox")
                self._box(key, role, self.label(key), kind)
        self._add(0, "button", self.label("draft"), "draft", can="click")
        self._add(0, "button", self.label("submit"), "submit", can="click")

    def _page_thanks(self) -> None:
        self._text("Your order number is VS-4711.")
        self._add(0, "link", "Back to the products", "go:Products", can="click")

    def _page_news(self) -> None:
        for title in NEWS:
            self._add(1, "link", title, f"news:{title}", can="click")

    def _page_article(self) -> None:
        self._text(NEWS[self.page.split(":", 1)[1]])

    def _page_signin(self) -> None:
        self._box("login", "textbox", "E-mail", "email")
        secret = "(filled)" if self.values.get("password") else ""
        self._add(0, "textbox", "Password", "field:password", f'type="password" {secret}'.strip(), can="type")
        self._check("remember")
        self._add(0, "link", "Forgot password?", "forgot", can="click")
        self._add(0, "button", "Log in", "login!", can="click")

    def _page_welcome(self) -> None:
        self._text(f"You are signed in as {self.values.get('login', '')}.")

    def _page_preferences(self) -> None:
        chosen = self.values.get("language", "English")
        self._add(0, "combobox", chosen, "field:language", 'label="Language"', can="select")
        for name in ("English", "Deutsch", "Português", "Français"):
            self._lines.append(f' option "{name}"' + (" (selected)" if name == chosen else ""))
        self._check("sms")
        self._check("mail")
        self._add(0, "button", "Save", "save", can="click")
        self._add(0, "button", "Cancel", "cancel", can="click")
        if self.values.get("saved"):
            self._text("Your preferences were saved.")

    def _page_results(self) -> None:
        query = self.values.get("q", "").lower()
        found = [name for name in (*PRODUCTS, *NEWS) if query and query in name.lower()]
        for name in found:
            self._add(1, "link", name, f"{'product' if name in PRODUCTS else 'news'}:{name}", can="click")
        if not found:
            self._text("Nothing found.")

    def _box(self, key: str, role: str, name: str, kind: str) -> None:
        value = self.values.get(key, "")
        extra = f'type="{kind}"' + (f' value="{value}"' if value else "")
        self._add(0, role, name, f"field:{key}", extra, can="type")

    def _check(self, key: str) -> None:
        state = "true" if self.values.get(key) else "false"
        self._add(
            0,
            "checkbox",
            self.label(key),
            f"field:{key}",
            f'type="checkbox" checked="{state}"',
            can="toggle click",
        )

    def act(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """Run a tool; the answer is what the model would read."""
        if tool == "read_page":
            return {"success": True, "text": "\n".join(line.strip() for line in self._lines)}
        if tool == "scroll":
            return {"success": True, "moved": False}
        if tool == "press_keys":
            was, self._suggesting = self._suggesting, False
            return {"success": True, "changed": ["expanded: false"] if was else ["nothing"]}
        target = next((name for name, ref in self._refs.items() if ref == args.get("ref_id")), None)
        if target is None:
            return {"success": False, "error": "stale", "code": "stale_ref"}
        before, self._moved = self._url(), False
        data = (
            self._set(target, str(args["text"])) if tool in ("set_field", "type_ax") else self._click(target)
        )
        if self._moved:
            data |= {
                "currentUrl": self._url(),
                "previousUrl": before,
                "pageUrlChanged": self._url() != before,
            }
        return data

    def _url(self) -> str:
        return f"https://village.example/{self.page.partition(':')[0]}"

    def _set(self, target: str, text: str) -> dict[str, Any]:
        key = target.removeprefix("field:")
        self._leave(key)
        self.values[key] = text
        # As the real tool: a suggestion that is exactly the text is chosen at once.
        self._suggesting = (
            key == "city" and text not in CITIES and any(c.lower().startswith(text.lower()) for c in CITIES)
        )
        return {"success": True, "verified": True, "changed": ["value"]}

    def _leave(self, key: str) -> None:
        """A combobox that loses the focus forgets what is not on its list; ours forgets even a typed match."""
        if self._suggesting and key != "city":
            self.values["city"] = ""
        self._suggesting = False

    def _click(self, target: str) -> dict[str, Any]:
        kind, _, rest = target.partition(":")
        if kind != "city":
            self._leave("")
        changed = ["elsewhere: other parts of the page changed, perhaps unrelated"]
        match kind:
            case "cookies":
                self.banner = False
                self.record.append(("cookies", rest))
            case "city":
                self.values["city"], self._suggesting = rest, False
            case "go":
                pages = {
                    "Products": "products",
                    "News": "news",
                    "Sign in": "signin",
                    "Preferences": "preferences",
                }
                self._go(pages[rest])
            case "product":
                self.product = rest
                self._go("product")
            case "news":
                self._go(f"article:{rest}")
            case "open":
                self._go("order")
            case "field" if rest in ("terms", "newsletter", "remember", "sms", "mail"):
                self.values[rest] = "" if self.values.get(rest) else "yes"
            case "search":
                self._go("results")
            case "submit":
                self._submit()
            case "login!":
                self.record.append(("login", (self.values.get("login"), self.values.get("password"))))
                self._go("welcome")
            case "save":
                self.values["saved"] = "yes"
                keys = ("language", "sms", "mail")
                self.record.append(("saved", {k: self.values.get(k, "") for k in keys}))
            case "draft" | "cancel" | "forgot":
                self.record.append((kind, None))
                changed = ["nothing"]
            case _:
                changed = ["nothing"]
        if self.problem:
            changed = [f'message: "{self.problem}"']
        return {"success": True, "changed": changed}

    def _submit(self) -> None:
        missing = [key for key in FORM[:-1] if not self.values.get(key)]
        if missing:
            self.problem = f"Please fill in: {', '.join(self.label(key) for key in missing)}"
            return
        self.record.append(("order", (self.product, *(self.values.get(key, "") for key in FORM))))
        self._go("thanks")

    def _go(self, page: str) -> None:
        self.page = page
        self.problem = ""
        self._moved = True
        self._refs.clear()
