"""An Ollama over real HTTP, for tests of what talks to it (A.1 to A.5).

    with ollama_server(Model("qwen2.5vl:7b", load_s=30)) as ollama:   # profile=OLD, settings=Settings(max_queue=2), ...
        ollama.replies.append(Reply(content="done", gap_s=0.5, end=End.RESET))
        ollama.faults.append(Fault(kind=Kind.PROXY, path="/api/ps"))
        ...                                                           # a client asks ollama.url, in another thread
        ollama.wait_for(lambda: ollama.models["qwen2.5vl:7b"].state == LOADING)
        ollama.advance(30)                                            # now, and not before, the load is over

Nothing happens by a real clock: time stands still until `advance`; with `hurry=True` it runs by itself while a request
waits.
"""

from tests.doubles.ollama.faults import Fault, Kind
from tests.doubles.ollama.ledger import Ledger, Overdrawn
from tests.doubles.ollama.lifecycle import Settings
from tests.doubles.ollama.models import LOADED, LOADING, MB, ON_DISK, STOPPING, Model
from tests.doubles.ollama.profiles import NEW, OLD, Profile
from tests.doubles.ollama.replies import End, Reply, Shape
from tests.doubles.ollama.server import OllamaServer, ollama_server

__all__ = [
    "LOADED", "LOADING", "MB", "NEW", "OLD", "ON_DISK", "STOPPING",
    "End", "Fault", "Kind", "Ledger", "Model", "OllamaServer", "Overdrawn", "Profile", "Reply", "Settings", "Shape",
    "ollama_server",
]  # fmt: skip
