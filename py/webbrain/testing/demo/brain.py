"""The rules: from the conversation to the next tool call or answer."""

import json
import re
from collections import Counter
from typing import Any

from webbrain.testing.chat import Answer, ModelCall, Refusal, Reply
from webbrain.testing.demo import form
from webbrain.testing.demo.history import Step, steps
from webbrain.testing.demo.tree import Node, parse
from webbrain.testing.demo.wanted import Wanted, wanted
from webbrain.testing.model_server import call
from webbrain.testing.planning import plan_text

TREE, READ, CLICK, FIELD, DONE = "get_accessibility_tree", "read_page", "click_ax", "set_field", "done"

ORDER_NUMBER = re.compile(r"\b[A-Z]{2,3}-\d{4,}\b")
OPEN_FORM = re.compile(r"\b(order|buy|purchase)\b", re.IGNORECASE)
AGENT_LINE = re.compile(
    r"^\[Note from the extension: .*?\]$|^\[[^\n]*\]$|^<(untrusted\w+) id=\"(\w+)\">$.*?^</\1 id=\"\2\">$",
    re.MULTILINE | re.DOTALL,
)
"""Facts and notes that the agent puts beside what the person typed."""
PLAN_TASK = re.compile(r"^(?:The user's request:\n|Task: )(.*)\Z", re.MULTILINE | re.DOTALL)
"""The person's words in a request for a plan, which come last."""
WORD = re.compile(r"\w{3,}")
SMALL_WORDS = {
    "the",
    "and",
    "what",
    "when",
    "where",
    "who",
    "how",
    "does",
    "did",
    "was",
    "are",
    "this",
    "that",
}
FAILURES_IN_A_ROW = 3
SUBMISSIONS = 2
SAME_CALLS = 3
TREE_PAGES = 5
PAUSE_BETWEEN_WORDS = 0.01


def think(model_call: ModelCall) -> Answer:
    """Return the next tool call or the final answer for a conversation."""
    if model_call.response_schema is not None:
        return Refusal(400, {"error": {"message": "response_format is not supported by this model"}})
    if len(model_call.tools) == 1 and model_call.tools[0] != DONE:
        return _try_out(model_call)
    index, text = _task(model_call)
    done_so_far = steps(model_call, index)
    if CLICK in model_call.tools:
        order = wanted(text)
        if order is not None:
            return _order(order, done_so_far)
    if READ in model_call.tools:
        return _answer(text, done_so_far, model_call)
    return Reply("I can only order in shops and answer questions about a page.")


def plan(model_call: ModelCall) -> Answer:
    """Return the plan for a request: how to order, or how to find an answer on the page."""
    asked = model_call.last("user")
    found = PLAN_TASK.search(asked.text if asked else "")
    text = found[1].strip() if found else ""
    order = wanted(text)
    if order is None:
        return Reply(
            plan_text(
                model_call.response_schema,
                summary="Find the answer on the page.",
                steps=["Read the page", "Answer with what it says"],
            )
        )
    values = ", ".join(f"{field} {value}" for field, value in order.values.items())
    steps = [
        "Open the product and its order form",
        f"Fill in the form: {values}",
        "Tick the newsletter" if order.newsletter else "Leave the newsletter as it is not wanted",
        "Place the order once and read the order number",
    ]
    return Reply(
        plan_text(
            model_call.response_schema,
            requires_state_change=True,
            summary="Order in this shop what the task names.",
            steps=steps,
            risks=["The order is placed for real"],
            confidence=0.95,
        )
    )


def _task(model_call: ModelCall) -> tuple[int, str]:
    """The newest user turn that orders something, or else the newest; without the agent's own lines."""
    users = [
        (index, text)
        for index, turn in enumerate(model_call.turns)
        if turn.role == "user" and (text := AGENT_LINE.sub("", turn.text).strip())
    ]
    orders = [(index, text) for index, text in users if wanted(text)]
    last = users[-1] if users else (0, "")
    followed = model_call.turns[last[0] + 1 :]
    return orders[-1] if orders and not followed and _is_continue(last[1]) else last


def _is_continue(text: str) -> bool:
    return bool(re.search(r"\bcontinue\b", text, re.IGNORECASE))


def _order(order: Wanted, history: list[Step]) -> Reply:
    if not history:
        return call(TREE)
    last = history[-1]
    if _failures(history) >= FAILURES_IN_A_ROW:
        return _done(f"I could not go on: {last.result.get('error', 'the page does not react')}", "failed")
    submitted = [step for step in history if _is_submission(step, history)]
    if last.call.name == CLICK:
        if last in submitted and _refused_by_person(last):
            return _done("I filled in the form. It was not submitted, as you wished.", "partial")
        return call(READ) if last in submitted and last.ok else call(TREE)
    if last.call.name == READ:
        number = ORDER_NUMBER.search(last.text)
        return _done(f"Ordered. The order number is {number[0]}.", "success") if number else call(TREE)
    if last.call.name == TREE and last.ok and _more(history):
        return call(TREE, **last.result["continuationArgs"])
    if not last.ok:
        return call(TREE)
    return _on_page(order, history, len(submitted))


def _on_page(order: Wanted, history: list[Step], submissions: int) -> Reply:
    nodes, since = _current_tree(history)
    fields = form.assign(nodes)
    if form.is_order_form(fields):
        step = form.next_step(order, nodes, fields, since)
        if step is not None:
            if _tried(step, history) >= SAME_CALLS:
                return _done("A field of the form does not keep what I put into it.", "failed")
            return step
        button = form.submit_button(nodes)
        if button is None or submissions >= SUBMISSIONS:
            return _done("I filled in the form but the shop does not take it.", "failed")
        return call(CLICK, ref_id=button.ref)
    link = _product_link(order, nodes) or _form_link(order, nodes)
    if link is None:
        return _done("I cannot do this here: the page offers no order form for it.", "failed")
    return call(CLICK, ref_id=link.ref)


def _current_tree(history: list[Step]) -> tuple[list[Node], list[Step]]:
    """The nodes of the last tree (all its pages), and the steps taken since."""
    last = max(index for index, step in enumerate(history) if step.call.name == TREE and step.ok)
    first = last
    while history[first].arguments.get("page", 1) > 1 and first and history[first - 1].call.name == TREE:
        first -= 1
    text = "\n".join(_tree_text(step) for step in history[first : last + 1])
    return parse(text), history[last + 1 :]


def _tree_text(step: Step) -> str:
    return str(step.result.get("pageContent") or step.text)


def _more(history: list[Step]) -> bool:
    last = history[-1].result
    return (
        bool(last.get("hasMore")) and bool(last.get("continuationArgs")) and last.get("page", 1) < TREE_PAGES
    )


def _failures(history: list[Step]) -> int:
    """How many of the last actions failed in a row; reading in between does not count."""
    count = 0
    for step in reversed([step for step in history if step.call.name not in (TREE, READ)]):
        if step.ok:
            break
        count += 1
    return count


def _tried(reply: Reply, history: list[Step]) -> int:
    """How often this very action was taken already."""
    asked = reply.calls[0]
    return sum(
        step.call.name == asked.name and step.arguments == json.loads(asked.arguments)
        for step in history
        if asked.name != TREE
    )


def _is_submission(step: Step, history: list[Step]) -> bool:
    if step.call.name != CLICK:
        return False
    before = history[: history.index(step)]
    trees = [one for one in before if one.call.name == TREE and one.ok]
    button = form.submit_button(parse(_tree_text(trees[-1]))) if trees else None
    fields = form.assign(parse(_tree_text(trees[-1]))) if trees else {}
    return (
        bool(button)
        and form.is_order_form(fields)
        and step.arguments.get("ref_id") == getattr(button, "ref", "")
    )


def _refused_by_person(step: Step) -> bool:
    return not step.ok and bool(re.search(r"denied|declined|refused|not submit", step.text, re.IGNORECASE))


def _product_link(order: Wanted, nodes: list[Node]) -> Node | None:
    """The link whose name the task contains; the longest, for one product's name may begin another's."""
    text = order.text.lower()
    links = [node for node in nodes if node.role == "link" and node.ref and node.name]
    named = [node for node in links if re.search(rf"\b{re.escape(node.name.lower())}", text)]
    return max(named, key=lambda node: len(node.name), default=None)


def _form_link(order: Wanted, nodes: list[Node]) -> Node | None:
    """On a page about the product: the way to its order form."""
    headings = [node.name.lower() for node in nodes if node.role == "heading" and node.name]
    if not any(heading in order.text.lower() for heading in headings):
        return None
    ways = [node for node in nodes if node.role in ("link", "button") and OPEN_FORM.search(node.name)]
    return ways[0] if ways else None


def _answer(question: str, history: list[Step], model_call: ModelCall) -> Reply:
    reads = [step for step in history if step.call.name == READ]
    if not reads:
        return call(READ)
    sentence = _best_sentence(question, str(reads[-1].result.get("text") or ""))
    text = (
        f"The page says: {sentence}"
        if sentence
        else "I cannot tell: the page does not say anything about that."
    )
    if DONE in model_call.tools and CLICK in model_call.tools:
        return _done(text, "success" if sentence else "failed")
    return Reply(text, pause=PAUSE_BETWEEN_WORDS)


def _best_sentence(question: str, text: str) -> str:
    """The sentence that shares most with the question; rare words count more, a tie goes to the longer."""
    asked = {_stem(word) for word in WORD.findall(question.lower()) if word not in SMALL_WORDS}
    sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]
    shared = [asked & {_stem(word) for word in WORD.findall(sentence.lower())} for sentence in sentences]
    often = Counter(word for common in shared for word in common)
    scored = [
        (sum(1 / often[word] for word in common), len(sentence), sentence)
        for sentence, common in zip(sentences, shared, strict=True)
        if common
    ]
    return max(scored)[2] if scored else ""


def _stem(word: str) -> str:
    return re.sub(r"(ing|ed|es|s)$", "", word) or word


def _try_out(model_call: ModelCall) -> Reply:
    """A lone tool: somebody tests the connection. Call it, once, with the least it takes."""
    last = model_call.turns[-1]
    if last.role == "tool":
        return Reply("The tool was called.")
    tool = model_call.body["tools"][0]
    schema = tool.get("function", {}).get("parameters") or tool.get("input_schema") or {}
    properties = schema.get("properties", {})
    arguments = {key: _least(properties.get(key, {})) for key in schema.get("required", ())}
    return call(model_call.tools[0], **arguments)


def _least(schema: dict[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    return {"string": "ok", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(
        str(schema.get("type")), "ok"
    )


def _done(summary: str, outcome: str) -> Reply:
    return call(DONE, summary=summary, outcome=outcome)


def describe(reply: Reply) -> str:
    """One line about an answer, for logs."""
    calls = ", ".join(f"{item.name} {json.dumps(json.loads(item.arguments))}" for item in reply.calls)
    return calls or reply.text
