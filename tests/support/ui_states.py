"""Every state the screens can be in, as tables for the fake port (tests/ui/fake_port.js)."""

from tests.support.ui_history import history_states
from tests.support.ui_panel_states import panel_states
from tests.support.ui_queue import queue_states
from tests.support.ui_settings_states import settings_states
from tests.support.ui_state import State
from tests.support.ui_strain import strain_states

STATES: dict[str, State] = {
    **panel_states(),
    **queue_states(),
    **history_states(),
    **strain_states(),
    **settings_states(),
}
"""Name to state, in the order they are pictured."""
