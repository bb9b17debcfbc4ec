"""Twenty small tasks on pages of their own. A seed decides labels, order, wording, layout and numbers.

The same kinds come in the same order for every seed, so that a piece of the twenty is comparable too.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from tests.bench.llm import forms, html, reading, words
from tests.bench.llm.maker import Maker
from tests.bench.llm.tasks import Effect, Move, Task, Wanted, sent

Make = Callable[[Maker], Task]
SENT: Final = "sent"


def tasks(seed: int) -> list[Task]:
    """All twenty."""
    return [_make(seed, number, kind, make) for number, (kind, make) in enumerate(PLAN, 1)]


def choose(all_tasks: Sequence[Task], wish: str) -> list[Task]:
    """Those of the twenty that are named by number (``3``), range (``1-5``) or kind (``click``).

    Raise ``ValueError`` for what is none of these.
    """
    if not wish:
        return list(all_tasks)
    chosen: set[int] = set()
    for part in wish.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            numbers = set(range(int(first), int(last or first) + 1))
            found = {task.number for task in all_tasks if task.number in numbers}
        else:
            found = {task.number for task in all_tasks if task.kind == part}
        if not found:
            kinds = ", ".join(dict.fromkeys(task.kind for task in all_tasks))
            raise ValueError(f"there is no task {part!r}; say numbers, 1-5, or {kinds}")
        chosen |= found
    return [task for task in all_tasks if task.number in chosen]


def _make(seed: int, number: int, kind: str, make: Make) -> Task:
    task = make(Maker(random.Random(f"{seed} {number}")))
    return replace(task, number=number, kind=kind)


def click(make: Maker) -> Task:
    """Press a button that is named, among others."""
    names = make.some(words.BUTTONS, 3, 7)
    name = make.one(names)
    text = make.one(
        (
            f"Click {name}.",
            f"Press the button {name}.",
            f"Please press “{name}”.",
            f"Use the {name} button, once.",
            f"Hit “{name}”, nothing else.",
        )
    )
    body = "".join(f"<p>{make.pressing(each)}</p>" for each in names)
    if make.chance():
        body += make.paragraph()
    wanted = Wanted(effects=(Effect("pressed", name),))
    return make.task(text, {make.start: make.page(make.title, body)}, wanted, (Move("click", name),))


def link(make: Maker) -> Task:
    """Follow a link: of the menu, or in a list of articles."""
    if make.chance():
        name = make.one(make.look.links)
        text = make.one((f"Open the page {name}.", f"Go to {name}.", f"Follow the link “{name}”."))
        pages = {make.start: make.page(make.title, make.paragraph())}
        return make.task(text, pages, Wanted(path=html.slug(name)), (Move("click", name),))
    titles = make.some(words.ARTICLES, 4, 7)
    title = make.one(titles)
    text = make.one(
        (
            f"Open the article about {words.ARTICLES[title]}.",
            f"Open “{title}”.",
            f"Show me the article {title}.",
        )
    )
    body = "<ul>" + "".join(f"<li>{html.link(each)}</li>" for each in titles) + "</ul>"
    pages = {make.start: make.page("News", body)}
    pages |= {html.slug(each): make.page(each, make.paragraph()) for each in titles}
    return make.task(text, pages, Wanted(path=html.slug(title)), (Move("click", title),))


def select(make: Maker) -> Task:
    """Pick from a native list, with other lists beside it; sometimes it is to be saved."""
    form = html.Form("settings", make.rng)
    labels = make.some(words.SELECTS, 2, 3)
    for label in labels:
        options = words.SELECTS[label]
        form.select(html.slug(label), label, make.shuffled(options), make.one(options))
    label = make.one(labels)
    option = make.one([each for each in words.SELECTS[label] if each != form.state[html.slug(label)]])
    if make.chance():
        form.box("box", make.one(words.BOXES))
    wordings = (
        f"Set {label} to {option}",
        f"Choose {option} as {label}",
        f"Pick {option} in the list {label}",
    )
    moves = (Move("choose", label, option),)
    return _settings(make, form, wordings, {html.slug(label): option}, moves, saves=make.chance())


def radio(make: Maker) -> Task:
    """Choose one of several round buttons."""
    form = html.Form("choice", make.rng)
    labels = make.some(words.RADIOS, 1, 2)
    for label in labels:
        form.radios(html.slug(label), label, make.shuffled(words.RADIOS[label]))
    label = make.one(labels)
    option = make.one(words.RADIOS[label])
    wordings = (f"Choose {option} under {label}", f"For {label}, pick {option}", f"Select {label}: {option}")
    moves = (Move("click", option),)
    return _settings(make, form, wordings, {html.slug(label): option}, moves, saves=make.chance())


def tick(make: Maker) -> Task:
    """Tick a box among others; sometimes it is to be saved."""
    form = html.Form("boxes", make.rng)
    names = make.some(words.BOXES, 3, 5)
    name = make.one(names)
    for each in names:
        form.box(html.slug(each), each, checked=each != name and make.chance(0.25))
    wordings = (f"Tick the box {name}", f"Turn on {name}", f"Tick “{name}”")
    return _settings(
        make, form, wordings, {html.slug(name): "yes"}, (Move("click", name),), saves=make.chance()
    )


def _settings(
    make: Maker,
    form: html.Form,
    wordings: Sequence[str],
    changes: dict[str, str],
    moves: tuple[Move, ...],
    *,
    saves: bool,
) -> Task:
    """A page of settings with a button to save, which only some tasks ask for."""
    save = make.one(words.SAVE)
    form.shuffle()
    form.buttons(save, make.some(words.LEAVE, 0, 2))
    state = {**form.state, **changes}
    pages = {
        make.start: make.page(make.one(("Settings", "Preferences", "Your choice")), form.html()),
        SENT: make.page("Saved", f"<p>{make.one(words.SAVED)}</p>"),
    }
    if saves:
        text = make.one(wordings) + make.one((" and save.", " and save it.", f", then press {save}."))
        wanted = Wanted(effects=(sent(form.name, state),))
        return make.task(text, pages, wanted, (*moves, Move("click", save)))
    text = make.one(wordings) + make.one((".", ". Do not save.", ". Leave the rest as it is."))
    return make.task(text, pages, Wanted(path=make.start, controls=state), moves)


def page_then_button(make: Maker) -> Task:
    """Two steps: a link, and a button on the page it leads to."""
    target = make.one(make.look.links)
    names = make.some(words.BUTTONS, 3, 5)
    name = make.one(names)
    text = make.one(
        (
            f"Go to {target} and press {name} there.",
            f"Open the page {target}, then click {name}.",
            f"Press “{name}” on the page {target}.",
        )
    )
    pages = {
        make.start: make.page(make.title, make.paragraph()),
        html.slug(target): make.page(target, "".join(f"<p>{make.pressing(each)}</p>" for each in names)),
    }
    wanted = Wanted(effects=(Effect("pressed", name),))
    return make.task(text, pages, wanted, (Move("click", target), Move("click", name)))


def page_then_form(make: Maker) -> Task:
    """Three steps: a link, a field, a button."""
    target = make.one(make.look.links)
    email = make.one(words.PEOPLE)[1]
    submit = make.one(("Join", "Sign up", "Subscribe", "Put me on the list"))
    form = html.Form("list", make.rng)
    form.text("email", make.label("email"), "email")
    label = make.label("email", again=True)
    form.buttons(submit, make.some(words.LEAVE, 0, 1))
    text = make.one(
        (
            f"Go to {target}, enter {email} and press {submit}.",
            f"Open {target} and sign up with the e-mail address {email}.",
            f"Put {email} on the mailing list. The form is on the page {target}.",
        )
    )
    pages = {
        make.start: make.page(make.title, make.paragraph()),
        html.slug(target): make.page(target, "<h2>Mailing list</h2>" + form.html()),
        SENT: make.page("Welcome", f"<p>{make.one(words.THANKS)}</p>"),
    }
    moves = (Move("click", target), Move("fill", label, email), Move("click", submit))
    return make.task(text, pages, Wanted(effects=(sent("list", {"email": email}),)), moves)


def several_settings(make: Maker) -> Task:
    """Three steps: a list, a box, and the button that saves."""
    form = html.Form("settings", make.rng)
    label, box = make.one(list(words.SELECTS)), make.some(words.BOXES, 2, 3)
    options = words.SELECTS[label]
    form.select("list", label, options, options[0])
    for each in box:
        form.box(html.slug(each), each)
    option, name = make.one(options[1:]), make.one(box)
    wordings = (
        f"Set {label} to {option}, tick {name}",
        f"Choose {option} as {label}, turn on {name}",
        f"Tick {name}, pick {option} in the list {label}",
    )
    moves = (Move("choose", label, option), Move("click", name))
    return _settings(make, form, wordings, {"list": option, html.slug(name): "yes"}, moves, saves=True)


PLAN: Final[tuple[tuple[str, Make], ...]] = (
    ("click", click),
    ("click", click),
    ("click", click),
    ("fill", forms.short),
    ("fill", forms.contact),
    ("fill", forms.booking),
    ("fill", forms.sign_in),
    ("select", select),
    ("select", select),
    ("radio", radio),
    ("tick", tick),
    ("tick", tick),
    ("link", link),
    ("link", link),
    ("fact", reading.on_page),
    ("fact", reading.on_page_asked),
    ("two steps", reading.behind_link),
    ("two steps", page_then_button),
    ("three steps", page_then_form),
    ("three steps", several_settings),
)
"""What the twenty are: kind and maker."""
