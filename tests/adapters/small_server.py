"""An MCP server over stdio without any package, so that it starts at once: one tool, one answer.

Asked for the time "never", the tool fails; asked for "half", its text has half a surrogate; asked for "hang", it never
replies to anything again.
"""

import json
import sys
import time

TOOL = {"name": "convert_time", "description": "Converts a time.", "inputSchema": {"type": "object"}}
ANSWER = "2026-01-01T21:00:00+09:00"


def reply_to(asked):
    """The reply as a message; None: nobody waits for one."""
    if "id" not in asked:
        return None
    reply: dict[str, object] = {}
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        told = {"name": "small", "version": "1"}
        reply = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": told}
    elif asked["method"] == "tools/list":
        reply = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        given = asked["params"].get("arguments", {}).get("time")
        if given == "hang":
            time.sleep(3600)
        never = given == "never"
        text = "No such time." if never else "Nine \ud83d." if given == "half" else ANSWER
        reply = {"content": [{"type": "text", "text": text}], "isError": never}
    return json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": reply})


if __name__ == "__main__":
    for line in sys.stdin:
        if (said := reply_to(json.loads(line))) is not None:
            print(said, flush=True)
