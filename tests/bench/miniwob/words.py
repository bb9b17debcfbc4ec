"""The policies' words for tools, in the extension's own: other names, smaller pieces, all pages of a tree.

Nothing here knows a task. What a model would do with our tools to follow a policy's intent is done: a tree
is read to its last page, a long row of key presses goes out in the portions a call may have, a wait is a wait
for stillness.
"""

import re
import time
from typing import Any, Protocol

PAGES = 20
"""Parts of a tree or text that are read before something must be wrong."""
TREE_CHARS = 12_000
OWN = frozenset({"get_accessibility_tree", "read_page", "press_keys", "wait", "drag"})
"""Words that need more than handing on."""
VALUE = re.compile(r'\bvalue="(?:[^"\\]|\\.)*"')
CUT_VALUE = re.compile(r'\bvalue="(?:[^"\\]|\\.)*…"')
REF = re.compile(r"\bref_\w+")


class Agent(Protocol):
    """Where calls go."""

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call one tool of the extension."""
        ...

    def schema(self, tool: str) -> dict[str, Any]:
        """Its arguments as offered."""
        ...


class Words:
    """The ``call`` of a policy. An unknown word answers ``{"success": False}``."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._asked = time.monotonic()
        """When the last call was made, other than to wait."""

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        if tool in OWN:
            answer: dict[str, Any] = getattr(self, f"_{tool}")(**arguments)
            return answer
        return self._use(tool, **{key: value for key, value in arguments.items() if value is not None})

    def _get_accessibility_tree(self, **arguments: Any) -> dict[str, Any]:
        """The tree with the values of fields in full: what is cut is asked for by its ref."""
        result = self._whole("get_accessibility_tree", "pageContent", "\n", maxChars=TREE_CHARS, **arguments)
        lines = result["pageContent"].split("\n")
        for index, line in enumerate(lines):
            cut, ref = CUT_VALUE.search(line), REF.search(line)
            if cut and ref and "ref_id" not in arguments:
                field = self._use("get_accessibility_tree", ref_id=ref[0])
                if whole := VALUE.search(field.get("pageContent", "").split("\n")[0]):
                    lines[index] = line[: cut.start()] + whole[0] + line[cut.end() :]
        result["pageContent"] = "\n".join(lines)
        return result

    def _read_page(self) -> dict[str, Any]:
        return self._whole("read_page", "text", "")

    def _whole(self, tool: str, key: str, joint: str, **arguments: Any) -> dict[str, Any]:
        """All parts of what is read in parts."""
        result = self._use(tool, **arguments)
        texts = [result.get(key, "")]
        while result.get("hasMore") and result.get("continuationArgs") and len(texts) < PAGES:
            result = self._use(tool, continuationArgs=result["continuationArgs"])
            texts.append(result.get(key, ""))
        return {**result, key: joint.join(texts)}

    def _press_keys(self, key: str, repeat: int = 1) -> dict[str, Any]:
        portion = self._bounded("press_keys", "repeat", repeat)
        result: dict[str, Any] = {"success": True}
        while repeat > 0 and result.get("success") is not False:
            result = self._use("press_keys", key=key, repeat=min(repeat, portion))
            repeat -= portion
        return result

    def _wait(self, ms: int) -> dict[str, Any]:
        # To a policy tools take no time: it waits after the press, not after the report of it.
        end = self._asked + ms / 1000
        result: dict[str, Any] = {"success": True}
        while (left := round((end - time.monotonic()) * 1000)) > 0:
            quiet, limit = (self._bounded("wait_for_stable", key, left) for key in ("quietMs", "timeout"))
            result = self._agent.use("wait_for_stable", timeout=limit, quietMs=quiet, checkNetwork=False)
            if result.get("success") is False:
                time.sleep(max(0.0, end - time.monotonic()))
        self._asked = end
        return result

    def _use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self._asked = time.monotonic()
        return self._agent.use(tool, **arguments)

    def _bounded(self, tool: str, key: str, value: int) -> int:
        """The nearest value that the tool's schema lets through."""
        field = self._agent.schema(tool).get(key, {})
        return int(min(max(value, field.get("minimum", value)), field.get("maximum", value)))

    def _drag(
        self, ref_id: str, to_ref: str = "", dx: int = 0, dy: int = 0, to_dx: int = 0, to_dy: int = 0
    ) -> dict[str, Any]:
        offset = {"dx": to_dx, "dy": to_dy} if to_ref else {"dx": dx, "dy": dy}
        target = {"toRefId": to_ref} if to_ref else {}
        moved = {key: value for key, value in offset.items() if value}
        return self._use("drag_drop", fromRefId=ref_id, **target, **moved)
