"""Run the demo model as a server: ``python -m webbrain.testing.demo [PORT]``."""

import sys
import threading

from webbrain.testing.demo import plan, think
from webbrain.testing.model_server import ModelServer

MODEL = "webbrain-demo"


def main() -> None:
    """Serve until interrupted."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with ModelServer(think, model=MODEL, port=port, plan=plan) as server:
        print(f"{MODEL} answers at {server.url}", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
