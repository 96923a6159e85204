"""A headless Chromium for tests, driven over its DevTools protocol; nothing to install but it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from types import TracebackType
from typing import Any, Self

import aiohttp

from tests.support.runs import until

NAMES = (
    *("chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable", "chrome"),
)
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}


def find() -> str | None:
    """A Chromium: what CHROMIUM names, one on PATH, or one that playwright installed."""
    if named := os.environ.get("CHROMIUM"):
        return named
    for name in NAMES:
        if found := shutil.which(name):
            return found
    cache = Path.home() / ".cache" / "ms-playwright"
    own = [*cache.glob("chromium*/*/headless_shell"), *cache.glob("chromium*/*/chrome*shell")]
    return str(own[0]) if own else None


class Tab:
    """A tab of a Chromium of its own: looked at with JavaScript, worked by keys and clicks."""

    def __init__(self, program: str, width: int = 1280, height: int = 800) -> None:
        self._home = TemporaryDirectory()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self._thread.start()
        port = Path(self._home.name) / "DevToolsActivePort"
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
        own = (f"--user-data-dir={self._home.name}", "--remote-debugging-port=0")
        self._process = subprocess.Popen(
            [program, *flags, *own, "--no-first-run", "--hide-scrollbars", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            until(lambda: port.exists() and port.read_text().count("\n") == 1, 60)
            self._do(self._connect(int(port.read_text().splitlines()[0])))
            for domain in ("Page", "Runtime", "Log"):
                self.send(f"{domain}.enable")
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and forget its profile."""
        if hasattr(self, "_session"):
            self._do(self._hang_up())
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        shutil.rmtree(self._home.name, ignore_errors=True)
        self._home.cleanup()

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol and its answer."""
        answer = self._do(self._send(method, params))
        assert "error" not in answer, (method, answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str) -> None:
        """Go to a page."""
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of an expression, awaited where it is a promise."""
        found = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str, timeout: float = 30) -> None:
        """Wait until an expression holds."""
        until(lambda: bool(self.run(condition)), timeout)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            code = KEYS.get(key, ord(key[0].upper()))
            text = {"text": key if len(key) == 1 else "\r"} if key not in KEYS or code == 13 else {}
            event = {"key": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", type="keyDown", **event, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def resize(
        self, width: int, height: int, *, scheme: str = "light", touch: bool = False
    ) -> None:
        """The size of the page and the color scheme that it is asked for."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def shot(self, path: Path) -> None:
        """A picture of the page."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    @property
    def complaints(self) -> list[str]:
        """What the browser logged: errors of scripts, of loading, of the content policy."""
        return list(self._complaints)

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _connect(self, port: int) -> None:
        self._session = aiohttp.ClientSession()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._complaints: list[str] = []
        async with self._session.get(f"http://127.0.0.1:{port}/json/list") as answer:
            pages = [one for one in await answer.json() if one["type"] == "page"]
        self._socket = await self._session.ws_connect(
            pages[0]["webSocketDebuggerUrl"], max_msg_size=0
        )
        self._reader = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for message in self._socket:
            data = json.loads(message.data)
            if "id" in data:
                self._waiting.pop(data["id"]).set_result(data)
            elif data["method"] in ("Log.entryAdded", "Runtime.exceptionThrown"):
                self._complaints.append(json.dumps(data["params"]))

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        number = self._count = getattr(self, "_count", 0) + 1
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await self._waiting[number]

    async def _hang_up(self) -> None:
        await self._socket.close()
        await self._reader
        await self._session.close()
