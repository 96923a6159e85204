"""The contact sheets, with plain shapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from gen.render import __main__ as command
from gen.render import check, gallery
from gen.vocab.saber import load
from tests.support.render_shapes import box


def test_examples_show_every_attribute_in_several_looks() -> None:
    chosen = gallery.examples(load(), 3)
    assert {name for name, _ in chosen} == load().attributes.keys()
    assert len(set(chosen)) == len(chosen) > 80
    assert all(sum(name == other for other, _ in chosen) <= 3 for name, _ in chosen)


def test_a_sheet_has_a_page_a_picture_and_a_cell_for_each(tmp_path: Path) -> None:
    looks = [("red", "red"), ("striped", "blue and white striped")]
    cells = gallery.attributes(looks, 64, "scalar", box, ("cube", "post", "slab"))
    told: list[str] = []
    page = gallery.sheet(cells, tmp_path, "attributes", told.append)
    assert told == ["attributes 1: red", "attributes 2: blue and white striped"]
    text = page.read_text()
    for name in ("red", "blue-and-white-striped"):
        assert f'src="attributes/{name}.png"' in text
        with Image.open(tmp_path / "attributes" / f"{name}.png") as picture:
            assert picture.size == (64, 64)
    with Image.open(tmp_path / "attributes.png") as picture:
        assert picture.size == (64 * gallery.COLUMNS, 64 + gallery.LABEL)


def test_objects_are_shown_in_clay() -> None:
    (cell,) = gallery.objects(["cube"], 64, "scalar", box)
    assert cell.name == "cube"
    middle = cell.image[24:40, 24:40].astype(int)
    assert abs(middle - middle.mean(-1, keepdims=True)).max() < 14


def test_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to show in the sheet 'objects'"):
        gallery.sheet([], tmp_path, "objects", print)


def test_a_name_that_is_not_in_the_vocabulary_ends_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        command.main(["--only", "unicorn"])
    assert "--only names 'unicorn', which is not in the vocabulary" in capsys.readouterr().err


def test_the_command_checks_looks_and_fails_where_one_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--check", "--only", "red", "--size", "64", "--variant", "scalar"]
    assert command.main(asked) == 0
    assert capsys.readouterr().out.startswith("ok   red")
    monkeypatch.setattr(check, "BLEED_MEAN", 0.0)
    assert command.main(asked) == 1
    out = capsys.readouterr().out
    assert out.startswith("FAIL red")
    assert out.endswith("1 looks fail\n")
