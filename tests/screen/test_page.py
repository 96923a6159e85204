"""The screening page in a real Chromium, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from gen.saber.images.screening import decisions
from gen.screen.board import Board
from tests.support import runs, screens
from tests.support.browser import Tab, find
from tests.support.screens import Client, Painter

PROGRAM = find()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PROGRAM is None,
        reason="no Chromium here: apt-get install chromium-headless-shell, or name one in CHROMIUM",
    ),
]

PAUSE = "new Promise((done) => setTimeout(done, 800))"
"""An image that came by itself can't be decided on at once."""


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    assert PROGRAM
    with Tab(PROGRAM) as found:
        yield found


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return screens.board(screens.painted(tmp_path / "saber"))


@pytest.fixture
def client(board: Board) -> Iterator[Client]:
    with screens.serving(board) as found:
        yield found


def opened(tab: Tab, client: Client) -> None:
    """Open the page and wait until an image can be decided on."""
    tab.resize(1280, 800)
    tab.open(client.screen.url)
    tab.wait("document.querySelector('#picture img') !== null")
    tab.run(PAUSE)


def shown(tab: Tab) -> str:
    """The id of the image in view."""
    found: str = tab.run("document.getElementById('kind').textContent.split(' ')[0]")
    return found


def text(tab: Tab, name: str) -> str:
    found: str = tab.run(f"document.getElementById('{name}').textContent")
    return found


def saved(tab: Tab, board: Board, count: int) -> dict[str, object]:
    """What was decided, once there are so many decisions."""
    runs.until(lambda: len(decisions(board.folder.path)) == count, 20)
    return {one.id: one.reason or one.accepted for one in decisions(board.folder.path)}


def test_images_are_decided_by_key(tab: Tab, client: Client, board: Board) -> None:
    """Accept, reject with and without a reason, cancel."""
    opened(tab, client)
    ids = list(board.items)
    first = board.items[ids[0]]
    assert shown(tab) == ids[0]
    assert text(tab, "caption") == first.caption
    pairs = tab.run("[...document.querySelectorAll('#pairs li')].map((one) => one.textContent)")
    looks = first.question.looks
    assert pairs == [f"{looks[attribute]} {noun}" for attribute, noun in first.shown]
    for number, keys in enumerate(("a", "r4", "k", "j")):
        assert shown(tab) == ids[number]
        tab.press(*keys)
        if keys == "k":
            assert not tab.run("document.getElementById('reasons').hidden")
            tab.press("Enter")
        tab.wait(f"document.getElementById('kind').textContent.startsWith('{ids[number + 1]} ')")
    tab.press("r", "Escape")
    assert tab.run("document.getElementById('reasons').hidden")
    assert saved(tab, board, 4) == dict(zip(ids, [True, "bleeding", False, True], strict=False))
    tab.wait("document.getElementById('figures').textContent.includes('4 of 20 decided')")
    assert "2 rejected" in text(tab, "figures")
    assert "a minute" in text(tab, "figures")


def test_undo_goes_back_to_the_image(tab: Tab, client: Client, board: Board) -> None:
    opened(tab, client)
    ids = list(board.items)
    tab.press("a", "a")
    saved(tab, board, 2)
    tab.press("u")
    tab.wait(f"document.getElementById('kind').textContent.startsWith('{ids[1]} ')")
    assert saved(tab, board, 1) == {ids[0]: True}
    tab.press("ArrowLeft", "r", "1")
    runs.until(lambda: saved(tab, board, 1) == {ids[0]: "wrong_attribute"})
    tab.press("u")
    runs.until(lambda: saved(tab, board, 1) == {ids[0]: True})


def test_a_held_key_decides_once(tab: Tab, client: Client, board: Board) -> None:
    opened(tab, client)
    for _ in range(5):
        tab.send("Input.dispatchKeyEvent", type="keyDown", key="a", text="a", autoRepeat=_ > 0)
    tab.send("Input.dispatchKeyEvent", type="keyUp", key="a")
    tab.run(PAUSE)
    saved(tab, board, 1)
    tab.run("document.querySelector('[data-act=accept]').focus()")
    for _ in range(5):
        event = {"key": "Enter", "text": "\r", "windowsVirtualKeyCode": 13}
        tab.send("Input.dispatchKeyEvent", type="keyDown", autoRepeat=_ > 0, **event)
    tab.send("Input.dispatchKeyEvent", type="keyUp", key="Enter")
    tab.run(PAUSE)
    saved(tab, board, 2)


def test_a_decision_that_is_not_saved_comes_back(tab: Tab, board: Board) -> None:
    """At once, and again after the others, like any image that is undecided."""
    folder = board.folder
    two = screens.board(folder, count=2)
    first, second = two.items
    with screens.serving(two) as client:
        opened(tab, client)
        (folder.path / ".run" / "screening").write_text("in the way")
        tab.press("a")
        tab.wait("!document.getElementById('alarm').hidden")
        assert "not saved" in text(tab, "alarm")
        tab.wait(f"document.getElementById('kind').textContent.startsWith('{first} ')")
        (folder.path / ".run" / "screening").unlink()
        tab.run(PAUSE)
        tab.press("ArrowRight", "a")
        assert saved(tab, two, 1) == {second: True}
        tab.wait("document.getElementById('alarm').hidden")
        tab.wait(f"document.getElementById('kind').textContent.startsWith('{first} ')")
        tab.press("a")
        assert saved(tab, two, 2) == {first: True, second: True}


def test_another_view_is_shown_after_the_own(tab: Tab, client: Client, board: Board) -> None:
    item = next(iter(board.items.values()))
    bob = screens.board(board.folder, "bob")
    bob.decide(item, bob.digest(item), False, "wrong_object")
    board.refresh()
    opened(tab, client)
    assert "bob" not in tab.run("document.body.textContent")
    tab.press("a")
    tab.wait("document.getElementById('notice').textContent.includes('bob rejected')")
    tab.press("ArrowLeft")
    tab.wait("!document.getElementById('views').hidden")
    assert text(tab, "views") == "you: acceptedbob: rejected (wrong object)"


def test_a_rejected_image_is_drawn_again_and_shown_anew(tab: Tab, board: Board) -> None:
    """Its question's other images are others then, too: what was decided on them is void."""
    ids = list(board.items)
    source = Painter("fixed", Event(), Event())
    assert source.go
    with screens.serving(board, source=source) as client:
        opened(tab, client)
        tab.press("a", "g", "2")
        saved(tab, board, 2)
        tab.wait("document.getElementById('figures').textContent.includes('drawing again: 1')")
        assert shown(tab) == ids[2]
        before = tab.run("document.querySelector('#picture img').src")
        source.go.set()
        tab.wait("document.getElementById('notice').textContent.includes('this is the new image')")
        tab.wait(f"document.querySelector('#picture img').src !== '{before}'")
        assert shown(tab) == ids[2]
        tab.run(PAUSE)
        for number in range(18):
            tab.press("a")
            saved(tab, board, 3 + number)
        tab.wait(f"document.getElementById('kind').textContent.startsWith('{ids[0]} ')")
        tab.press("a", "a")
        tab.wait("document.getElementById('picture').textContent.includes('Nothing left')")
        runs.until(lambda: board.standing()[1:] == (20, 20, 0))


def test_new_images_appear(tab: Tab, tmp_path: Path) -> None:
    folder = screens.empty(tmp_path / "saber")
    board = screens.board(folder)
    with screens.serving(board) as client:
        tab.open(client.screen.url)
        tab.wait("document.getElementById('picture').textContent.includes('No image here')")
        screens.paint(folder.store, folder.questions[0], 0)
        tab.wait("document.querySelector('#picture img') !== null")


def test_outlines_are_drawn_over_the_image(tab: Tab, client: Client) -> None:
    opened(tab, client)
    tab.press("t")
    tab.wait("!document.getElementById('outlines').hidden")
    dots = """(() => {
        const canvas = document.getElementById("outlines");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        const at = (x, y) => data[(2 * y * canvas.width + 2 * x) * 4 + 3];
        return [at(15, 30), at(30, 48), at(48, 30), at(30, 30), at(5, 60)];
    })()"""
    assert [alpha > 0 for alpha in tab.run(dots)] == [True, True, True, False, False]
    tab.press("t")
    assert tab.run("document.getElementById('outlines').hidden")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (320, 600)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(
    tab: Tab, client: Client, width: int, height: int, scheme: str
) -> None:
    """Nothing runs out at the side, buttons are in view, and text has a contrast of 4.5 (WCAG)."""
    opened(tab, client)
    tab.resize(width, height, scheme=scheme, touch=width < 500)
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")
    for key in ("", "r"):
        tab.press(*key)
        low = """[...document.querySelectorAll("button")].filter((one) => one.checkVisibility())
            .filter((one) => { const box = one.getBoundingClientRect();
                return box.bottom > innerHeight || box.right > innerWidth || box.height < 40; })
            .map((one) => one.textContent)"""
        assert tab.run(low) == []
        contrast = """(() => {
            const parts = (color) => color.match(/[\\d.]+/g).map(Number);
            const light = (color) => parts(color).slice(0, 3).map((part) => part / 255)
                .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
                .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
            const ground = (one) => {
                const color = getComputedStyle(one).backgroundColor;
                return parts(color)[3] === 0 ? ground(one.parentElement) : color;
            };
            return [...document.querySelectorAll("p, li, button, legend, h1")]
                .filter((one) => one.checkVisibility() && one.textContent.trim())
                .map((one) => {
                    const pair = [light(getComputedStyle(one).color), light(ground(one))];
                    const [dark, bright] = pair.sort((one, other) => one - other);
                    return [(bright + 0.05) / (dark + 0.05), one.textContent];
                })
                .filter(([ratio]) => ratio < 4.5);
        })()"""
        assert tab.run(contrast) == []
    tab.press("Escape")


def test_everything_has_a_name_for_a_screen_reader(tab: Tab, client: Client) -> None:
    opened(tab, client)
    nodes = tab.send("Accessibility.getFullAXTree")["nodes"]
    named = {
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"]
    }
    roles = {role: {name for other, name in named if other == role} for role, _ in named}
    assert all(all(roles[role]) for role in ("button", "image", "progressbar"))
    assert any(name.startswith("Accept") for name in roles["button"])
    assert {"alert", "status"} & roles.keys()


def test_the_browser_has_nothing_to_complain_about(tab: Tab, client: Client) -> None:
    """No error of a script, nothing refused by the content policy; the token is out of sight."""
    before = len(tab.complaints)
    opened(tab, client)
    tab.press("a", "t", "r", "6", "ArrowLeft", "u")
    tab.run(PAUSE)
    assert tab.complaints[before:] == []
    assert tab.run("location.href") == f"http://127.0.0.1:{client.screen.server_port}/"
    assert tab.run("document.cookie") == ""
