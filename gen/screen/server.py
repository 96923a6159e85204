"""The page and its data, over HTTP on this machine alone.

Whoever may not see it: other machines (it listens on the loopback address), other users of this
machine and other pages in the reviewer's browser (a token that changes with every start, kept as a
cookie that is sent from the page alone; the Host and Origin of each request).
"""

from __future__ import annotations

import json
import secrets
import sys
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs

from gen.screen.answers import Answers
from gen.screen.board import ReplacedError

ADDRESS = "127.0.0.1"
SCRIPTS = ("page.js", "load.js", "view.js", "outlines.js", "settings.js")
PAGE = {
    "/": ("index.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    **{f"/{name}": (name, "text/javascript") for name in SCRIPTS},
}
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LONGEST = 4096
"""Bytes of a request's body."""
PAUSE = 1.0
"""Seconds between looks for new images."""


class Screen(ThreadingHTTPServer):
    """Serves one board to one reviewer, in any number of tabs."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answers: Answers, port: int) -> None:
        """Listen on a port, 0 for any that is free.

        Raises:
            OSError: where the port is taken.
        """
        self._closing = Event()
        super().__init__((ADDRESS, port), _Handler)
        self.answers = answers
        self.token = secrets.token_urlsafe(24)
        self.cookie = f"screen-{self.server_port}"  # cookies don't tell ports apart
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}
        Thread(target=self._watch, name="watch", daemon=True).start()

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        return f"http://{ADDRESS}:{self.server_port}/?token={self.token}"

    def server_close(self) -> None:
        """Stop listening and looking."""
        self._closing.set()
        super().server_close()

    def _watch(self) -> None:
        """Look for new images, from the first moment on: thousands take a while."""
        while True:
            self.answers.board.refresh()
            if self._closing.wait(PAUSE):
                return

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a connection early is no error; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection. Whatever is wrong with a request is answered in one line of text."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "screen", ""
    server: Screen
    timeout = 60
    wbufsize = 1 << 16  # header and body in one packet: two would wait for each other
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Send the page, or data for it."""
        if self._allowed():
            path, answers = self.path.partition("?")[0], self.server.answers
            if path in PAGE:
                name, kind = PAGE[path]
                data = files(__package__).joinpath("page", name).read_bytes()
                self._send(data, f"{kind}; charset=utf-8")
            elif path in ("/queue", "/state"):
                self._json(answers.queue() if path == "/queue" else answers.state())
            else:
                self._about(path)

    def _about(self, path: str) -> None:
        """Send something of one image: /image/ID/SHA256, /item/..., /truth/..."""
        answers, board = self.server.answers, self.server.answers.board
        _, what, name, sha256 = path.split("/") if path.count("/") == 3 else ("",) * 4
        item = board.items.get(name)
        if item is None or what not in ("image", "item", "truth"):
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
        elif board.digest(item) != sha256:
            self._refuse(HTTPStatus.NOT_FOUND, f"{name} was made anew meanwhile")
        elif what == "item":
            self._json(answers.item(item, sha256))
        else:
            try:
                if what == "truth":
                    self._json(board.folder.truth(item))
                else:
                    data = board.folder.store.image(item.question, item.scene)
                    self._send(data, "image/webp", "private, max-age=31536000, immutable")
            except (ValueError, OSError) as error:
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

    def do_POST(self) -> None:
        """Take a decision."""
        if not self._allowed():
            return
        size = self.headers.get("Content-Length", "")
        if self.path != "/decide" or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
        elif not size.isdecimal() or int(size) > LONGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too long for a decision")
        else:
            try:
                self._json(self.server.answers.decide(json.loads(self.rfile.read(int(size)))))
            except ReplacedError as error:
                self._refuse(HTTPStatus.CONFLICT, str(error))
            except ValueError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            except OSError as error:
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"not saved: {error}")

    def _allowed(self) -> bool:
        """Whether a request comes from the page, or opens it; refused if not."""
        screen, headers = self.server, self.headers
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if host not in screen.hosts or origin not in (None, f"http://{host}"):
            self._refuse(HTTPStatus.FORBIDDEN, "this page is for this machine alone")
            return False
        given = parse_qs(self.path.partition("?")[2]).get("token", [""])[0]
        try:
            kept = SimpleCookie(headers.get("Cookie", "")).get(screen.cookie)
        except CookieError:
            kept = None
        self._opened = secrets.compare_digest(given.encode(), screen.token.encode())
        known = kept is not None and secrets.compare_digest(
            kept.value.encode(), screen.token.encode()
        )
        if not (known or (self._opened and self.command == "GET")):
            self._refuse(HTTPStatus.FORBIDDEN, "open the address that the command printed")
            return False
        return True

    def _json(self, data: Any) -> None:
        self._send(json.dumps(data, separators=(",", ":")).encode(), "application/json")

    def _send(self, data: bytes, kind: str, cache: str = "no-store") -> None:
        self.send_response(HTTPStatus.OK)
        if self._opened:
            cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
            self.send_header("Set-Cookie", cookie)
        self._end(data, kind, cache)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer with one line; the connection ends, since a body may be left unread."""
        self.close_connection = True
        self.send_response(status)
        self.send_header("Connection", "close")
        self._end(f"{why}\n".encode(), "text/plain; charset=utf-8", "no-store")

    def _end(self, data: bytes, kind: str, cache: str) -> None:
        for name, value in {**HEADERS, "Content-Type": kind, "Cache-Control": cache}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is for the reviewer."""
