"""The shape of the code: who may import whom, docstrings, sizes (see CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("schemas", "cards", "gen", "eval", "train")
"""The project's packages."""

LAYERS = (
    ("schemas",),
    ("gen.base.text", "gen.base.config", "gen.base.draws", "gen.base.digests", "gen.base.workers"),
    ("gen.base",),
    ("cards",),
    ("gen.vocab",),
    ("gen.render", "gen.triplets.constructions"),
    ("gen.saber", "gen.triplets"),
    ("gen.screen", "gen.verify"),
    ("gen.audit",),
)
"""Packages of `gen` and what they stand on, the lowest first: a module imports, late or at once,
from lower layers and from its own entry alone. The longest entry that a module begins with is its
own."""

GROUND = ("schemas", "gen.base", "cards")
"""All that `eval` and `train` may use besides themselves; `train` may use `eval` as well."""

HEAVY = {
    *("torch", "transformers", "datasets", "sentence_transformers", "peft", "huggingface_hub"),
    *("spacy", "pyarrow", "inflect", "jinja2", "rich", "mitsuba", "openai", "vllm", "aiohttp"),
    *("numpy", "pandas", "PIL", "scipy", "sklearn", "threadpoolctl", "matplotlib"),
}
"""Libraries that cost time to load: imported inside functions, so that --help answers at once."""
HEAVY_ALLOWED = {
    "gen.base.progress": {"rich"},
    "gen.triplets.show": {"rich"},
    "gen.triplets.models.preview": {"rich"},
    "gen.render": {"numpy"},
}
"""Modules, or packages, that exist for a heavy library and are themselves imported late."""


def files(*packages: str) -> list[Path]:
    return sorted(path for name in packages for path in (ROOT / name).rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_of(path): path for path in files(*PACKAGES)}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(SOURCES[module].read_text())


def imports(module: str, *, when_loaded: bool = False) -> Iterator[str]:
    """Modules that a module names in imports; only those run on loading it, if so asked."""
    nodes: list[ast.AST] = [tree(module)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in SOURCES else str(node.module)
        inner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if not (when_loaded and (inner or typing_only)):
            nodes.extend(ast.iter_child_nodes(node))


# --- who imports whom -------------------------------------------------------------------


def inside(module: str, entry: str) -> bool:
    return f"{module}.".startswith(f"{entry}.")


def layer_of(module: str) -> tuple[int, str]:
    """(layer, its entry) of a module: the longest entry that it begins with."""
    found = [
        (number, entry)
        for number, layer in enumerate(LAYERS)
        for entry in layer
        if inside(module, entry)
    ]
    assert found, f"{module} is in no layer; give its package a place in LAYERS"
    return max(found, key=lambda pair: len(pair[1]))


def ours(module: str) -> set[str]:
    """What a module imports of the project, late or at once; `gen` itself holds the version."""
    used = {name for name in imports(module) if name.split(".")[0] in {*PACKAGES, "tests"}}
    return used - {"gen"}


@pytest.mark.parametrize("module", [name for name in SOURCES if name != "gen"])
def test_modules_import_from_lower_layers(module: str) -> None:
    top = module.split(".")[0]
    if top in ("eval", "train"):
        allowed = (*GROUND, "eval", "train") if top == "train" else (*GROUND, "eval")
        assert {n for n in ours(module) if not any(inside(n, entry) for entry in allowed)} == set()
        return
    own, entry = layer_of(module)
    for name in ours(module):
        number, other = layer_of(name)
        assert number < own or other == entry, f"{module} imports {name}"


def test_every_layer_is_in_use() -> None:
    entries = {entry for layer in LAYERS for entry in layer}
    layered = [name for name in SOURCES if name.split(".")[0] in ("schemas", "cards", "gen")]
    assert {layer_of(name)[1] for name in layered if name != "gen"} == entries


def test_no_modules_import_each_other() -> None:
    """A depth-first walk meets no module that it is still inside of; late imports count."""
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, f"import cycle: {' -> '.join((*above, module))}"
        if module in done or module not in SOURCES:
            return
        for name in sorted(ours(module)):
            if not inside(module, name):  # a package is being loaded with its module
                visit(name, (*above, module))
        done.add(module)

    for module in SOURCES:
        visit(module, ())
    assert done == set(SOURCES)


def test_every_module_can_be_the_first_one_imported() -> None:
    code = (
        "import importlib, sys\n"
        f"for name in {sorted(SOURCES)}:\n"
        f"    for old in [n for n in sys.modules if n.split('.')[0] in {sorted(PACKAGES)}]:\n"
        "        del sys.modules[old]\n"
        "    importlib.import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# --- heavy libraries --------------------------------------------------------------------


@pytest.mark.parametrize("module", list(SOURCES))
def test_heavy_libraries_are_imported_late(module: str) -> None:
    used = {name.split(".")[0] for name in imports(module, when_loaded=True)} & HEAVY
    allowed = [HEAVY_ALLOWED[name] for name in HEAVY_ALLOWED if f"{module}.".startswith(f"{name}.")]
    assert used <= set().union(*allowed)


@pytest.mark.parametrize(
    "entry",
    [
        *(f"gen.{name}.__main__" for name in ("triplets", "saber", "verify", "render", "audit")),
        *("gen.screen.__main__", "gen.triplets.writers", "gen.audit.session", "gen.audit.parts"),
        *("schemas.triplets", "schemas.saber"),
    ],
)
def test_loading_an_entry_point_loads_nothing_heavy(entry: str) -> None:
    code = f"import sys, {entry}; print(*sorted({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


# --- docstrings, sizes, leftovers -------------------------------------------------------


Documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[tuple[str, Documented]]:
    """Public functions and classes, and the public methods of those."""
    for child in node.body:
        if not isinstance(child, Documented):
            continue
        if child.name.startswith("_"):
            continue
        yield f"{prefix}.{child.name}", child
        if isinstance(child, ast.ClassDef):
            yield from public(child, f"{prefix}.{child.name}")


@pytest.mark.parametrize("module", [module_of(path) for path in files(*PACKAGES)])
def test_everything_public_has_a_docstring(module: str) -> None:
    assert ast.get_docstring(tree(module)), module
    bare = [name for name, node in public(tree(module), module) if not ast.get_docstring(node)]
    assert not bare


def test_files_are_small() -> None:
    lengths = {module_of(p): len(p.read_text().splitlines()) for p in files(*PACKAGES)}
    assert not {name: length for name, length in lengths.items() if length > 300}
    assert median(lengths.values()) <= 150


def test_nothing_is_left_to_do() -> None:
    kept = re.compile(r"\b(TODO|FIXME|XXX)\b")
    texts = [
        path
        for name in (*PACKAGES, "prompts")
        for path in (ROOT / name).rglob("*")
        if path.suffix in (".py", ".toml", ".j2")
    ]
    assert len(texts) > 80
    assert not [path for path in texts if kept.search(path.read_text())]


def test_prompts_hold_no_code() -> None:
    assert not list((ROOT / "prompts").rglob("*.py"))
