"""Reading an answer: scrolling, announcing, copying, and what hostile text may not do."""

import statistics

from playwright.sync_api import Page, expect

from tests.support.ui_runs import CARD, LONG_ANSWER, Run, many_steps
from tests.support.ui_strain import TURNS, WIDE, conversation
from tests.ui.conftest import Open
from tests.ui.steering import play
from webbrain.core import events as ev


class TestReading:
    def test_the_question_stays_in_sight_while_the_answer_grows(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        run = Run().ask("Explain", "ask", ago=0).think()
        play(page, run.events)
        for part in range(60):
            before = len(run.events)
            play(page, run.stream(f"Paragraph {part} of a long answer.\n\n").events[before:])
        control = page.locator(".scroll-control")
        expect(control).to_have_text("Follow the answer")
        expect(page.locator(".question-bubble")).to_be_in_viewport()
        control.click()
        expect(page.get_by_text("Paragraph 59 of")).to_be_in_viewport()
        before = len(run.events)
        play(page, run.stream("The very last words.").events[before:])
        expect(page.get_by_text("The very last words.")).to_be_in_viewport()
        expect(control).to_have_text("Back to the question")
        control.click()
        expect(page.locator(".question-bubble")).to_be_in_viewport()

    def test_a_place_the_reader_chose_is_kept(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        run = Run().ask("Explain", "ask", ago=0).think()
        run.stream("".join(f"Paragraph {part}.\n\n" for part in range(60)))
        play(page, run.events)
        expect(page.locator(".scroll-control")).to_be_visible()
        page.mouse.move(200, 300)
        page.mouse.wheel(0, 400)
        page.wait_for_function("document.querySelector('.conversation').scrollTop > 100")
        place = page.evaluate("document.querySelector('.conversation').scrollTop")
        before = len(run.events)
        play(page, run.stream("More and more.\n\n" * 10).events[before:])
        expect(page.get_by_text("More and more.").last).to_be_attached()
        assert abs(page.evaluate("document.querySelector('.conversation').scrollTop") - place) < 2

    def test_a_reader_gets_away_from_an_answer_that_is_being_followed(self, open_state: Open) -> None:
        """Text comes in faster than frames are drawn; one turn of the wheel must still be enough."""
        page = open_state("empty-ask")
        run = Run().ask("Explain", "ask", ago=0).think()
        run.stream("".join(f"Paragraph {part}.\n\n" for part in range(60)))
        play(page, run.events)
        page.locator(".scroll-control").click()
        before = len(run.events)
        page.evaluate(
            """(events) => {
              globalThis.streaming = setInterval(() => {
                const event = events.shift();
                if (event) wb.emit('agent_update', event);
                else clearInterval(streaming);
              }, 2);
            }""",
            run.stream("And on and on it goes.\n\n" * 250).events[before:],
        )
        page.mouse.move(200, 300)
        page.mouse.wheel(0, -300)
        expect(page.locator(".scroll-control")).to_have_text("Follow the answer")
        place = page.evaluate("document.querySelector('.conversation').scrollTop")
        height = page.evaluate("document.querySelector('.conversation').scrollHeight")
        page.wait_for_function(f"document.querySelector('.conversation').scrollHeight > {height} + 300")
        assert abs(page.evaluate("document.querySelector('.conversation').scrollTop") - place) < 2

    def test_a_card_is_brought_into_sight(self, open_state: Open) -> None:
        page = open_state("card-submit", height=480)
        expect(page.locator("[data-option=deny]")).to_be_in_viewport()

    def test_a_card_stays_in_sight_when_the_panel_changes_its_size(self, open_state: Open) -> None:
        page = open_state("running-long", width=400, height=600)
        run = many_steps().think().tool("wait_for_element", "Wait for the page", {"selector": "#pay"}, {})
        play(page, run.add(CARD).events)
        button = page.locator("[data-option=deny]")
        for width in (320, 600, 300, 400):
            page.set_viewport_size({"width": width, "height": 560})
            expect(button).to_be_in_viewport(ratio=1)
            button.click(trial=True)

    def test_a_finished_answer_is_announced_and_an_old_one_is_not(self, open_state: Open) -> None:
        page = open_state("answer")
        expect(page.locator("#live-answer")).to_have_text("")
        page = open_state("empty-ask")
        run = Run().ask("Sum?", "ask", ago=0).think()
        play(page, run.events)
        before = len(run.events)
        play(page, run.say("It is 42.", final=True).end().events[before:])
        expect(page.locator("#live-answer")).to_have_text("Answer complete. It is 42.")

    def test_copy(self, open_state: Open) -> None:
        page = open_state("answer")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy answer").click()
        assert page.evaluate("navigator.clipboard.readText()").startswith("Three of the eleven jackets")
        page.get_by_role("button", name="Copy code").click()
        assert page.evaluate("navigator.clipboard.readText()").startswith("jackets = [")


MIXED = """
Title
=====

Not yet
a table:

| a | b |
| - | - |
| 1 | 2 |
after it

- one

- two, loose

  with a paragraph

      and code

1. first
2. second
~~~
fence
~~~
# H1
#### H4
text
***
[late] and [other][late], defined below

<b>html</b>

[late]: https://late.example/
"""


DRAW = """async (events) => {
  const times = [];
  for (const event of events) {
    const start = performance.now();
    wb.emit('agent_update', event);
    await new Promise((drawn) => queueMicrotask(() => queueMicrotask(drawn)));
    document.querySelector('.conversation').scrollHeight;
    times.push(performance.now() - start);
    if (times.length % 10 === 0) await new Promise((shown) => setTimeout(shown));
  }
  return times;
}"""


def ms_per_piece(page: Page, run: Run) -> float:
    """Median time to draw a piece of an answer that streams in behind what is there."""
    before = len(run.events)
    run.ask("And now?", "ask", ago=0).think().stream(LONG_ANSWER * 2)
    times: list[float] = page.evaluate(DRAW, run.events[before:])
    assert page.locator(".turn").last.inner_text().count("Three of the eleven") == 2
    return statistics.median(times)


def test_a_long_conversation_does_not_slow_the_answer_down(open_state: Open) -> None:
    """What stands above is left alone, and not drawn again with each piece."""
    alone = ms_per_piece(open_state("empty-ask"), Run())
    behind = ms_per_piece(open_state("conversation-long"), conversation(TURNS))
    print(f"a piece alone {alone:.1f} ms, behind {TURNS} turns {behind:.1f} ms")
    assert behind < 5 * alone + 2


HOSTILE = """\
<img src=x onerror="globalThis.hacked = 1"> <script>globalThis.hacked = 1</script>
<iframe src="https://evil.example"></iframe> <form action="https://evil.example"><input name=a></form>
<style>body { display: none }</style> <svg onload="globalThis.hacked = 1"></svg>

![pixel](https://evil.example/pixel.png) [run](javascript:globalThis.hacked=1) [data](data:text/html,hi)
[web](https://good.example/a?b=c) [mail](mailto:a@b.example) <https://auto.example/>

| <img src=x onerror="globalThis.hacked = 1"> | b |
| - | - |
| [x](vbscript:x) | `<b>` |

- [x] <img src="https://evil.example/2.png">
"""


class TestMarkdown:
    def test_nothing_of_a_hostile_answer_runs_or_loads(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        asked_for: list[str] = []
        page.on("request", lambda request: asked_for.append(request.url))
        play(page, Run().ask("?", "ask", ago=0).think().say(HOSTILE, final=True).end().events)
        answer = page.locator(".answer")
        expect(answer).to_contain_text("<script>globalThis.hacked = 1</script>")
        assert page.evaluate("globalThis.hacked") is None
        assert [url for url in asked_for if "127.0.0.1" not in url] == []
        bad = "img, iframe, form, style, script, svg:not(.icon), [style], [onerror], input:not(:disabled)"
        assert answer.locator(f":is({bad})").count() == 0
        links = answer.locator("a[href]")
        assert sorted(str(link.get_attribute("href")) for link in links.all()) == [
            "https://auto.example/",
            "https://evil.example/pixel.png",
            "https://good.example/a?b=c",
            "mailto:a@b.example",
        ]
        for link in links.all():
            assert link.get_attribute("target") == "_blank"
            assert link.get_attribute("rel") == "noopener noreferrer"

    def test_earlier_blocks_are_left_alone_while_text_streams(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        run = Run().ask("?", "ask", ago=0).think().stream("First paragraph.\n\nSecond")
        play(page, run.events)
        page.evaluate("document.querySelector('.md-block p').marked = true")
        before = len(run.events)
        play(page, run.stream(" grows and grows.").events[before:])
        expect(page.locator(".md-block").nth(1)).to_have_text("Second grows and grows.")
        assert page.evaluate("document.querySelector('.md-block p').marked") is True

    def test_what_streams_in_ends_as_if_it_had_come_at_once(self, open_state: Open) -> None:
        """Whatever the pieces; lists, tables, fences and underlined headings change with what follows."""
        text = WIDE + MIXED
        pages = []
        for pieces in (True, False):
            page = open_state("empty-ask")
            run = Run().ask("?", "ask", ago=0).think()
            if pieces:
                for start in range(0, len(text), 5):
                    run.add(ev.TextDelta(delta=text[start : start + 5]))
            else:
                run.say(text, final=True)
            play(page, run.events)
            pages.append(page.locator(".md").inner_html())
        assert pages[0] == pages[1]
        assert "<table>" in pages[0]
        assert pages[0].count("<li>") > 6

    def test_headings_stand_below_the_question_and_skip_no_level(self, open_state: Open) -> None:
        page = open_state("empty-ask")
        text = "## Later\n\ntext\n\n# First\n\n#### Deep\n\n## Again"
        play(page, Run().ask("?", "ask", ago=0).think().say(text, final=True).end().events)
        expect(page.locator(".answer")).to_contain_text("Again")
        levels = page.evaluate(
            "[...document.querySelectorAll('.turn :is(h1,h2,h3,h4,h5,h6)')].map((h) => h.tagName)"
        )
        assert levels == ["H2", "H3", "H3", "H4", "H4"]
