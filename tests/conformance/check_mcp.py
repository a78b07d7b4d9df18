#!/usr/bin/env python3
"""Have the tools for language models used by the official Python SDK of the protocol.

usage: check_mcp.py CARDROOM

Needs the package `mcp` 2.3.0 (`pip install mcp==2.3.0`). Plays hands over standard input and
output and at the server's /mcp, compares their sum with `cardroom stats`, and exits 1 when they
differ or the SDK finds an answer that is not of the protocol.
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

HANDS = 10


async def play(session, cardroom, folder, seed):
    """Plays a table to its end; its results by tools and by the command must be the same."""
    await session.initialize()
    tools = [tool.name for tool in (await session.list_tools()).tools]

    async def call(name, **arguments):
        result = await session.call_tool(name, arguments)
        return json.loads(result.content[0].text)

    state = await call("new_table", agent="cfr", seed=seed, hands=HANDS)
    turns = 0
    while not state["over"]:
        legal = [action["action"] for action in state["hand"]["legal"]]
        action = "check" if "check" in legal else "call"
        state = await call("act", table=state["table"], turn=state["hand"]["turn"], action=action)
        turns += 1
    results = [await call("result", table=state["table"], hand=n) for n in range(HANDS)]
    won = sum(result["won"] for result in results)
    path = f"data/matches/{state['match']}"
    told = subprocess.run([cardroom, "stats", path, "--json", "--estimates", "off"], cwd=folder,
                          capture_output=True, text=True, check=True).stdout
    told = json.loads(told)["entrants"][0]["chips"]
    if not won == state["won"] == told:
        sys.exit(f"{won} chips by results, {state['won']} by the state, {told} by stats")
    refused = await session.call_tool("act", {"table": state["table"], "turn": "0.0", "action": "fold"})
    if not getattr(refused, "is_error", getattr(refused, "isError", None)):
        sys.exit(f"an action after the last hand is not refused: {refused}")
    print(f"{len(tools)} tools; {HANDS} hands in {turns} turns, {won:+g} chips as in the ledger")


async def main():
    cardroom = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        server = StdioServerParameters(command=str(cardroom), args=["mcp"], cwd=folder)
        async with stdio_client(server) as streams, ClientSession(*streams[:2]) as session:
            await play(session, cardroom, folder, 1)
        pathlib.Path(folder, "cardroom.toml").write_text("tables = []\n[mcp]\nenabled = true\n")
        process = subprocess.Popen([cardroom, "serve", "--bind", "127.0.0.1:0"], cwd=folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            url = re.search(r"http://\S+", process.stdout.readline())[0] + "/mcp"
            async with streamable_http_client(url) as streams, ClientSession(*streams[:2]) as session:
                await play(session, cardroom, folder, 2)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main())
