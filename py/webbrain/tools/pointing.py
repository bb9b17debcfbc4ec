"""What a click by place means to the page: shared by the tool and by the question whether it sends a form."""

from collections.abc import Mapping
from typing import Any

from webbrain.core.errors import ToolFailed
from webbrain.tools import sight
from webbrain.tools.state import RunState


def click_args(state: RunState, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the page's action ``click``: places in a picture become CSS pixels.

    Raise ``ToolFailed`` for coordinates that are fractions of the viewport, ``ModelMayRetry`` for an unknown
    picture.
    """
    args = {key: value for key, value in given.items() if value is not None and key != "capture_id"}
    if args.get("count") == 1:
        del args["count"]
    x, y = args.get("x"), args.get("y")
    if x is None or y is None:
        return args
    if 0 <= x <= 1 and 0 <= y <= 1:
        raise ToolFailed(
            "These look like fractions of the viewport. Give x and y in CSS pixels, or click by text or ref.",
            code="normalised_coordinates",
        )
    if given.get("capture_id"):
        args["x"], args["y"] = sight.to_css(state, given["capture_id"], x, y)
    return args
