"""The official Python client lists our tools and loads a skill: `mcp_client.py MODE URL|PROGRAM …`."""

import asyncio
import os
import sys

from mcp import Client, StdioServerParameters


async def main(mode: str, target: list[str]) -> None:
    if len(target) == 1:
        server = target[0]
    else:
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        print(", ".join(tool.name for tool in tools.tools))
        loaded = await client.call_tool("skill_load", {"name": "flowers"})
        print(loaded.content[0].text)
        read = await client.read_resource("skill://flowers/references/colours.md")
        print(read.contents[0].text)


asyncio.run(main(sys.argv[1], sys.argv[2:]))
