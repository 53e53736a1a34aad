"""
Makes src/arm_bridge_client/_sync.py of _async.py: the client without `await`. `python make_sync.py` writes it, with --check it
ends with 1 where the file is not as it would be.
"""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "src" / "arm_bridge_client"

RULES = [
    (
        r"The client with `await`. `_sync.py` is made of this file by make_sync.py: change this one.",
        "The client without `await`, made of _async.py by make_sync.py: change that one.",
    ),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"    import asyncio\n\n    asyncio\.sleep", "    import time\n\n    time.sleep"),
    (r"\bhttpx\.Async(Client|HTTPTransport)\b", r"httpx.\1"),
    (r"\.a(close|read|iter_bytes)\b", r".\1"),
    (r"\b__a(enter|exit)__", r"__\1__"),
    (r"\bAsync(Bridge|Arm|Motion|Episode|First|Recordings|Iterator)\b", r"\1"),
    (r"\bwebsockets\.asyncio\.client\b", "websockets.sync.client"),
]


def made() -> str:
    text = (FOLDER / "_async.py").read_text()
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text.replace("import AsyncIterator, Mapping", "import Iterator, Mapping")


if __name__ == "__main__":
    target = FOLDER / "_sync.py"
    if sys.argv[1:] == ["--check"]:
        sys.exit(target.read_text() != made())
    target.write_text(made())
