"""Drives a gateway (argv: its URL and a kernelspec's name) with jupyter_server's managers and client for remote kernels."""

import asyncio
import json
import sys

from jupyter_server.gateway.gateway_client import GatewayClient, gateway_request
from jupyter_server.gateway.managers import GatewayKernelManager, GatewayKernelSpecManager


async def execute(client, code):
    """Gives the status of the reply and the printed text up to the cell's idle."""
    request = client.execute(code)
    text = ""
    while True:
        message = await client.get_iopub_msg(timeout=30)
        if message["parent_header"].get("msg_id") != request:
            continue
        if message["msg_type"] == "stream":
            text += message["content"]["text"]
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            break
    reply = await client.get_shell_msg(timeout=30)
    assert reply["parent_header"]["msg_id"] == request
    return [reply["content"]["status"], reply["content"].get("ename", ""), text]


async def interrupt(manager, client):
    """Interrupts a cell once it prints."""
    request = client.execute("print('begun', flush=True)\nwhile True: pass")
    while (await client.get_iopub_msg(timeout=30))["msg_type"] != "stream":
        pass
    await manager.interrupt_kernel()
    reply = await client.get_shell_msg(timeout=30)
    assert reply["parent_header"]["msg_id"] == request
    return reply["content"]["ename"]


async def list_kernels(manager):
    response = await gateway_request(manager.kernels_url, method="GET")
    return [kernel["id"] for kernel in json.loads(response.body)]


async def connect(manager):
    client = manager.client()
    await client.start_channels()
    await client.wait_for_ready(timeout=30)
    return client


async def main(url, name):
    gateway = GatewayClient.instance()
    gateway.url = url
    seen = {"language": (await GatewayKernelSpecManager().get_kernel_spec(name))["spec"]["language"]}
    manager = GatewayKernelManager()
    await manager.start_kernel(kernel_name=name)
    client = await connect(manager)
    seen["executed"] = await execute(client, "kept = 1; print('hello')")
    seen["failed"] = await execute(client, "1/0")
    seen["interrupted"] = await interrupt(manager, client)
    seen["kept"] = await execute(client, "print(kept)")
    seen["alive"] = await manager.is_alive()
    seen["listed"] = [id == manager.kernel_id for id in await list_kernels(manager)]
    await manager.restart_kernel()
    client.stop_channels()
    client = await connect(manager)
    seen["restarted"] = await execute(client, "print('kept' in globals())")
    client.stop_channels()
    await manager.shutdown_kernel()
    seen["left"] = await list_kernels(manager)
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
