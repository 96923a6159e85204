"""Blind reading: the sheet gives nothing away, verdicts are scored right, bad ones are refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import gen.audit.__main__ as command
from gen.audit.config import AuditConfig
from gen.audit.data import Data, Pair, load
from gen.audit.parts import PARTS
from gen.audit.reading import score, sheet
from gen.audit.reading.sheet import HUMAN, OURS, Entry
from gen.audit.result import Result
from schemas.audit import OVERALL, Audit, Finding
from tests.support import audit, runs

PEOPLE = """\
A man in a yellow jacket waits for the tram
two kids share a bowl of noodles at a low table.
The cat has found the only sunny spot on the stairs.
A “welcome” mat lies  upside down in front of a green door
An old bicycle leans on the fence behind the school
Somebody left three umbrellas in the hallway .
a girl pours milk for a grey kitten
Two dogs chase a ball across the wet sand.
A waiter balances four plates on one arm
Snow covers the picnic tables in the park.
A blue van is parked between two orange cones
The bakery window is full of small round loaves
"""
SOAPY = "The soapy rooster stood by the tie-dyed gyroscope in the hall."
"""A row that every reader has to wince at."""


@pytest.fixture
def data(tmp_path: Path) -> Data:
    """Sound pairs of two constructions, and five planted rows."""
    made = list(audit.pairs(40).pairs)
    for number in range(5):
        planted = SOAPY.replace("in the hall", f"in hall {number}")
        made.append(Pair(planted, "No.", None, f"planted-{number}", "second", "object"))
    return load(audit.write(tmp_path / "made.jsonl", audit.data(made)))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.txt"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def config(data: Data, people: Path, tmp_path: Path) -> AuditConfig:
    return AuditConfig(folder=data.path, out=tmp_path / "out", reading=12, against=people)


def texts(config: AuditConfig) -> dict[int, str]:
    lines = (sheet.folder(config) / "sheet.txt").read_text().splitlines()
    return {int(number): text for number, text in (line.split("\t") for line in lines)}


def key(config: AuditConfig) -> dict[int, Entry]:
    lines = (sheet.folder(config) / "key.jsonl").read_text().splitlines()
    shown = texts(config)
    rows = [json.loads(line) for line in lines]
    return {row["number"]: Entry(**row, text=shown[row["number"]]) for row in rows}


# --- the sheet --------------------------------------------------------------------------


def test_as_many_human_captions_as_ours_evenly_over_constructions(
    data: Data, config: AuditConfig
) -> None:
    sheet.write(data, config)
    found = Counter((entry.source, entry.construction) for entry in key(config).values())
    assert found == {(OURS, "first"): 6, (OURS, "second"): 6, (HUMAN, ""): 12}
    positives = {pair.example: pair.positive for pair in data.pairs}
    lines = PEOPLE.splitlines()
    for entry in key(config).values():
        if entry.source == OURS:
            assert entry.text == positives[entry.id]
        else:
            first = re.findall(r"\w+", lines[int(entry.id) - 1])
            assert re.findall(r"\w+", entry.text.lower()) == [word.lower() for word in first]


def test_the_sheet_tells_nothing_of_the_source(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    shown, known = texts(config), key(config)
    assert list(shown) == list(range(1, 25))
    for text in shown.values():
        assert re.fullmatch(r"[A-Z][^“”\t]*[.!?]", text), text
        assert not re.search(r"\s\s|\s\.", text), text
    raw = (sheet.folder(config) / "sheet.txt").read_text()
    for hidden in (OURS, HUMAN, "first", "second", "planted-"):
        assert not re.search(rf"\b{hidden}", raw)
    ranks = [number for number, entry in known.items() if entry.source == OURS]
    assert 12 * 6 < sum(ranks) < 12 * 19, "neither side comes first"
    changes = [known[n].source != known[n + 1].source for n in range(1, 24)]
    assert sum(changes) > 5, "the two are mixed"


def test_what_is_canonical_already_is_shown_as_it_is(
    baseline: Path, people: Path, tmp_path: Path
) -> None:
    config = AuditConfig(folder=baseline, out=tmp_path / "out", reading=12, against=people)
    data = load(baseline)
    sheet.write(data, config)
    ours = {entry.id: entry.text for entry in key(config).values() if entry.source == OURS}
    assert len(ours) == 12
    assert ours.items() <= {(pair.example, pair.positive) for pair in data.pairs}
    used = Counter(entry.construction for entry in key(config).values() if entry.construction)
    assert max(used.values()) - min(used.values()) <= 1


def test_a_seed_has_one_sheet(data: Data, config: AuditConfig, tmp_path: Path) -> None:
    other = config.model_copy(update={"out": tmp_path / "other"})
    drawn = [sheet.write(data, one).read_bytes() for one in (config, other)]
    assert drawn[0] == drawn[1]
    next_ = config.model_copy(update={"seed": 1})
    assert sheet.write(data, next_).read_bytes() != drawn[0]
    assert key(next_) != key(config)


def test_a_sheet_is_read_once(data: Data, people: Path, tmp_path: Path) -> None:
    flags = (data.path, "--out", tmp_path / "out", "--reading", 12, "--against", people)
    done = runs.cli(command.main, *flags)
    path = tmp_path / "out" / "reading" / "seed-0" / "sheet.txt"
    assert (done.status, str(path) in done.out) == (0, True)
    assert "opens nothing but the\nsheet" in (path.parent / "rubric.md").read_text()
    before = path.read_bytes()
    again = runs.cli(command.main, *flags)
    assert (again.status, path.read_bytes()) == (2, before)
    assert "is there already, and a sheet is read once; draw another one with --seed 1" in (
        again.error
    )
    assert runs.cli(command.main, *flags, "--seed", 1).status == 0
    assert path.read_bytes() == before


def test_what_makes_no_sheet_is_refused_in_one_line(
    data: Data, people: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for flags, message in (
        (("--reading", 12), "--reading needs --against FILE"),
        (("--reading", 13, "--against", people), "people.txt has 12 captions; ask fewer"),
        (("--reading", 99, "--against", people), "made.jsonl has 45 captions; ask fewer"),
        (("--reading", 12, "--against", people, "--score-reading", "x"), "leave it out to score"),
    ):
        done = runs.cli(command.main, data.path, "--out", out, *flags)
        assert (done.status, message in done.error) == (2, True), done.err
        assert not out.exists()


# --- verdicts ---------------------------------------------------------------------------


def strict(entry: Entry) -> str:
    """A reader who finds the planted rows, and nothing wrong with the others."""
    return "WINCE\tN\tno rooster is soapy" if "soapy" in entry.text else "OK"


def lenient(entry: Entry) -> str:
    """One who finds human captions odd, and half of the planted rows."""
    if entry.source == HUMAN:
        return "STILTED"
    return "WINCE\tH" if "soapy" in entry.text and entry.number % 2 else "OK"


def judged(config: AuditConfig, name: str, reader: Callable[[Entry], str]) -> Path:
    path = config.results.parent / f"{name}.tsv"
    rows = (f"{number}\t{reader(entry)}\n" for number, entry in key(config).items())
    path.write_text("".join(rows))
    return path


def scored(data: Data, config: AuditConfig, *paths: Path) -> Result:
    given = {"reading": None, "score_reading": ",".join(map(str, paths))}
    return score.check(data, config.model_copy(update=given))


def one(result: Result, check: str, group: str) -> Finding:
    [found] = [f for f in result.findings if (f.check, f.group) == (check, group)]
    return found


def test_planted_rows_are_found_and_counted(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    planted = {entry.id: entry for entry in key(config).values() if "soapy" in entry.text}
    assert planted, "the draw has some"
    result = scored(data, config, judged(config, "strict", strict))
    share = len(planted) / 12
    wince = one(result, "reading_wince", "source=ours")
    assert (wince.value, wince.n) == (share, 12)
    assert one(result, "reading_ok", "source=ours").value == pytest.approx(1 - share)
    assert one(result, "reading_ok", "source=human").value == 1
    assert one(result, "reading_wince", "construction=first").value == 0
    assert one(result, "reading_wince", "construction=second").value == len(planted) / 6
    excess = one(result, "reading_wince_excess", OVERALL)
    assert excess.value == share
    assert excess.low is not None
    assert excess.high is not None
    assert -0.3 < excess.low < share < excess.high < 0.8
    assert one(result, "reading_winces", "source=ours, code=N").value == len(planted)
    assert one(result, "reading_winces", "source=ours, code=G").value == 0
    assert {(row.id, row.text) for row in result.flagged} == {
        (entry.id, entry.text) for entry in planted.values()
    }
    assert {row.why for row in result.flagged} == {"strict: nonsense: no rooster is soapy"}
    assert not [f for f in result.findings if f.bound is not None or "reader" in f.group]


def test_each_reader_and_their_agreement(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    paths = [judged(config, reader.__name__, reader) for reader in (strict, lenient)]
    result = scored(data, config, *paths)
    assert one(result, "reading_ok", "reader=strict, source=human").value == 1
    assert one(result, "reading_ok", "reader=lenient, source=human").value == 0
    assert one(result, "reading_ok", "source=human").value == 0.5
    assert one(result, "reading_ok", "source=human").n == 24
    known = key(config).values()
    same = sum(strict(entry)[:5] == lenient(entry)[:5] for entry in known)
    agreement = one(result, "reading_agreement", "readers=strict and lenient")
    assert agreement.value == pytest.approx(same / 24)
    kappa = one(result, "reading_kappa", "readers=strict and lenient")
    assert kappa.value < agreement.value


def test_readers_who_say_the_same_agree(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    result = scored(data, config, *[judged(config, name, strict) for name in ("a", "b")])
    assert one(result, "reading_kappa", "readers=a and b").value == pytest.approx(1)
    assert one(result, "reading_agreement", "readers=a and b").value == 1


FAULTS: dict[str, tuple[Callable[[list[str]], object], str]] = {
    "a number too many": (lambda rows: rows.append("25\tOK"), "line 25: '25' is no number of"),
    "no number": (lambda rows: rows.insert(0, "text\tOK"), "line 1: 'text' is no number of"),
    "a number twice": (lambda rows: rows.append(rows[2]), "line 25: 3 has a verdict already"),
    "a number left out": (
        lambda rows: rows.pop(4),
        "no verdict for 1 of 24 captions (the first: 5)",
    ),
    "an unknown verdict": (
        lambda rows: rows.__setitem__(0, "1\tFINE"),
        "line 1: 'FINE' is no verdict; write OK, STILTED, WINCE",
    ),
    "no verdict": (lambda rows: rows.__setitem__(0, "1"), "line 1: '' is no verdict"),
    "an unknown code": (
        lambda rows: rows.__setitem__(0, "1\tWINCE\tX"),
        "line 1: 'X' is no code; write G grammar, N nonsense, H too heavy, O other",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_line_is_named(name: str, data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    path = judged(config, "reader", lambda entry: "OK")
    rows = path.read_text().splitlines()
    damage, message = FAULTS[name]
    damage(rows)
    path.write_text("\n".join(rows))
    with pytest.raises(ValueError, match=re.escape(message)):
        scored(data, config, path)


def test_codes_and_notes_may_be_left_out(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    forms = ("WINCE", "WINCE\todd rooster", "WINCE\tG", "WINCE\tG\todd rooster", "WINCE\t\todd")
    path = judged(config, "reader", lambda entry: forms[entry.number % 5])
    result = scored(data, config, path)
    assert {row.why for row in result.flagged} == {
        "reader: none given",
        "reader: none given: odd rooster",
        "reader: grammar",
        "reader: grammar: odd rooster",
        "reader: none given: odd",
    }


def test_a_sheet_of_other_data_or_none_is_not_scored(data: Data, config: AuditConfig) -> None:
    sheet.write(data, config)
    path = judged(config, "reader", lambda entry: "OK")
    changed = audit.data(pair._replace(positive=f"Later: {pair.positive}") for pair in data.pairs)
    with pytest.raises(ValueError, match="the data have changed since the sheet was drawn"):
        scored(changed, config, path)
    with pytest.raises(ValueError, match="is not there; name the --seed and --out"):
        scored(data, config.model_copy(update={"seed": 7}), path)
    twice = path.parent / "again" / "reader.tsv"
    with pytest.raises(ValueError, match="two readers are called 'reader'; rename one"):
        scored(data, config, path, twice)


# --- in the audit -----------------------------------------------------------------------


def test_figures_stand_in_the_audit_and_the_sheet_stays(
    data: Data, config: AuditConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet.write(data, config)
    before = sorted(path.read_bytes() for path in sheet.folder(config).iterdir())
    path = judged(config, "strict", strict)
    [reading] = (part for part in PARTS if part.name == "reading")
    monkeypatch.setattr("gen.audit.session.PARTS", (reading,))
    for _ in range(2):
        done = runs.cli(command.main, data.path, "--out", config.results, "--score-reading", path)
        assert (done.status, done.err) == (0, "")
        assert sorted(path.read_bytes() for path in sheet.folder(config).iterdir()) == before
    found = Audit.model_validate_json((config.results / "audit.json").read_bytes())
    assert found.settings["score_reading"] == ["strict.tsv"]
    assert "reading_wince_excess" in {finding.check for finding in found.findings}
    text = (config.results / "audit.md").read_text()
    assert "| reading_wince_excess | all |" in text
    assert "| reading_wince | source=human | 0" in text
    lines = (config.results / "sightings.jsonl").read_text().splitlines()
    assert {json.loads(line)["check"] for line in lines} == {"reading_wince"}
