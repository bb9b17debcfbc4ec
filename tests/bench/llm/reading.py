"""Tasks that ask for a fact: on the open page, or on one that a link leads to."""

from dataclasses import dataclass, replace

from tests.bench.llm import html, words
from tests.bench.llm.maker import Maker
from tests.bench.llm.tasks import Fact, Move, Task, Wanted


@dataclass(frozen=True, slots=True)
class Question:
    """A piece of page, what is asked about it, and the answer."""

    topic: str
    body: str
    text: str
    fact: Fact


def on_page(make: Maker) -> Task:
    """The fact is on the page."""
    asked = _question(make)
    pages = {make.start: make.page(asked.topic, asked.body)}
    return make.task(asked.text, pages, Wanted(fact=asked.fact), (Move("say", asked.fact.ways[0]),))


def on_page_asked(make: Maker) -> Task:
    """The same in Ask mode, in which nothing can be clicked."""
    return replace(on_page(make), mode="ask")


def behind_link(make: Maker) -> Task:
    """Two steps: a link whose name the task says, and the fact behind it."""
    asked = _question(make)
    target = make.one(make.look.links)
    text = make.one(
        (
            f"{asked.text} Look on the page {target}.",
            f"Open {target} and tell me: {asked.text}",
            f"{asked.text} It says so under {target}.",
        )
    )
    pages = {
        make.start: make.page(make.title, make.paragraph()),
        html.slug(target): make.page(target, f"<h2>{asked.topic}</h2>{asked.body}"),
    }
    moves = (Move("click", target), Move("say", asked.fact.ways[0]))
    return make.task(text, pages, Wanted(fact=asked.fact), moves)


def _question(make: Maker) -> Question:
    return make.one((_price, _closing, _phone, _course))(make)


def _price(make: Maker) -> Question:
    goods = make.some(words.GOODS, 4, 7)
    prices = [str(price) for price in make.rng.sample(range(5, 240), len(goods))]
    rows = [(name, f"€{price}") for name, price in zip(goods, prices, strict=True)]
    at = make.rng.randrange(len(goods))
    text = make.one((f"How much does the {goods[at]} cost?", f"What is the price of the {goods[at]}?"))
    body = html.facts(make.rng, ("Article", "Price"), rows, "The {} costs {}.")
    return Question("Prices", body, text, _fact((prices[at],), prices))


def _closing(make: Maker) -> Question:
    days = make.some(words.DAYS, 4, 6)
    days.sort(key=words.DAYS.index)
    hours = make.rng.sample(range(13, 23), len(days))
    halves = [make.one(("00", "15", "30", "45")) for _ in days]
    closing = [f"{hour}:{half}" for hour, half in zip(hours, halves, strict=True)]
    rows = [
        (day, make.one(("8:30", "9:00", "10:00")), close) for day, close in zip(days, closing, strict=True)
    ]
    at = make.rng.randrange(len(days))
    text = make.one((f"When does it close on {days[at]}?", f"Until when is it open on {days[at]}?"))
    body = html.facts(make.rng, ("Day", "Opens", "Closes"), rows, "{}: open from {} to {}.")
    evening = f"{hours[at] - 12}:{halves[at]}"
    ways: tuple[str, ...] = (closing[at], closing[at].replace(":", "."), f"{evening} pm", f"{evening} p.m.")
    if halves[at] == "00":
        ways = (*ways, f"{hours[at] - 12} pm", f"{hours[at] - 12} p.m.")
    return Question("Opening hours", body, text, _fact(ways, closing))


def _phone(make: Maker) -> Question:
    offices = make.some(words.OFFICES, 3, 5)
    numbers = [f"040 555 {number:04}" for number in make.rng.sample(range(10_000), len(offices))]
    at = make.rng.randrange(len(offices))
    text = make.one(
        (f"What is the phone number of the {offices[at]}?", f"Which number do I call for the {offices[at]}?")
    )
    body = html.facts(make.rng, ("Office", "Phone"), list(zip(offices, numbers, strict=True)), "{}: call {}.")
    return Question("Phone numbers", body, text, _fact((numbers[at], numbers[at].replace(" ", "")), numbers))


def _course(make: Maker) -> Question:
    courses = make.some(words.COURSES, 3, 6)
    teachers = make.some(words.TEACHERS, len(courses), len(courses))
    rooms = [f"B{number}" for number in make.rng.sample(range(10, 99), len(courses))]
    at = make.rng.randrange(len(courses))
    rows = list(zip(courses, teachers, rooms, strict=True))
    body = html.facts(make.rng, ("Course", "Teacher", "Room"), rows, "{} is taught by {} in room {}.")
    if make.chance():
        text = make.one((f"Who teaches {courses[at]}?", f"Who is the teacher of {courses[at]}?"))
        surnames = [teacher.split()[-1] for teacher in teachers]
        return Question("Courses", body, text, _fact((surnames[at],), surnames))
    text = make.one((f"In which room is {courses[at]}?", f"Where does {courses[at]} take place?"))
    return Question("Courses", body, text, _fact((rooms[at],), rooms))


def _fact(ways: tuple[str, ...], everything: list[str]) -> Fact:
    """``everything``: the answers to all questions of that sort. Who lists them answers none."""
    return Fact(ways, tuple(other for other in everything if other != ways[0]))
