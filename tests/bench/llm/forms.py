"""Tasks that fill a form in and send it. Each form has what the task does not speak of, to be left alone."""

from datetime import date, timedelta

from tests.bench.llm import html, words
from tests.bench.llm.maker import Maker
from tests.bench.llm.tasks import Move, Task, Wanted, sent

Entry = tuple[str, str]
"""Name of a field and what is to stand in it."""


def short(make: Maker) -> Task:
    """One field and a button: newsletter, voucher or search."""
    what = make.one(("email", "code", "query"))
    if what == "email":
        value = make.one(words.PEOPLE)[1]
        texts = (
            f"Subscribe {value} to the newsletter.",
            f"Sign up for the newsletter with {value}.",
            f"Enter {value} in the form and send it.",
        )
        submits = ("Subscribe", "Sign up", "Keep me posted")
    elif what == "code":
        value = f"{make.one(('SPRING', 'TEA', 'VIP', 'BIKE'))}-{make.rng.randint(100, 999)}"
        texts = (
            f"Redeem the voucher {value}.",
            f"Enter the code {value} and send the form.",
            f"Use {value} as the code and confirm.",
        )
        submits = ("Redeem", "Confirm", "Use it")
    else:
        value = make.one(words.GOODS).lower()
        texts = (
            f"Search for {value}.",
            f"Look for “{value}” with the search field.",
            f"Find {value} with the search.",
        )
        submits = ("Search", "Go", "Find it")
    return _form(make, [(what, value)], texts, submits, optional=(0, 1))


def contact(make: Maker) -> Task:
    """Name, address and a message."""
    name, email = make.one(words.PEOPLE)
    message = make.one(words.MESSAGES)
    texts = (
        f"Send this message: “{message}” Name: {name}, e-mail: {email}.",
        f"Write “{message}” to them. I am {name}, my e-mail is {email}. Send it.",
        f"Fill in the form for {name} ({email}) with the message “{message}” and send it.",
    )
    entries = [("name", name), ("email", email), ("message", message)]
    return _form(make, entries, texts, ("Send", "Send message", "Submit", "Off it goes"), optional=(0, 2))


def booking(make: Maker) -> Task:
    """A name, a day and a number."""
    name, number = make.one(words.PEOPLE)[0], make.rng.randint(2, 19)
    day = date(2027, 1, 1) + timedelta(days=make.rng.randrange(365))
    said = make.one((day.isoformat(), f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}"))
    texts = (
        f"Book for {number} people on {said}, name: {name}.",
        f"Reserve a place for {number} on {said} under the name {name}.",
        f"{name} would like to come on {said} with {number} people in all. Please book that.",
    )
    entries = [("name", name), ("date", day.isoformat()), ("number", str(number))]
    return _form(make, entries, texts, ("Book", "Book now", "Reserve", "Request booking"), optional=(0, 1))


def sign_in(make: Maker) -> Task:
    """An address and a password."""
    email, password = make.one(words.PEOPLE)[1], make.one(words.PASSWORDS)
    texts = (
        f"Sign in as {email} with the password {password}.",
        f"Log in. E-mail: {email}, password: {password}",
        f"Use {email} and {password} to sign in.",
    )
    return _form(
        make,
        [("email", email), ("password", password)],
        texts,
        ("Sign in", "Log in", "Enter"),
        optional=(0, 0),
    )


KINDS = {"email": "email", "date": "date", "number": "number", "password": "password", "message": "textarea"}


def _form(
    make: Maker,
    entries: list[Entry],
    texts: tuple[str, ...],
    submits: tuple[str, ...],
    *,
    optional: tuple[int, int],
) -> Task:
    form = html.Form("form", make.rng)
    moves = []
    for name, value in entries:
        label = make.label(name)
        form.text(name, label, KINDS.get(name, "text"))
        moves.append(Move("fill", label, value))
    for number, label in enumerate(make.some(words.OPTIONAL, *optional)):
        form.text(f"more{number}", label)
    if make.chance(0.3):
        form.box("box", make.one(words.BOXES))
    form.shuffle()
    submit = make.one(submits)
    form.buttons(submit, make.some(words.LEAVE, 0, 2))
    pages = {
        make.start: make.page(make.title, form.html()),
        "sent": make.page("Received", f"<p>{make.one(words.THANKS)}</p>"),
    }
    wanted = Wanted(effects=(sent("form", dict(entries)),))
    return make.task(make.one(texts), pages, wanted, (*moves, Move("click", submit)))
