"""Images that people send back: drawn again with another seed, and never in the dataset."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gen.saber.images.screening import SCREENING, Decision, decisions, rejected
from tests.support import saber
from tests.verify.test_saber import broken, seal

TINY = {**saber.IMAGES, "sizes": "2"}


def decision(image: dict[str, str], accepted: bool, reviewer: str = "ann") -> Decision:
    return Decision(
        id=image["file_name"].removesuffix(".webp"),
        sha256=image["sha256"],
        accepted=accepted,
        reviewer=reviewer,
        time="2026-01-01T00:00:00Z",
    )


def decide(folder: Path, *lines: Decision, ending: str = "") -> None:
    """Append decisions to their reviewers' files."""
    for one in lines:
        path = folder / SCREENING / f"{one.reviewer}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(f"{one.model_dump_json()}\n{ending}")


def images(folder: Path) -> list[dict[str, str]]:
    """The five images of the only question, as the ground truth has them."""
    return [
        image
        for config in ("queries", "corpus")
        for image in json.loads((folder / "truth" / f"{config}.json").read_text())["images"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "redrawn"), [("apart", 4), ("fixed", 5), ("jitter", 1)])
def test_a_rejected_image_is_drawn_again(layout: str, redrawn: int, tmp_path: Path) -> None:
    """With those that share its places: the other candidates, or all five."""
    out = tmp_path / "saber"
    first = saber.made(out, layout=layout, **TINY)
    before = images(out)
    decide(out, decision(before[1], False), decision(before[0], True))
    assert f"{redrawn} of 5 images to make" in saber.run(out, layout=layout, **TINY).out
    after = images(out)
    assert after[1]["sha256"] != before[1]["sha256"]
    changed = [one for one, other in zip(before, after, strict=True) if one != other]
    assert len(changed) == redrawn
    assert (out / "screening.jsonl").read_text().count("\n") == 2
    assert "nothing to do" in saber.run(out, layout=layout, **TINY).out
    assert saber.check(out).status == 0
    for path in (out / SCREENING).glob("*"):
        path.unlink()
    assert saber.made(out, layout=layout, **TINY) == first


@pytest.mark.slow
def test_the_proof_finds_a_rejected_image(tmp_path: Path) -> None:
    out = tmp_path / "saber"
    saber.made(out, **TINY)
    (out / "screening.jsonl").write_text(decision(images(out)[2], False).model_dump_json() + "\n")
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["files"]["screening.jsonl"] = {"sha256": "", "bytes": 0, "rows": 1}
    (out / "manifest.json").write_text(json.dumps(manifest))
    seal(out)
    assert broken(out) == {"image not rejected"}


ANY = st.builds(
    decision,
    st.fixed_dictionaries({"file_name": st.sampled_from("ab"), "sha256": st.sampled_from("xyz")}),
    st.booleans(),
    st.sampled_from(("ann", "bob")),
)


@given(st.lists(ANY))
def test_the_last_decision_of_each_reviewer_counts(lines: list[Decision]) -> None:
    with TemporaryDirectory() as name:
        out = Path(name)
        decide(out, *lines)
        found = decisions(out)
        last = {(one.id, one.sha256, one.reviewer): one for one in lines}
        assert sorted(found, key=str) == sorted(last.values(), key=str)
        against = {(one.id, one.sha256) for one in last.values() if not one.accepted}
        sent_back = rejected(found)
        assert {(row, digest) for row in sent_back for digest in sent_back[row]} == against


def test_a_line_cut_off_is_passed_over_and_a_wrong_one_named(tmp_path: Path) -> None:
    good = decision({"file_name": "a", "sha256": "x"}, True)
    decide(tmp_path, good, ending='{"id": "b", "sha')
    assert decisions(tmp_path) == [good]
    decide(tmp_path, good)
    with pytest.raises(ValueError, match=r"ann\.jsonl, line 2: not a decision"):
        decisions(tmp_path)
