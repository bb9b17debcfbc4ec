"""Every cap, timeout and threshold that more than one module needs, beside its peers.

Times are seconds unless the name says otherwise; sizes are characters of text or bytes as named.
"""

from typing import Final

# Tool results, as the model sees them (spec: agent loop, "Results").
TOOL_RESULT_CHARS: Final = 8_000
TOOL_RESULT_CHARS_WIDE_TREE: Final = 16_000
UI_RESULT_CHARS: Final = 2_000
UI_ARGUMENT_CHARS: Final = 2_000

# Model calls.
TEMPERATURE_ASK: Final = 0.3
TEMPERATURE_ACT: Final = 0.15
MAX_OUTPUT_TOKENS: Final = 4_096
MAX_OUTPUT_TOKENS_CONSTRAINED: Final = 192
STALL_TIMEOUT: Final = 60.0
RESPONSE_BYTES: Final = 20_000_000
TRANSIENT_RETRY_DELAY: Final = 2.0

# Runs.
MAX_STEPS_DEFAULT: Final = 130
MAX_STEPS_MIN: Final = 5
MAX_STEPS_MAX: Final = 195
MALFORMED_REPLIES_IN_A_ROW: Final = 3

# Page actions.
PAGE_ACTION_TIMEOUT: Final = 60.0
PAGE_READ_TIMEOUT: Final = 20.0
NAVIGATION_TIMEOUT: Final = 30.0
BRIDGE_CALL_TIMEOUT: Final = 30.0

# Text taken from a page for the first message.
PAGE_URL_CHARS: Final = 300
PAGE_TITLE_CHARS: Final = 300
USER_MESSAGE_CHARS: Final = 100_000

# Records.
STREAMED_TEXT_CHARS: Final = 30_000
LAST_ERROR_CHARS: Final = 2_000
SESSION_MIRROR_EVENTS: Final = 256
