"""What examples are set in (B.3): 81,000 contexts, 32 registers and 16 openers."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from gen.base.text.words import words
from gen.triplets.context import FOLDER, PIECES, PLAIN, contexts, lines
from gen.triplets.grammar.leaves import leaf_lists, leaf_weights
from gen.triplets.grammar.writer import FOLDER as GRAMMAR
from gen.triplets.grammar.writer import REFERENCES
from gen.vocab.triplets import SETTINGS, load

CONTEXTS = contexts()
SCENES = list(CONTEXTS.scenes)
CLASSES = load().classes
SURFACE = load().surface_words
PRONOUNS = frozenset("it its they them their theirs".split())
REFLEXIVES = frozenset({"itself", "themselves"})
"""They mean the subject of their own clause and nothing else."""

COUNTS = {"people": 12, "groups": 8, "acts": 18, "events": 10, "origins": 8, "purposes": 6}
"""Items of each list of a setting, at least."""
LENGTHS = {
    "scenes": (3, 7),
    "people": (2, 4),
    "groups": (2, 4),
    "acts": (2, 7),
    "events": (2, 5),
    "origins": (2, 5),
    "purposes": (1, 5),
    "lead": (1, 4),
    "aside": (2, 5),
    "shows": (2, 6),
    "phrases": (2, 7),
    "outdoors": (3, 6),
    "indoors": (3, 6),
}
"""Words that an item of each list may have."""


def items() -> Iterator[tuple[str, str, str]]:
    """(context, list, item) for every phrase of every context."""
    for scene in CONTEXTS.scenes.values():
        yield scene.setting, "scenes", scene.text
    for setting in CONTEXTS.settings.values():
        for name, phrases in setting.pieces.items():
            yield from ((setting.name, name, phrase) for phrase in phrases)
    for register in CONTEXTS.registers.values():
        for name, phrases in register.pieces.items():
            yield from ((register.name, name, phrase) for phrase in phrases)
    for style in (*CONTEXTS.times.values(), *CONTEXTS.weathers.values()):
        for name, phrases in style.pieces.items():
            yield from ((style.name, name, phrase) for phrase in phrases)


ITEMS = tuple(items())


def plain(name: str, item: str) -> str:
    """An item as a caption may have it; an act with the first of its verb forms."""
    if name != "acts":
        return item
    forms, _, rest = item.partition(" ")
    return f"{forms.split('|')[0]} {rest}"


def grammar_texts() -> Iterator[tuple[str, str]]:
    """(place, text) of all that the grammar's own files may put into a caption."""
    symbols = tomllib.loads((GRAMMAR / "symbols.toml").read_text())
    for name, text in symbols.items():
        yield from ((name, spoken(line)) for line in lines(text))
    frames = tomllib.loads((GRAMMAR / "frames.toml").read_text())
    for opener in frames.pop("openers").values():
        yield from (("prefix", spoken(prefix)) for prefix in opener["prefix"])
    for text in strings(frames):
        yield from (("frames", spoken(line)) for line in lines(text))
    yield from (("references", " ".join(pair)) for pair in REFERENCES)


def strings(data: object) -> Iterator[str]:
    """Every string in nested tables, keys aside."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for value in data.values() if isinstance(data, dict) else data:
            yield from strings(value)


def spoken(line: str) -> str:
    """The words of a production: symbols, weights and upper-case tokens taken out."""
    return re.sub(r"\{[^}]*\}|#\d+|\b[A-Z]+[0-9]?\b|^aside:|[\[\]|]", " ", line)


ALL_TEXT = (
    *((f"{where}.{name}", item.replace("|", " ")) for where, name, item in ITEMS),
    *grammar_texts(),
)


# --- counts -----------------------------------------------------------------------------


def test_a_thousand_different_scenes() -> None:
    assert len(SCENES) == len({scene.casefold() for scene in SCENES}) == 1_000


def test_scenes_times_and_weathers_make_81_000_contexts() -> None:
    assert (len(CONTEXTS.times), len(CONTEXTS.weathers)) == (8, 8)
    assert len(SCENES) * (len(CONTEXTS.times) + 1) * (len(CONTEXTS.weathers) + 1) == 81_000


def test_32_registers_and_16_openers() -> None:
    """The plain register is none of the 32: it has no phrases."""
    assert (len(CONTEXTS.registers), len(CONTEXTS.openers)) == (32, 16)
    assert PLAIN not in CONTEXTS.registers
    assert {register.tense for register in CONTEXTS.registers.values()} == {"past", "present"}


def test_opener_hints_differ() -> None:
    hints = {opener.hint for opener in CONTEXTS.openers.values()}
    assert len(hints) == 16
    assert {opener.fronts for opener in CONTEXTS.openers.values()} == {
        *("", "scene", "time", "weather", "event")
    }


def test_a_plain_opener_needs_nothing_that_a_plan_may_lack() -> None:
    plain = [opener for opener in CONTEXTS.openers.values() if opener.plain]
    assert len(plain) >= 3
    assert {opener.fronts for opener in plain} <= {"", "scene"}


@pytest.mark.parametrize("name", list(CONTEXTS.settings))
def test_a_setting_has_a_known_type_and_full_lists(name: str) -> None:
    setting = CONTEXTS.settings[name]
    assert setting.type in SETTINGS
    assert set(PIECES) == setting.pieces.keys() == COUNTS.keys()
    assert sum(scene.setting == name for scene in CONTEXTS.scenes.values()) == 25
    assert all(len(setting.pieces[key]) >= count for key, count in COUNTS.items())


@pytest.mark.parametrize("name", list(CONTEXTS.registers))
def test_a_register_has_full_lists(name: str) -> None:
    pieces = CONTEXTS.registers[name].pieces
    assert pieces.keys() == {"lead", "aside", "shows"}
    least = {"lead": 8, "aside": 11, "shows": 11}
    assert all(len(pieces[key]) >= count for key, count in least.items())


def test_every_time_and_weather_has_full_lists() -> None:
    """Of a weather, what is said in the open and what is said under a roof."""
    for time in CONTEXTS.times.values():
        assert time.pieces.keys() == {"phrases"}
        assert len(time.pieces["phrases"]) >= 15, time.name
    for weather in CONTEXTS.weathers.values():
        assert weather.pieces.keys() == {"outdoors", "indoors"}
        assert min(map(len, weather.pieces.values())) >= 10, weather.name


# --- what may be met in a scene ---------------------------------------------------------


def raw(name: str) -> dict[str, str]:
    """A setting's file."""
    data: dict[str, str] = tomllib.loads((FOLDER / "settings" / f"{name}.toml").read_text())
    return data


@pytest.mark.parametrize("name", list(CONTEXTS.settings))
def test_a_setting_has_only_lists_that_are_read(name: str) -> None:
    assert raw(name).keys() == {"type", "outdoors", "indoors", *PIECES}


def test_every_scene_names_classes_once_and_only_known_ones() -> None:
    for name in CONTEXTS.settings:
        for line in (*lines(raw(name)["outdoors"]), *lines(raw(name)["indoors"])):
            scene, bar, classes = line.partition(" | ")
            named = classes.split()
            assert bar, line
            assert named, line
            assert len(named) == len(set(named)), line
            assert set(named) <= CLASSES.keys(), line
            assert CONTEXTS.scenes[scene].classes == set(named)


def test_every_class_may_be_met_in_a_dozen_scenes_or_more() -> None:
    scenes = Counter(name for scene in CONTEXTS.scenes.values() for name in scene.classes)
    assert scenes.keys() == CLASSES.keys()
    assert min(scenes.values()) >= 12, scenes.most_common()[-3:]


def test_every_scene_has_a_choice_of_words() -> None:
    for scene in CONTEXTS.scenes.values():
        assert len(scene.classes) >= 2, scene
        assert sum(len(CLASSES[name].words) for name in scene.classes) >= 40, scene


def test_scenes_have_a_roof_or_none_and_both_are_common() -> None:
    roofs = sum(scene.roof for scene in CONTEXTS.scenes.values())
    assert 300 <= roofs <= 700


OPEN = re.compile(r"\b(yard|field|meadow|beach|shore|sidewalk|parking lot|plaza|pasture)$")
ROOFED = re.compile(r"\b(room|hallway|corridor|lobby|attic|basement|cellar|kitchen|office)$")


def test_a_place_by_its_name_in_the_open_has_no_roof_and_the_other_way_round() -> None:
    """An independent look at the lists: places in (on) what is always open, or always roofed."""
    inside = re.compile(r"(in|inside|on) ")
    scenes = [scene for scene in CONTEXTS.scenes.values() if inside.match(scene.text)]
    opened, roofed = ([s for s in scenes if name.search(s.text)] for name in (OPEN, ROOFED))
    assert min(len(opened), len(roofed)) >= 20
    assert not [scene.text for scene in opened if scene.roof]
    assert not [scene.text for scene in roofed if not scene.roof]


EXPOSED = re.compile(
    r"in (the|a|an|light|steady|heavy|pouring|falling|morning)?( \w+)? ?"
    r"(rain|drizzle|downpour|fog|mist|snow|wind|breeze|sun|sunshine|frost|hail)\b"
    r"|\b(under|beneath) .*(sky|skies|clouds|sun)\b|\boverhead\b"
)
"""Weather that falls, blows or shines on whoever is said to be in it."""


def test_weather_under_a_roof_stays_outside() -> None:
    out, under = (
        [phrase for style in CONTEXTS.weathers.values() for phrase in style.pieces[place]]
        for place in ("outdoors", "indoors")
    )
    assert sum(bool(EXPOSED.search(phrase)) for phrase in out) >= 20
    assert not [phrase for phrase in under if EXPOSED.search(phrase)]


# --- no item twice, none like a template ------------------------------------------------


def test_no_item_stands_in_two_places() -> None:
    """Scenes, registers, times and weathers share nothing, but a weather's own two lists may."""
    seen: dict[str, set[str]] = defaultdict(set)
    for where, name, item in ITEMS:
        if name not in PIECES:
            place = where if name in ("outdoors", "indoors") else f"{where}.{name}"
            seen[item.casefold()].add(place)
    assert not {item: places for item, places in seen.items() if len(places) > 1}


def test_no_list_has_an_item_twice() -> None:
    listed = Counter((where, name, item.casefold()) for where, name, item in ITEMS)
    assert not {item: count for item, count in listed.items() if count > 1}


def test_what_people_do_belongs_to_the_place() -> None:
    """Coffee is had in many places; three quarters of what a setting says it alone says."""
    places = Counter((name, item.casefold()) for _, name, item in ITEMS if name in PIECES)
    for setting in CONTEXTS.settings.values():
        pieces = [(name, item) for name in PIECES for item in setting.pieces[name]]
        own = [piece for piece in pieces if places[piece[0], piece[1].casefold()] == 1]
        assert len(own) >= 0.75 * len(pieces), setting.name
    assert max(places.values()) <= len(CONTEXTS.settings) / 2


ARTICLES = frozenset({"a", "an", "the"})
COMPOUND = re.compile(r"\b(across from|in front of|next to|out of|around the corner from)\b")
"""Prepositions of several words, which count as one."""
PLACE = re.compile(r"\b(parking lot|loading dock|break room|storage room|front steps)\b")
"""Places that have a name of two words in every house, which counts as one: whose tells them
apart."""


def head(scene: str) -> tuple[str, ...]:
    """The preposition and the first word after it, articles aside."""
    joined = COMPOUND.sub(lambda match: match.group().replace(" ", ""), scene)
    return tuple([word for word in words(joined) if word not in ARTICLES][:2])


def tail(scene: str) -> tuple[str, ...]:
    """The last two words, articles aside."""
    joined = PLACE.sub(lambda match: match.group().replace(" ", ""), scene)
    return tuple([word for word in words(joined) if word not in ARTICLES][-2:])


def test_few_scenes_begin_alike() -> None:
    common = {begin: count for begin, count in Counter(map(head, SCENES)).items() if count > 12}
    assert not common


def test_hardly_any_scenes_end_alike() -> None:
    common = {end: count for end, count in Counter(map(tail, SCENES)).items() if count > 3}
    assert not common


def test_scenes_are_no_crossed_lists() -> None:
    """A product of short lists has few beginnings and few endings; these have nearly one each."""
    assert len(set(map(head, SCENES))) >= 700
    assert len(set(map(tail, SCENES))) >= 900
    pairs = Counter((head(scene), tail(scene)) for scene in SCENES)
    assert not {pair: count for pair, count in pairs.items() if count > 1}


# --- form of the items ------------------------------------------------------------------


@pytest.mark.parametrize("name", list(LENGTHS))
def test_items_keep_to_their_length(name: str) -> None:
    low, high = LENGTHS[name]
    own = [plain(name, item) for _, listed, item in ITEMS if listed == name]
    assert own
    assert not [item for item in own if not low <= len(words(item)) <= high]


def test_an_act_gives_four_different_verb_forms() -> None:
    for where, name, item in ITEMS:
        if name == "acts":
            forms = item.partition(" ")[0].split("|")
            assert len(forms) == 4, (where, item)
            base, third, past, gerund = forms
            assert third.endswith("s"), (where, item)
            assert gerund.endswith("ing"), (where, item)
            assert third != base != gerund, (where, item)
            assert past not in (third, gerund), (where, item)


def test_items_are_plain_text() -> None:
    """Straight quotes, single spaces, nothing that the surface check would refuse."""
    odd = [
        f"{where}.{name}: {item}"
        for where, name, item in ITEMS
        if not re.fullmatch(r"[A-Za-z0-9'.,:!?|-]+( [A-Za-z0-9'.,:!?-]+)*", item)
    ]
    assert not odd


def test_only_leads_and_shows_begin_with_a_capital() -> None:
    """The others may stand anywhere in a sentence; proper names come later in them."""
    for where, name, item in ITEMS:
        if name == "shows":
            assert item[0].isupper() or item[0].isdigit(), (where, item)
        if name in ("scenes", "acts", "people", "outdoors", "indoors"):
            assert item[0].islower() or item[0].isdigit(), (where, item)


def test_only_a_lead_ends_with_a_mark() -> None:
    for where, name, item in ITEMS:
        if name == "lead":
            assert item[-1] in ":,", (where, item)
        else:
            assert item[-1] not in ",;:.!?", (where, item)


# --- lengths: one table serves all contexts (gen/triplets/grammar/derive.py) ---------------------


def buckets() -> dict[str, list[dict[int, int]]]:
    """For each leaf of the grammar, how many phrases of each length every context has."""
    counts: dict[str, list[dict[int, int]]] = defaultdict(list)
    for own in leaf_lists().values():
        for name, by_size in own.items():
            counts[name].append({size: len(leaves) for size, leaves in by_size.items() if leaves})
    return counts


LEAVES = buckets()


WEIGHTS = leaf_weights(leaf_lists())


def in_use(name: str) -> set[int]:
    """The lengths that the grammar draws for a leaf."""
    return {size for size, weight in enumerate(WEIGHTS[name]) if weight}


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_context_offers_every_length_in_use(name: str) -> None:
    assert in_use(name)
    assert all(in_use(name) <= counts.keys() for counts in LEAVES[name])


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_context_can_say_at_least_half_of_its_phrases(name: str) -> None:
    """A phrase of a length that some context lacks is never drawn."""
    dead = total = 0
    for counts in LEAVES[name]:
        total += sum(counts.values())
        dead += sum(count for size, count in counts.items() if size not in in_use(name))
    assert dead <= total / 2, f"{dead} of {total} phrases are never drawn"


@pytest.mark.parametrize("name", ["time", "weather", "aside"])
def test_phrases_that_fill_a_caption_come_in_several_lengths(name: str) -> None:
    assert len(in_use(name)) >= 3


# --- the rule of the frame text ---------------------------------------------------------


def test_no_vocabulary_word_stands_in_frame_text() -> None:
    """An object or attribute that a caption mentions besides the pair would be a second mention."""
    hits = [
        f"{place}: {word!r} in {text.strip()!r}"
        for place, text in ALL_TEXT
        for word in words(text)
        if word in SURFACE or word.removesuffix("'s") in SURFACE
    ]
    assert not hits


def pronouns(text: str) -> set[str]:
    """The pronouns in a text, with or without a contracted verb."""
    return {word.partition("'")[0] for word in words(text)} & (PRONOUNS | REFLEXIVES)


def test_no_bare_pronoun_stands_in_frame_text() -> None:
    hits = [f"{place}: {text.strip()!r}" for place, text in ALL_TEXT if pronouns(text) & PRONOUNS]
    assert not hits


def test_only_predicative_clauses_have_a_reflexive() -> None:
    """There the subject is an object that is described after the verb, once."""
    assert {place for place, text in ALL_TEXT if pronouns(text)} <= {"frames"}
    clauses = tomllib.loads((GRAMMAR / "frames.toml").read_text())["clauses"]
    for name, kinds in clauses.items():
        for line in lines("\n".join(kinds.values())):
            if pronouns(spoken(line)):
                assert name == "predicative", line
                assert line.split()[1] == "O1" or " that {e} O1 " in line, line


def test_the_lint_sees_the_grammar_too() -> None:
    """The two tests above look at all of it: symbols, frames and references."""
    places = {place for place, _ in ALL_TEXT}
    assert {"frames", "references", "vi", "post", "question"} <= places
    assert {"scenes", "outdoors", "aside"} <= {place.rpartition(".")[2] for place in places}
    assert any("there" in words(text) for place, text in ALL_TEXT if place == "frames")


def test_every_data_file_is_read() -> None:
    assert {path.stem for path in (FOLDER / "settings").glob("*.toml")} == set(CONTEXTS.settings)
