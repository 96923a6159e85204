"""The grammar writer, over 3,000 first drafts of the default mix with the package's own data."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random

import pytest

from gen.audit.variety.measures import masked
from gen.base.text.words import words
from gen.triplets.accept import Guidance
from gen.triplets.constructions import BY_NAME
from gen.triplets.constructions.base import ABOVE, BELOW
from gen.triplets.context import PLAIN, contexts, lines
from gen.triplets.grammar.writer import FOLDER, GrammarWriter, punctuate
from gen.triplets.plan import DEFAULT_MIX, Plan
from schemas.triplets import Draft, Rejected
from tests.support import ROOT
from tests.support.written import SIZE, Sample, Written, drafts_digest, plans

CONTEXTS = contexts()
SYMBOLS = {
    name: lines(text) for name, text in tomllib.loads((FOLDER / "symbols.toml").read_text()).items()
}


def failing(sample: Sample, rule: Callable[[Written], bool]) -> list[str]:
    """The captions that break a rule, each with what was planned."""
    return [f"{row.example.positive}  <- {row.plan}" for row in sample.good if not rule(row)]


def says(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in a text one after the other (`a` as `an`)."""
    return f" {flat(phrase)} " in f" {flat(text)} "


def flat(text: str) -> str:
    return " ".join("a" if word == "an" else word for word in words(text))


def starts(text: str, phrases: Iterable[str]) -> bool:
    return any(flat(text).startswith(flat(phrase) + " ") for phrase in phrases)


def pieces(plan: Plan, name: str) -> tuple[str, ...]:
    """Phrases of the plan's register; the plain one has none."""
    return () if plan.register == PLAIN else CONTEXTS.registers[plan.register].pieces[name]


def body(row: Written) -> str:
    """The caption without the lead-in that may stand before it."""
    text = row.example.positive
    for lead in sorted(pieces(row.plan, "lead"), key=len, reverse=True):
        if text.startswith(lead):
            return text[len(lead) :].strip()
    return text


def time_phrases(plan: Plan) -> tuple[str, ...]:
    return CONTEXTS.times[plan.time].pieces["phrases"] if plan.time else ()


def weather_phrases(plan: Plan) -> tuple[str, ...]:
    """Of the scene's own list: under a roof the weather is heard and seen, not felt."""
    place = "indoors" if CONTEXTS.scenes[plan.scene].roof else "outdoors"
    return CONTEXTS.weathers[plan.weather].pieces[place] if plan.weather else ()


# --- drafts pass ------------------------------------------------------------------------


def test_99_of_100_first_drafts_pass_every_check(written: Sample) -> None:
    assert len(written.good) >= 0.99 * SIZE, written.reasons.most_common()


def test_no_draft_that_is_written_fails_a_check(written: Sample) -> None:
    """The writer may find no words or no shape for a plan; what it writes is right."""
    empty = ("no_words", "no_derivation")
    assert not {why: n for why, n in written.reasons.items() if not why.endswith(empty)}


@pytest.mark.parametrize("name", list(BY_NAME))
def test_every_construction_and_window_can_be_written(written: Sample, name: str) -> None:
    own = [row for row in written.good if row.plan.slot.construction == name]
    planned = [plan for plan in plans() if plan.slot.construction == name]
    assert len(own) >= 0.97 * len(planned)
    for window in BY_NAME[name].windows:
        asked = sum(1 for plan in planned if plan.window == window)
        assert sum(1 for row in own if row.plan.window == window) >= 0.93 * asked, window


# --- the plan shows ---------------------------------------------------------------------


def test_nine_of_ten_lengths_are_within_the_band_and_all_within_the_tolerance(
    written: Sample,
) -> None:
    outside = 0
    for row in written.good:
        count, (low, high) = len(words(row.example.positive)), row.plan.band
        assert low - BELOW <= count <= high + ABOVE, row.example.positive
        outside += not low <= count <= high
    share = outside / len(written.good)
    assert share < 0.10, f"{share:.1%} of the captions use the tolerance"


@pytest.mark.parametrize("band", [(16, 22), (19, 25), (23, 30), (27, 34), (31, 42), (35, 46)])
def test_lengths_spread_over_the_band(written: Sample, band: tuple[int, int]) -> None:
    """No length stands out: not all captions are as long as their band allows."""
    own = Counter(row.example.words for row in written.good if row.plan.band == band)
    assert max(own.values()) <= own.total() / 3, sorted(own.items())


def test_the_distance_is_within_the_window(written: Sample) -> None:
    def rule(row: Written) -> bool:
        low, high = row.plan.window
        return low <= row.example.distance <= high

    assert not failing(written, rule)


def test_distances_spread_over_the_window(written: Sample) -> None:
    for window, last in (((0, 2), 2), ((3, 6), 6), ((7, 13), 13), ((14, 26), 18)):
        own = {row.example.distance for row in written.good if row.plan.window == window}
        assert own >= set(range(window[0], last + 1)), window


def test_the_scene_is_there_once(written: Sample) -> None:
    assert not failing(
        written,
        lambda row: f" {flat(row.example.positive)} ".count(f" {flat(row.plan.scene)} ") == 1,
    )


def test_the_time_is_there(written: Sample) -> None:
    def rule(row: Written) -> bool:
        phrases = time_phrases(row.plan)
        return not phrases or any(says(row.example.positive, phrase) for phrase in phrases)

    assert sum(1 for row in written.good if row.plan.time) > 400
    assert not failing(written, rule)


def test_the_weather_is_there(written: Sample) -> None:
    def rule(row: Written) -> bool:
        phrases = weather_phrases(row.plan)
        return not phrases or any(says(row.example.positive, phrase) for phrase in phrases)

    assert sum(1 for row in written.good if row.plan.weather) > 400
    assert not failing(written, rule)


BARE = frozenset("source question remark imperative display inventory".split())
"""Openers after which no lead-in or aside follows: one thought a caption."""


SHOWING = frozenset(
    name
    for name, spec in tomllib.loads((FOLDER / "frames.toml").read_text())["openers"].items()
    if spec["wrappers"] == "any"
)
"""Openers that a lead-in may stand before."""


def marks(row: Written) -> Counter[str]:
    """How often a caption shows its register, by the way in which it does."""
    text = row.example.positive
    return Counter(
        lead=text.startswith(pieces(row.plan, "lead")),
        shows=text.startswith(pieces(row.plan, "shows")),
        aside=sum(text.count(f", {aside}") for aside in longest(pieces(row.plan, "aside"), text)),
    )


def longest(phrases: Iterable[str], text: str) -> list[str]:
    """Those of the phrases in a text that are no part of another one there."""
    found = [phrase for phrase in phrases if f", {phrase}" in text]
    return [one for one in found if not any(one != other and one in other for other in found)]


def test_a_register_shows_once_at_most(written: Sample) -> None:
    """Never a lead-in and an aside, nor either of them after a report."""
    assert not failing(written, lambda row: marks(row).total() <= 1)


def test_nothing_shows_the_register_of_a_plain_caption_or_after_a_report(written: Sample) -> None:
    for row in written.good:
        shown = marks(row)
        if row.plan.register == PLAIN or row.plan.opener in BARE - {"display"}:
            assert not shown.total(), row.example.positive
        elif row.plan.opener == "display":
            assert shown["shows"], row.example.positive


def test_every_way_to_show_the_register_is_common(written: Sample) -> None:
    own = [row for row in written.good if row.plan.opener in SHOWING]
    led = [row for row in own if row.plan.register != PLAIN]
    assert sum(marks(row)["lead"] + marks(row)["aside"] for row in led) >= 0.4 * len(led)
    all_led = [row for row in written.good if row.plan.register != PLAIN]
    ways: Counter[str] = sum((marks(row) for row in all_led), Counter())
    assert all(ways[way] >= 0.04 * len(all_led) for way in ("lead", "shows", "aside")), ways


def test_a_plain_caption_is_what_a_person_writes_under_a_picture(written: Sample) -> None:
    """One or two sentences in the present, no colon, no report, no list."""
    own = [row for row in written.good if row.plan.register == PLAIN]
    assert 0.35 <= len(own) / len(written.good) <= 0.45
    openers = {name for name, opener in CONTEXTS.openers.items() if opener.plain}
    for row in own:
        text = row.example.positive
        assert row.plan.opener in openers
        assert ":" not in text
        assert "?" not in text
        assert THEN.isdisjoint(words(text)), text
    sizes = sorted(row.example.words for row in own)
    assert sizes[len(sizes) // 2] <= 18
    assert sum(NOW.isdisjoint(words(row.example.positive)) for row in own) >= 0.05 * len(own)


def test_distractors_are_there_and_as_many_as_asked(written: Sample) -> None:
    def rule(row: Written) -> bool:
        pairs = row.draft.distractors
        text = f" {flat(row.example.positive)} "
        return len(pairs) == row.plan.distractors and all(
            text.count(f" a {flat(pair.attribute)} {flat(pair.object)} ") == 1 for pair in pairs
        )

    assert sum(1 for row in written.good if row.plan.distractors) > 100
    assert not failing(written, rule)


def test_distractor_words_stand_nowhere_else(written: Sample) -> None:
    for row in written.good:
        tokens = words(row.example.positive)
        for pair in row.draft.distractors:
            assert tokens.count(pair.object) == tokens.count(pair.attribute) == 1


# --- how it begins ----------------------------------------------------------------------


def of_opener(sample: Sample, opener: str) -> list[Written]:
    own = [row for row in sample.good if row.plan.opener == opener]
    assert len(own) > SIZE / 50
    return own


def first_noun_phrase(row: Written) -> str:
    """What stands before the first core word, in small letters."""
    core = {*row.draft.objects, *sum(row.draft.attributes, ())}
    tokens = words(body(row))
    return " ".join(tokens[: next(place for place, word in enumerate(tokens) if word in core)])


def test_place_begins_with_the_scene(written: Sample) -> None:
    for row in of_opener(written, "place"):
        assert starts(body(row), [row.plan.scene]), row.example.positive


def test_inversion_has_the_scene_and_then_the_verb(written: Sample) -> None:
    for row in of_opener(written, "inversion"):
        text = body(row)
        assert starts(text, [row.plan.scene]), text
        assert text[len(row.plan.scene)] == " ", text


def test_time_begins_with_the_time(written: Sample) -> None:
    for row in of_opener(written, "time"):
        assert starts(body(row), time_phrases(row.plan)), row.example.positive


def test_weather_begins_with_the_weather(written: Sample) -> None:
    for row in of_opener(written, "weather"):
        assert starts(body(row), weather_phrases(row.plan)), row.example.positive


def test_subject_begins_with_the_first_object(written: Sample) -> None:
    for row in of_opener(written, "subject"):
        people = CONTEXTS.settings[row.plan.setting].pieces["people"]
        before = first_noun_phrase(row)
        assert before in ("a", "an", "the") or before in {
            f"{person}'s".casefold() for person in people
        }, row.example.positive


def test_person_begins_with_somebody_of_the_place(written: Sample) -> None:
    for row in of_opener(written, "person"):
        pieces = CONTEXTS.settings[row.plan.setting].pieces
        assert starts(body(row), (*pieces["people"], *pieces["groups"])), row.example.positive


def test_existential_begins_with_there(written: Sample) -> None:
    for row in of_opener(written, "existential"):
        assert body(row).casefold().startswith("there "), row.example.positive


def test_display_begins_with_the_registers_own_words(written: Sample) -> None:
    for row in of_opener(written, "display"):
        assert row.example.positive.startswith(pieces(row.plan, "shows")), row.example.positive


def test_question_begins_with_a_short_question(written: Sample) -> None:
    for row in of_opener(written, "question"):
        question, mark, _ = body(row).partition("?")
        assert mark, row.example.positive
        assert len(words(question)) <= 16, row.example.positive
        assert "." not in question, row.example.positive


def test_remark_begins_with_a_sentence_without_objects(written: Sample) -> None:
    for row in of_opener(written, "remark"):
        sentence = re.split(r"[.?!] ", body(row))[0]
        assert set(row.draft.objects).isdisjoint(words(sentence)), row.example.positive


def test_inventory_announces_and_then_lists(written: Sample) -> None:
    for row in of_opener(written, "inventory"):
        announcement, colon, listing = body(row).partition(":")
        assert colon, row.example.positive
        assert set(row.draft.objects).isdisjoint(words(announcement)), row.example.positive
        assert set(row.draft.objects) <= set(words(listing)), row.example.positive


@pytest.mark.parametrize(
    ("opener", "symbol"),
    [
        ("adverb", "sadv"),
        ("concession", "concession"),
        ("circumstance", "front"),
        ("source", "source"),
        ("question", "question"),
        ("remark", "remark"),
        ("imperative", "look"),
        ("inventory", "inventory"),
    ],
)
def test_an_opener_begins_with_a_phrase_of_its_list(
    written: Sample, opener: str, symbol: str
) -> None:
    pattern = re.compile(opening(symbol), re.IGNORECASE)
    for row in of_opener(written, opener):
        assert pattern.match(body(row)), row.example.positive


@pytest.mark.parametrize(
    "opener",
    ["adverb", "concession", "circumstance", "source", "question", "imperative", "inventory"],
)
def test_an_opener_has_no_favourite_phrase(written: Sample, opener: str) -> None:
    begins = Counter(" ".join(words(body(row))[:3]) for row in of_opener(written, opener))
    assert begins.most_common(1)[0][1] <= 0.4 * begins.total(), begins.most_common(3)


@cache
def opening(symbol: str) -> str:
    """A pattern for a symbol's productions; what stands for other symbols is left open."""
    told = (*SYMBOLS[symbol], *SYMBOLS.get(f"{symbol}.at", ()))
    return "(" + "|".join(production(line) for line in told) + r")\b"


def production(line: str) -> str:
    tokens = re.findall(r"\{[^}]*\}|\[[^\]]*\]|#\d+|[^\s\[{]+", line)
    parts = []
    for token in tokens:
        if token.startswith("["):
            present, _, past = token.strip("[]").partition("|")
            parts.append(f"(?:{re.escape(present)}|{re.escape(past)})")
        elif token.startswith("{"):
            parts.append(r"\w[^.?!:]*?")
        elif token not in (",", ";", ":") and not token.startswith("#"):
            parts.append(re.escape(token))
    return r"[,;:]? ".join(parts)


# --- English ----------------------------------------------------------------------------


def fixed_texts(plan: Plan) -> Iterator[str]:
    """Phrases that keep their own tense wherever they stand."""
    yield from (phrase for name in ("lead", "aside", "shows") for phrase in pieces(plan, name))


def tense(plan: Plan) -> str:
    """A line under a picture and an imperative are of now; else the register decides."""
    if plan.register == PLAIN or plan.opener == "imperative":
        return "present"
    return CONTEXTS.registers[plan.register].tense


NOW, THEN = frozenset("is are has".split()), frozenset("was were".split())


def test_one_tense_throughout(written: Sample) -> None:
    def rule(row: Written) -> bool:
        text = row.example.positive
        for phrase in fixed_texts(row.plan):
            text = text.replace(phrase, "")
        wrong = THEN if tense(row.plan) == "present" else NOW
        return wrong.isdisjoint(words(text))

    tenses = Counter(tense(row.plan) for row in written.good)
    assert min(tenses["past"], tenses["present"]) > SIZE / 5
    assert not failing(written, rule)


def test_no_word_stands_twice_in_a_row(written: Sample) -> None:
    doubled = re.compile(r"\b([\w'-]+) \1\b", re.IGNORECASE)
    assert not failing(written, lambda row: not doubled.search(row.example.positive))


def test_no_scene_begins_with_the_word_that_a_phrase_before_it_ends_with() -> None:
    """Such as "set down" and "down the hall": rare in a sample, as few scenes begin so."""
    begins = {scene.split()[0] for scene in CONTEXTS.scenes}
    before = re.compile(r"(vi|post|rc|together)\b")
    for name in filter(before.match, SYMBOLS):
        for text in SYMBOLS[name]:
            last = re.sub(r" #\d+$", "", text).split()[-1]
            assert begins.isdisjoint(re.split(r"[\[|\]]", last)), f"{name}: {text}"


def test_no_doubled_mark_and_no_stray_blank(written: Sample) -> None:
    unclean = re.compile(r"[,;:.?!]\s*[,;:.?!]|\s[,;:.?!]|\s\s|^\s|\s$|[{}\[\]<>()|#_]|[A-Z]{2}")
    names = re.compile(r"\b(TV|DJ|FBI|ID|UFO|PA|MC|VIP|CEO|II|IV|GPS|TSA|HR|EMT|BBC|NASA)\b")
    assert not failing(
        written, lambda row: not unclean.search(names.sub("", row.example.positive).strip())
    )


def test_sentences_begin_with_a_capital_and_end_with_a_mark(written: Sample) -> None:
    for row in written.good:
        text = row.example.positive
        assert text[-1] in ".?!", text
        assert all(
            part[0].isupper() or part[0].isdigit() for part in re.split(r"(?<=[.?!]) ", text)
        )


def test_a_caption_has_one_to_three_sentences(written: Sample) -> None:
    assert not failing(
        written, lambda row: len(re.split(r"(?<=[.?!]) ", row.example.positive)) <= 3
    )


def test_no_pronoun_could_mean_an_object(written: Sample) -> None:
    """But for `itself`, which means its own subject: where an object is described after it."""
    pronouns = set("it its itself they them their theirs themselves".split())

    def rule(row: Written) -> bool:
        tokens = [word.partition("'")[0] for word in words(row.example.positive)]
        found = [word for word in tokens if word in pronouns]
        return not found or (row.plan.slot.construction == "predicative" and found == ["itself"])

    assert not failing(written, rule)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["so", ",", "a man", "sat", "."], "So, a man sat."),
        (["a man", ",", ",", "a drum", ",", "."], "A man, a drum."),
        (["the porter", "'s", "drum", ":", "."], "The porter's drum."),
        (
            ["what was there", "?", "a drum", ".", "So it was.", "."],
            "What was there? A drum. So it was.",
        ),
        (["", "noted:", "a drum", ";", "."], "Noted: a drum."),
    ],
)
def test_punctuation_is_attached_and_never_doubled(parts: list[str], text: str) -> None:
    assert punctuate(parts) == text


# --- words ------------------------------------------------------------------------------


def test_objects_of_an_example_are_of_one_kind(written: Sample) -> None:
    vocabulary = written.vocabulary
    for row in written.good:
        nouns = [*row.draft.objects, *(pair.object for pair in row.draft.distractors)]
        kinds = {vocabulary.classes[vocabulary.class_of[noun]].kind for noun in nouns}
        assert len(kinds) == 1, nouns


def test_objects_are_of_classes_that_their_scene_names(written: Sample) -> None:
    class_of = written.vocabulary.class_of
    for row in written.good:
        nouns = [*row.draft.objects, *(pair.object for pair in row.draft.distractors)]
        scene = CONTEXTS.scenes[row.plan.scene]
        assert {class_of[noun] for noun in nouns} <= scene.classes, (nouns, scene)


def test_attributes_are_plausible_for_every_object(written: Sample) -> None:
    fits = written.vocabulary.fits
    for row in written.good:
        for noun in row.draft.objects:
            for attribute in sum(row.draft.attributes, ()):
                assert fits(attribute, noun), (attribute, noun)
        for pair in row.draft.distractors:
            assert fits(pair.attribute, pair.object), pair


def test_a_third_of_the_examples_exchange_attributes_of_one_family(written: Sample) -> None:
    """Overall and of each type: then what is exchanged says nothing but who has it."""
    for name in (None, *DEFAULT_MIX):
        own = [row for row in written.good if name in (None, row.plan.slot.construction)]
        share = sum(row.example.same_family for row in own) / len(own)
        assert share >= 1 / 3, (name, share)


def test_no_weather_of_the_open_air_under_a_roof(written: Sample) -> None:
    """And none of a roof in the open, such as rain against the window."""
    roofed = open_ = 0
    for row in written.good:
        if not row.plan.weather:
            continue
        roof = CONTEXTS.scenes[row.plan.scene].roof
        roofed, open_ = roofed + roof, open_ + (not roof)
        lists = CONTEXTS.weathers[row.plan.weather].pieces
        own, other = (lists[place] for place in (("indoors", "outdoors")[:: 1 if roof else -1]))
        wrong = [
            phrase
            for phrase in set(other) - set(own)
            if says(row.example.positive, phrase) and not any(says(mine, phrase) for mine in own)
        ]
        assert not wrong, (row.plan.scene, row.example.positive)
    assert min(roofed, open_) > 100


def test_two_attributes_stand_in_adjective_order(written: Sample) -> None:
    families, family_of = written.vocabulary.families, written.vocabulary.family_of
    bundles = [row for row in written.good if row.plan.slot.construction == "attr_bundle"]
    assert bundles
    for row in bundles:
        for first, second in row.draft.attributes:
            assert families[family_of[first]].order < families[family_of[second]].order


def test_many_different_words_are_used(written: Sample) -> None:
    nouns = {noun for row in written.good for noun in row.draft.objects}
    adjectives = {
        word for row in written.good for words_ in row.draft.attributes for word in words_
    }
    assert len(nouns) >= 0.75 * len(written.vocabulary.class_of)
    assert len(adjectives) >= 0.75 * len(written.vocabulary.family_of)


def test_banned_words_are_not_used(written: Sample) -> None:
    vocabulary = written.vocabulary
    every = sorted([*vocabulary.family_of, *vocabulary.class_of])
    banned = frozenset(Random(0).sample(every, len(every) // 2))
    writer = GrammarWriter(vocabulary)
    drafts = [writer.write(plan, Guidance(banned=banned)) for plan in plans(300)]
    used = [draft for draft in drafts if isinstance(draft, Draft)]
    assert len(used) >= 0.95 * len(drafts)
    for draft in used:
        core = {*draft.objects, *sum(draft.attributes, ())}
        assert banned.isdisjoint(core)


def test_a_ban_on_everything_leaves_no_words(written: Sample) -> None:
    everything = frozenset([*written.vocabulary.family_of, *written.vocabulary.class_of])
    writer = GrammarWriter(written.vocabulary)
    answers = {writer.write(plan, Guidance(banned=everything)) for plan in plans(5)}
    assert answers == {Rejected("no_words")}


# --- variety and determinism ------------------------------------------------------------


def test_captions_are_all_different(written: Sample) -> None:
    captions = [row.example.positive.casefold() for row in written.good]
    assert len(set(captions)) == len(captions)


def test_frames_are_hardly_ever_alike(written: Sample) -> None:
    """With core terms and distractors blanked, 97 of 100 captions still differ."""
    frames = {masked(row.example) for row in written.good}
    assert len(frames) >= 0.97 * len(written.good)


def test_the_same_plan_gives_the_same_draft(written: Sample) -> None:
    writer = GrammarWriter(written.vocabulary)
    for row in reversed(written.good[:200]):
        assert writer.write(row.plan, Guidance()) == row.draft


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_a_fresh_process_writes_the_same_whatever_its_hash_seed(hash_seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.written", "200"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == drafts_digest(200)
