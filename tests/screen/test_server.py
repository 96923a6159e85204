"""The screening page's server: what it tells, what it keeps, whom it refuses."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from gen.base.folder import claimed
from gen.saber.images.screening import SCREENING, decisions
from gen.screen.board import REASONS, Board
from gen.screen.folder import Folder
from gen.screen.redraw import Redrawer
from gen.screen.server import PAGE
from tests.support import runs, saber, screens
from tests.support.screens import Client, Painter


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return screens.board(screens.painted(tmp_path / "saber"))


@pytest.fixture
def client(board: Board) -> Iterator[Client]:
    with screens.serving(board) as found:
        yield found


# --- what it tells ----------------------------------------------------------------------


def test_every_image_is_there_with_what_it_is_to_show(client: Client, board: Board) -> None:
    queue = client.ask("/queue").json
    assert (queue["reviewer"], queue["together"]) == ("ann", False)
    assert [entry[0] for entry in queue["items"]] == list(board.items)
    for (name, sha256, accepted, wanted), item in zip(
        queue["items"], board.items.values(), strict=True
    ):
        assert (accepted, wanted) == (None, True)
        image = client.ask(f"/image/{name}/{sha256}")
        assert image.headers["Content-Type"] == "image/webp"
        assert image.body == board.folder.store.image(item.question, item.scene)
        about = client.ask(f"/item/{name}/{sha256}").json
        assert about["caption"] == item.caption
        assert about["kind"] == item.kind
        assert all(f"{look} {noun}" in about["caption"].lower() for look, noun in about["pairs"])
        assert len(about["pairs"]) == about["n"] == item.question.n


def test_the_truth_has_names_boxes_and_masks(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    (note,) = client.ask(f"/truth/{item.id}/{board.digest(item)}").json
    assert note["name"] == f"red {board.folder.vocabulary.objects[0]}"
    assert note["box"] == [16, 16, 32, 32]
    assert sum(note["mask"]["counts"]) <= 64 * 64


def test_images_appear_as_they_are_made_and_are_replaced(tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    board = screens.board(folder)
    assert board.standing().there == 0
    question = folder.questions[0]
    screens.paint(folder.store, question, 1)
    board.refresh()
    (entry,) = board.entries("undecided")
    assert entry.id == f"{question.id}-c0"
    version = board.version
    board.refresh()
    assert board.version == version
    screens.paint(folder.store, question, 1, attempt=1)
    board.refresh()
    (other,) = board.entries("undecided")
    assert other.id == entry.id
    assert other.sha256 != entry.sha256
    assert board.version > version


def test_a_change_that_a_coarse_clock_does_not_show_is_seen(board: Board) -> None:
    item = next(iter(board.items.values()))
    folder, before = board.folder.store.folder / item.question.id, board.digest(item)
    time = folder.stat().st_mtime_ns
    screens.paint(board.folder.store, item.question, 0, attempt=1)
    os.utime(folder, ns=(time, time))
    board.refresh()
    assert board.digest(item) != before


def test_a_damaged_image_is_named_and_the_others_are_shown(client: Client, board: Board) -> None:
    first, second, *_ = board.items.values()
    at = board.folder.store.folder / first.question.id
    (at / "query.webp").write_bytes(b"")
    answer = client.ask(f"/image/{first.id}/{board.digest(first)}")
    assert answer.status == 500
    assert "query.webp is damaged" in answer.text
    (at / "candidate-0.json").write_text("{")
    (at / "new").touch()
    board.refresh()
    assert "candidate-0.json is damaged" in client.ask("/state").json["problem"]
    assert board.standing().there == 19
    assert not board.digest(second)


# --- what it keeps ----------------------------------------------------------------------


def test_a_decision_is_on_disk_when_it_is_answered(client: Client, board: Board) -> None:
    first, second, *_ = board.items.values()
    assert client.decide(first, True).json["state"]["accepted"] == 1
    state = client.decide(second, False, reason="bleeding").json["state"]
    assert (state["accepted"], state["rejected"], state["undecided"]) == (1, 1, 18)
    found = {one.id: one for one in decisions(board.folder.path)}
    assert found[first.id].accepted is True
    assert (found[second.id].accepted, found[second.id].reason) == (False, "bleeding")
    assert {one.reviewer for one in found.values()} == {"ann"}


def test_a_decision_is_changed_and_taken_back(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    for accepted in (True, False, None):
        client.decide(item, accepted)
        found = [one.accepted for one in decisions(board.folder.path)]
        assert found == ([] if accepted is None else [accepted])
    own = board.folder.path / SCREENING / "ann.jsonl"
    assert own.read_bytes().count(b"\n") == 3


def test_an_image_that_was_replaced_meanwhile_is_not_decided(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    old = board.digest(item)
    screens.paint(board.folder.store, item.question, 0, attempt=1)
    asked = {"id": item.id, "sha256": old, "accepted": True}
    answer = client.ask("/decide", "POST", json.dumps(asked).encode())
    assert answer.status == 409
    assert decisions(board.folder.path) == []
    board.refresh()
    assert client.ask(f"/image/{item.id}/{old}").status == 404


@pytest.mark.parametrize(
    "change",
    [
        {"id": "../../etc/passwd"},
        {"id": None},
        {"sha256": 3},
        {"sha256": ""},
        {"accepted": "yes"},
        {"accepted": 0.5},
        {"accepted": False, "reason": "ugly"},
        {"accepted": False, "reason": ["other"]},
        {"accepted": True, "reason": "other"},
    ],
    ids=str,
)
def test_what_is_no_decision_is_refused(
    client: Client, board: Board, change: dict[str, object]
) -> None:
    item = next(iter(board.items.values()))
    asked = {"id": item.id, "sha256": board.digest(item), "accepted": True} | change
    answer = client.ask("/decide", "POST", json.dumps(asked).encode())
    assert answer.status in (400, 409)
    assert decisions(board.folder.path) == []


def test_a_body_that_is_no_json_or_too_long_is_refused(client: Client) -> None:
    assert client.ask("/decide", "POST", b"{").status == 400
    assert client.ask("/decide", "POST", b"[1]").status == 400
    assert client.ask("/decide", "POST", b"\xff").status == 400
    assert client.ask("/decide", "POST", b" " * 5000).status == 413
    text = {"Content-Type": "text/plain"}
    assert client.ask("/decide", "POST", b"{}", text).status == 404


def test_a_decision_that_can_not_be_kept_is_said(client: Client, board: Board) -> None:
    (board.folder.path / SCREENING).parent.joinpath("screening").write_text("in the way")
    answer = client.decide(next(iter(board.items.values())), True)
    assert answer.status == 500
    assert answer.text.startswith("not saved")
    assert board.standing().accepted == 0


def test_two_servers_of_one_reviewer_share_their_decisions(client: Client, board: Board) -> None:
    first, second, *_ = board.items.values()
    other = screens.board(board.folder)
    with screens.serving(other) as elsewhere:
        client.decide(first, True)
        elsewhere.decide(second, False)
        for one in (board, other):
            one.refresh()
            assert one.standing()[2:] == (1, 1)


# --- blind to others until one has decided ----------------------------------------------


def test_others_are_seen_after_the_own_decision_alone(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    screens.board(board.folder, "bob").decide(item, board.digest(item), False, "bleeding")
    board.refresh()
    path = f"/item/{item.id}/{board.digest(item)}"
    assert client.ask(path).json["views"] == []
    views = client.decide(item, True).json["views"]
    assert [(view["reviewer"], view["accepted"]) for view in views] == [
        ("ann", True),
        ("bob", False),
    ]
    assert client.ask(path).json["views"] == views
    client.decide(item, None)
    assert client.ask(path).json["views"] == []


def test_what_is_asked_for_is_shown(board: Board) -> None:
    both, apart, mine, theirs, *_ = board.items.values()
    bob = screens.board(board.folder, "bob")
    for who, item, accepted in (
        *((board, both, True), (bob, both, True), (board, apart, True), (bob, apart, False)),
        *((board, mine, False), (bob, theirs, True)),
    ):
        who.decide(item, who.digest(item), accepted, "")
    board.refresh()
    shown = {
        only: {entry.id for entry in board.entries(only) if entry.wanted}
        for only in ("undecided", "rejected", "disagreed", "all")
    }
    assert shown["undecided"] == board.items.keys() - {both.id, apart.id, mine.id}
    assert shown["rejected"] == {apart.id, mine.id}
    assert shown["disagreed"] == {apart.id}
    assert shown["all"] == board.items.keys()


# --- drawn again ------------------------------------------------------------------------


@pytest.mark.parametrize(("layout", "changed"), [("jitter", 1), ("fixed", 5)])
def test_a_rejected_image_is_drawn_again_at_once(board: Board, layout: str, changed: int) -> None:
    """Of a fixed layout all five of its question."""
    before = {name: board.digest(item) for name, item in board.items.items()}
    item = next(iter(board.items.values()))
    source = Painter("fixed" if layout == "fixed" else "jitter", Event())
    with screens.serving(board, source=source) as client:
        client.decide(item, False, again=True)
        runs.until(lambda: not client.ask("/state").json["redrawing"])
    board.refresh()
    after = {name: board.digest(item) for name, item in board.items.items()}
    assert sum(before[name] != after[name] for name in before) == changed
    assert before[item.id] != after[item.id]
    assert board.folder.store.record(item.question, item.scene)["attempt"] == 1
    assert board.standing().undecided == 20


def test_an_image_is_not_drawn_again_where_the_rejection_was_taken_back(board: Board) -> None:
    first, *_, last = board.items.values()
    source = Painter("jitter", Event(), Event())
    assert source.go
    with screens.serving(board, source=source) as client:
        client.decide(first, False, again=True)
        assert source.started.wait(30)
        client.decide(last, False, again=True)
        client.decide(last, None)
        source.go.set()
        runs.until(lambda: not client.ask("/state").json["redrawing"])
    assert board.folder.store.record(last.question, last.scene)["attempt"] == 0


def test_another_run_in_the_folder_is_named_and_the_rejection_kept(
    client: Client, board: Board
) -> None:
    item = next(iter(board.items.values()))
    with claimed(board.folder.path, board.folder.identity, (), resume=True):
        client.decide(item, False, again=True)
        runs.until(lambda: not client.ask("/state").json["redrawing"])
        assert "another run is writing here" in client.ask("/state").json["problem"]
    assert board.folder.store.record(item.question, item.scene)["attempt"] == 0
    client.decide(item, False, again=True)
    runs.until(lambda: not client.ask("/state").json["redrawing"])
    assert client.ask("/state").json["problem"] == ""
    assert board.folder.store.record(item.question, item.scene)["attempt"] == 1


@pytest.mark.slow
def test_the_renderer_draws_again_what_the_next_run_would(tmp_path: Path) -> None:
    """The page's images are those of `gen.saber` itself: nothing is left for it to draw."""
    flags = {"sizes": "2", "questions_per_size": 1, "images": "render", "size": 64, "samples": 1}
    own = {**flags, "variant": "scalar", "workers": 1, "layout": "jitter"}
    saber.made(tmp_path / "saber", **own)
    folder = Folder.of(tmp_path / "saber", None)
    board = screens.board(folder)
    item = folder.items()[2]
    board.decide(item, board.digest(item), False, "other")
    redrawer = Redrawer(folder, folder.source)
    redrawer.ask(item.question)
    runs.until(lambda: not redrawer.busy, 120)
    redrawer.stop()
    assert redrawer.message == ""
    assert folder.store.record(item.question, item.scene)["attempt"] == 1
    done = saber.run(tmp_path / "saber", **own)
    assert (done.status, "to make" in done.out) == (0, False)
    assert saber.check(tmp_path / "saber").status == 0


# --- whom it refuses --------------------------------------------------------------------


def test_it_listens_on_the_loopback_address_alone(client: Client) -> None:
    assert client.screen.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Cookie": ""},
        {"Cookie": "{cookie}=wrong"},
        {"Cookie": "{cookie}=\u00ff"},
        {"Cookie": "; ; =;["},
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_strangers_are_refused(
    client: Client, board: Board, method: str, headers: dict[str, str]
) -> None:
    """Other pages, names that lead here (DNS rebinding), other users of this machine."""
    screen = client.screen
    given = {
        name: value.format(port=screen.server_port, cookie=screen.cookie)
        for name, value in headers.items()
    }
    item = next(iter(board.items.values()))
    asked = {"id": item.id, "sha256": board.digest(item), "accepted": True}
    if method == "GET":
        answers = [client.ask(path, headers=given) for path in ("/", "/queue", "/state")]
    else:
        answers = [client.ask("/decide", "POST", json.dumps(asked).encode(), given)]
    assert {answer.status for answer in answers} == {403}
    assert decisions(board.folder.path) == []


def test_the_printed_address_opens_the_page_and_leaves_a_cookie(client: Client) -> None:
    screen = client.screen
    path = screen.url.partition(f":{screen.server_port}")[2]
    answer = client.ask(path, headers={"Cookie": ""})
    assert answer.status == 200
    cookie, *how = answer.headers["Set-Cookie"].split("; ")
    assert cookie == f"{screen.cookie}={screen.token}"
    assert {"HttpOnly", "SameSite=Strict"} <= set(how)
    assert client.ask("/?token=wrong", headers={"Cookie": ""}).status == 403
    decide = f"/decide?token={screen.token}"
    assert client.ask(decide, "POST", b"{}", {"Cookie": ""}).status == 403


@pytest.mark.parametrize(
    "path",
    [
        *("/../server.py", "/page/index.html", "/server.py", "/image/../../identity.json"),
        *(
            "/image/..%2f..%2fidentity/x",
            "/image//",
            "/image/x/y",
            "http://[",
            "/decide",
            "/favicon.ico",
        ),
    ],
)
def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert client.ask(path).status == 404


def test_only_ids_of_the_folder_lead_to_files(client: Client, board: Board) -> None:
    secret = board.folder.store.folder / "secret"
    secret.mkdir()
    (secret / "query.webp").write_bytes(b"secret")
    for name in ("secret", "../secret", "independent-n02-00000/../secret"):
        assert client.ask(f"/image/{name}/x").status == 404


def test_everything_is_sent_with_a_strict_policy(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    for path in (*PAGE, "/state", f"/image/{item.id}/{board.digest(item)}", "/nowhere"):
        headers = client.ask(path).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_asks_for_nothing_from_elsewhere(client: Client) -> None:
    for path in PAGE:
        text = client.ask(path).text
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text


def test_a_browser_that_hangs_up_does_no_harm(
    client: Client, board: Board, capfd: pytest.CaptureFixture[str]
) -> None:
    port = client.screen.server_port
    for data in (b"", b"GET /queue HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00\x01\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(data)
    assert client.ask("/state").status == 200
    assert capfd.readouterr().err == ""


def test_many_requests_at_once(client: Client, board: Board) -> None:
    items = list(board.items.values())
    answers: list[int] = []

    def work(part: int) -> None:
        for item in items[part::4]:
            answers.append(client.ask(f"/image/{item.id}/{board.digest(item)}").status)
            answers.append(client.decide(item, part % 2 == 0).status)

    threads = [Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 40
    assert board.standing().undecided == 0


def test_reasons_fit_the_keys() -> None:
    assert len(REASONS) == 6
    assert all(slug.isidentifier() for slug in REASONS)


def test_a_decision_of_another_reviewer_appears(client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    version = client.ask("/state").json["version"]
    bob = screens.board(board.folder, "bob")
    bob.decide(item, bob.digest(item), True, "")
    runs.until(lambda: client.ask("/state").json["version"] > version)
    assert board.standing().undecided == 20
