"""The suite's oracle: policies become models, their words become our tools', and too few successes fail."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.miniwob import words
from tests.bench.miniwob.driver import Row
from tests.bench.miniwob.oracle import Oracle, Part, task_text
from tests.bench.miniwob.report import needed, shortcomings
from tests.bench.miniwob.suite import Suite, SuiteMissing, load
from tests.bench.miniwob.words import Words
from webbrain.testing import openai_wire
from webbrain.testing.chat import Refusal, Reply

TOOLS: dict[str, dict[str, Any]] = {
    "get_accessibility_tree": {},
    "click_ax": {"ref_id": {"type": "string"}},
    "press_keys": {"repeat": {"type": "integer", "minimum": 1, "maximum": 3}},
    "done": {},
}


class Extension:
    """Plays the extension's side of a conversation with canned results."""

    def __init__(self, oracle: Oracle, text: str) -> None:
        self._oracle = oracle
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": f"[Open page: x]\n\n{text}"}]
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def run(self, results: Callable[[str, dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Go on to the call of ``done`` and return its arguments."""
        while True:
            answer = self.ask()
            assert isinstance(answer, Reply)
            (asked,) = answer.calls
            arguments = json.loads(asked.arguments)
            if asked.name == "done":
                return dict(arguments)
            self.calls.append((asked.name, arguments))
            number = f"c{len(self.calls)}"
            function = {"name": asked.name, "arguments": asked.arguments}
            call = {"id": number, "type": "function", "function": function}
            wrapped = json.dumps(results(asked.name, arguments))
            content = f'<untrusted_page_content id="n">\n{wrapped}\n</untrusted_page_content id="n">\nA note.'
            self._messages += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": number, "content": content},
            ]

    def ask(self) -> object:
        tools = [
            {
                "type": "function",
                "function": {"name": name, "parameters": {"type": "object", "properties": fields}},
            }
            for name, fields in TOOLS.items()
        ]
        body = {"model": "oracle", "messages": self._messages, "tools": tools}
        return self._oracle(openai_wire.read(body, {}))


Results = Callable[[str, dict[str, Any]], dict[str, Any]]


def played(policy: Callable[[str, Any], None], results: Results) -> Any:
    oracle = Oracle()
    number, part = oracle.cast(policy, "the goal")
    extension = Extension(oracle, task_text(number, "the goal"))
    ending = extension.run(results)
    oracle.dismiss(number)
    return extension.calls, ending, part


def test_a_policy_is_a_model() -> None:
    """Its calls are the model's, what they return is the tool's result, and its end is ``done``."""
    seen: list[Any] = []

    def policy(goal: str, call: Any) -> None:
        seen.append(goal)
        seen.append(call("get_accessibility_tree", filter="all")["pageContent"])
        seen.append(call("click_ax", ref_id="ref_4"))

    def results(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "pageContent": 'button "a { b" [ref_4]', "asked": arguments}

    calls, ending, part = played(policy, results)
    assert [name for name, _ in calls] == ["get_accessibility_tree", "click_ax"]
    assert seen[:2] == ["the goal", 'button "a { b" [ref_4]']
    assert seen[2]["asked"] == {"ref_id": "ref_4"}
    assert ending["outcome"] == "success"
    assert not part.gave_up


def test_a_policy_that_gives_up_says_why() -> None:
    def policy(goal: str, call: Any) -> None:
        raise LookupError("no such button")

    calls, ending, part = played(policy, lambda *_: {})
    assert not calls
    assert ending["outcome"] == "failed"
    assert part.gave_up == "LookupError: no such button"


def test_tools_that_are_not_offered_are_refused_and_reported() -> None:
    answers: list[Any] = []

    def policy(goal: str, call: Any) -> None:
        answers.append(call("levitate", ref_id="ref_1"))
        answers.append(call("hover", ref_id="ref_1"))

    calls, _, part = played(policy, lambda *_: {})
    assert not calls
    assert [answer["success"] for answer in answers] == [False, False]
    assert part.missing == ["levitate", "hover"]


def press(goal: str, call: Any) -> None:
    call("click_ax", ref_id="ref_1")


def test_a_run_that_ends_early_frees_its_policy() -> None:
    oracle = Oracle()
    number, part = oracle.cast(press, "the goal")
    extension = Extension(oracle, task_text(number, "the goal"))
    assert isinstance(extension.ask(), Reply)
    oracle.dismiss(number)
    assert part._thread is not None
    assert not part._thread.is_alive()
    assert isinstance(extension.ask(), Refusal)


def test_a_tree_is_read_to_its_last_page() -> None:
    found: list[str] = []

    def policy(goal: str, call: Any) -> None:
        found.append(call("get_accessibility_tree")["pageContent"])

    def results(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        page = arguments.get("continuationArgs", {}).get("page", 1)
        more = {"hasMore": True, "continuationArgs": {"page": page + 1}} if page < 3 else {}
        return {"success": True, "pageContent": f"textbox [ref_{page}]", **more}

    calls, _, _ = played(policy, results)
    assert len(calls) == 3
    assert found == ["\n".join(f"textbox [ref_{page}]" for page in (1, 2, 3))]


def test_values_that_are_cut_are_read_in_full() -> None:
    found: list[str] = []

    def policy(goal: str, call: Any) -> None:
        found.append(call("get_accessibility_tree")["pageContent"])

    def results(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if "ref_id" in arguments:
            return {"success": True, "pageContent": f'textbox [{arguments["ref_id"]}] value="long \\"er\\" "'}
        lines = 'heading "a…" [ref_1]\n textbox [ref_2] type="text" value="long…" (focused)\ntext "b"'
        return {"success": True, "pageContent": lines}

    calls, _, _ = played(policy, results)
    assert [arguments.get("ref_id") for _, arguments in calls] == [None, "ref_2"]
    assert found[0].split("\n")[1] == ' textbox [ref_2] type="text" value="long \\"er\\" " (focused)'


def test_key_presses_go_out_in_allowed_portions() -> None:
    def policy(goal: str, call: Any) -> None:
        call("press_keys", key="ArrowRight", repeat=7)

    calls, _, _ = played(policy, lambda *_: {"success": True})
    assert [arguments["repeat"] for _, arguments in calls] == [3, 3, 1]


class Note:
    """Notes what the words become."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, Any]]] = []

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.said.append((tool, arguments))
        return {"success": True}

    def schema(self, tool: str) -> dict[str, Any]:
        return {}


def test_a_drag_goes_to_a_target_or_by_an_offset() -> None:
    agent = Note()
    call = Words(agent)
    call("drag", ref_id="ref_1", to_ref="ref_2", to_dy=-8)
    call("drag", ref_id="ref_1", dx=25, dy=0)
    assert agent.said == [
        ("drag_drop", {"fromRefId": "ref_1", "toRefId": "ref_2", "dy": -8}),
        ("drag_drop", {"fromRefId": "ref_1", "dx": 25}),
    ]


class Clock:
    """Time that passes only where it is told to."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Waiting(Note):
    """Waits as long as it is asked to."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self._clock.sleep(arguments.get("quietMs", 0) / 1000)
        return super().use(tool, **arguments)


def test_a_wait_counts_from_the_press(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a tool takes to report is part of the wait that follows it, but not of the one after that."""
    clock = Clock()
    monkeypatch.setattr(words, "time", clock)
    agent = Waiting(clock)
    call = Words(agent)
    call("click_ax", ref_id="ref_1")
    clock.sleep(0.4)
    call("wait", ms=300)
    assert [tool for tool, _ in agent.said] == ["click_ax"]
    call("wait", ms=500)
    call("wait", ms=200)
    assert [arguments["quietMs"] for _, arguments in agent.said[1:]] == [400, 200]


def rows(*successes: int, seeds: int = 5) -> list[Row]:
    return [
        Row(f"task-{number}", seed, ok=seed <= good)
        for number, good in enumerate(successes)
        for seed in range(1, seeds + 1)
    ]


def test_the_target_is_a_share_of_all_episodes() -> None:
    assert needed("chromium", 110, 5) == 523
    assert needed("firefox", 110, 5) == 498
    assert needed("firefox", 110, 5, chromium=550) == 525
    assert not shortcomings("chromium", rows(*[5] * 19, 1))
    assert shortcomings("chromium", rows(*[5] * 18, 4, 1)) == ["95 of 100 episodes succeeded, 95 must"][1:]
    assert shortcomings("chromium", rows(*[5] * 18, 3, 1)) == ["94 of 100 episodes succeeded, 95 must"]


def test_a_task_that_never_works_misses_the_target() -> None:
    assert shortcomings("firefox", rows(*[5] * 29, 0)) == ["never solved: task-29"]


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteMissing, match=r"has no policies\.py.*MINIWOB_ORACLE"):
        load(tmp_path)


def test_a_folder_gives_policies_setup_and_list(tmp_path: Path) -> None:
    (tmp_path / "policies.py").write_text("POLICIES = {'a-1': print, 'a-2': print, 'b': print}\n")
    (tmp_path / "harness.py").write_text("SETUP = ' ([seed]) => seed '\n")
    (tmp_path / "ref-solvable.txt").write_text("# a comment\nb\na-1\n")
    suite = load(tmp_path)
    assert suite.setup == "([seed]) => seed"
    assert suite.choose("listed") == ["b", "a-1"]
    assert suite.choose("a-*,b") == ["a-1", "a-2", "b"]
    with pytest.raises(SuiteMissing, match="no policy for c"):
        suite.choose("c")
    assert isinstance(suite, Suite)
    assert not list(tmp_path.rglob("*.pyc"))


def test_a_part_counts_seconds_by_tool() -> None:
    _, _, part = played(lambda goal, call: call("click_ax", ref_id="r"), lambda *_: {"success": True})
    assert isinstance(part, Part)
    assert len(part.seconds["click_ax"]) == 1
