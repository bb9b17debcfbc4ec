"""The shop's wording: a seed chooses labels, their order and the task, so that nothing is learnt by heart.

Seed 0 is the plain one: the first wording of everything, in the natural order, and only what an order needs.
The others also have fields and a button that must be left alone.
"""

import random
from dataclasses import dataclass, field
from datetime import date, timedelta

PRODUCTS = {
    "blue-teapot": ("Blue teapot", 24, "Holds one litre and keeps it warm for an hour."),
    "blue-teapot-lid": ("Blue teapot lid", 6, "A spare lid for the blue teapot."),
    "green-lamp": ("Green lamp", 39, "A reading lamp with a green glass shade."),
    "red-kettle": ("Red kettle", 31, "Whistles when the water boils."),
    "oak-stool": ("Oak stool", 58, "Three legs, solid oak, 45 centimetres high."),
    "wool-blanket": ("Wool blanket", 72, "Woven in the mountains, 140 by 200 centimetres."),
}
"""Slug to name, price in euros and one sentence. One name begins another, to catch a careless match."""

CITIES = (
    "Braga", "Bragança", "Bristol", "Coimbra", "Évora", "Faro", "Lima", "Linz", "Lisbon", "Lisburn",
    "Porto", "Portsmouth", "Prague", "Salamanca", "Vienna",
)  # fmt: skip

PEOPLE = (
    ("Ada Lovelace", "ada@example.com"),
    ("Grace Hopper", "grace.hopper@example.org"),
    ("Alan Turing", "alan@example.net"),
    ("Katherine Johnson", "k.johnson@example.com"),
    ("Edsger Dijkstra", "edsger@example.org"),
)

LABELS: dict[str, tuple[str, ...]] = {
    "name": ("Full name", "Your name", "Name of the recipient", "Customer name", "Who is it for?"),
    "email": ("E-mail address", "Email", "Your e-mail", "Contact e-mail", "Where may we write to you?"),
    "date": ("Delivery date", "Date of delivery", "Deliver on", "When should it arrive?", "Arrival date"),
    "city": ("City", "Delivery city", "Town or city", "City of delivery", "Where does it go?"),
    "quantity": ("Quantity", "How many?", "Number of items", "How many pieces?", "Pieces"),
    "terms": (
        "I accept the terms of sale",
        "I agree to the terms and conditions",
        "Yes, I accept the terms",
        "I have read the terms and agree",
    ),
    "newsletter": ("Send me news by e-mail", "Subscribe to the newsletter", "Yes, send me offers"),
    "note": ("Gift note (optional)", "Message to the packer (optional)", "Remarks (optional)"),
    "submit": ("Place order", "Order now", "Send the order", "Buy now", "Confirm the order"),
    "draft": ("Save as draft", "Keep for later"),
    "open_form": ("Order this item", "Go to the order form", "Buy this"),
    "thanks": ("Thank you", "Order received", "Your order is confirmed"),
}
REQUIRED = ("name", "email", "date", "city", "quantity", "terms")
OPTIONAL = ("newsletter", "note")

TASKS = (
    "Order {quantity} of the {product} for {name} ({email}). Deliver to {city} on {date}. "
    "Accept the terms and place the order.",
    "Please buy {quantity} x {product}. Name: {name}, e-mail: {email}, city: {city}, date: {date}. "
    "You may accept the terms, but no newsletter.",
    "I need {quantity} pieces of the {product} sent to {city} on {date} for {name}. Contact: {email}. "
    "I agree to the terms of sale.",
)

FIRST_DELIVERY = date(2027, 1, 4)


@dataclass(frozen=True, slots=True)
class Order:
    """What a person orders."""

    product: str
    quantity: int
    name: str
    email: str
    date: str
    city: str
    newsletter: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything that a seed decides."""

    labels: dict[str, str]
    order: tuple[str, ...]
    styles: dict[str, str] = field(default_factory=dict)
    """Field to how its label is tied to it: ``for``, ``wrap`` or ``labelledby``."""
    products: tuple[str, ...] = tuple(PRODUCTS)
    has_draft: bool = True
    """Beside the button that orders stands another that does not."""


def wording(seed: int) -> Wording:
    """Return the shop's wording for a seed."""
    if seed == 0:
        fields = ("name", "email", "city", "date", "quantity", "terms")
        labels = {key: words[0] for key, words in LABELS.items()}
        return Wording(labels, fields, dict.fromkeys(fields, "for"), has_draft=False)
    rng = random.Random(seed)
    fields_in_order = [*REQUIRED, *OPTIONAL]
    rng.shuffle(fields_in_order)
    products = list(PRODUCTS)
    rng.shuffle(products)
    return Wording(
        labels={key: rng.choice(words) for key, words in LABELS.items()},
        order=tuple(fields_in_order),
        styles={key: rng.choice(("for", "wrap", "labelledby")) for key in fields_in_order},
        products=tuple(products),
    )


def task(seed: int) -> tuple[str, Order]:
    """Return a task in words and the order that fulfils it."""
    rng = random.Random(f"task {seed}")
    name, email = PEOPLE[0] if seed == 0 else rng.choice(PEOPLE)
    order = Order(
        product="blue-teapot" if seed == 0 else rng.choice(list(PRODUCTS)),
        quantity=2 if seed == 0 else rng.randint(1, 9),
        name=name,
        email=email,
        date=(FIRST_DELIVERY + timedelta(days=0 if seed == 0 else rng.randrange(300))).isoformat(),
        city="Lisbon" if seed == 0 else rng.choice(CITIES),
    )
    template = TASKS[0] if seed == 0 else rng.choice(TASKS)
    words = template.format(
        quantity=order.quantity,
        product=PRODUCTS[order.product][0],
        name=order.name,
        email=order.email,
        city=order.city,
        date=order.date,
    )
    return words, order
