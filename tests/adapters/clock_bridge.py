"""`clock_bridge.py COMMAND PORT`: FastMCP's own server over HTTP, in front of one MCP server over stdio.

`fastmcp run` would do the same, but starts that server anew for every request.
"""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy


async def main(command: str, port: int) -> None:
    async with Client(StdioTransport(command, ["--local-timezone", "UTC"])) as clock:
        await create_proxy(clock).run_http_async(transport="http", port=port, show_banner=False)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
