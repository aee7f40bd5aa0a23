"""The rules of the house that no other tool checks."""

import ast
import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

from crawl_ops.cli.app import VERBS
from crawl_ops.config.document import document
from crawl_ops.model import DbStatus, FetchStatus, LinkKind

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "crawl_ops"
JOBS = ("inject", "generate", "fetch", "parse", "updatedb", "invertlinks", "index", "dedup")
WITHOUT_SQL = {"fetch", "parse"}  # they work page by page
TOO_GENERAL = {"utils", "util", "common", "helpers", "helper", "manager", "base", "misc"}
FILE_LINES = 300
FUNCTION_LINES = 60
GENERATED = {
    ".venv",
    ".git",
    ".airflow",
    ".hypothesis",
    "build",
    "dist",
    "crawl",
    "crawls",
    "node_modules",
}
TEXTS = {".py", ".sql", ".md", ".toml", ".txt", ".yml", ".xml", ".html", ".css", ".js", ""}


def files(*suffixes: str, under: Path = ROOT) -> Iterator[Path]:
    """Our own files, without what tools made."""
    for path in sorted(under.iterdir()):
        if path.name in GENERATED or path.name.endswith((".egg-info", "_cache", "__pycache__")):
            continue
        if path.is_dir():
            yield from files(*suffixes, under=path)
        elif path.suffix in suffixes:
            yield path


def named(paths: list[str]) -> str:
    return "\n".join(paths)


SOURCES = [*files(".py", under=PACKAGE), *files(".py", under=ROOT / "dags")]


@pytest.mark.parametrize("job", JOBS)
def test_a_job_has_one_name_in_six_places(job: str) -> None:
    wiring = (PACKAGE / "operators" / "crawl_dag.py").read_text(encoding="utf-8")
    operator = PACKAGE / "operators" / f"{job}.py"
    found = {
        "task": f'"{job}"' in wiring,
        "operator": operator.is_file()
        and re.search(r"(?m)^class (\w+)Operator\(", operator.read_text(encoding="utf-8")),
        "job": (PACKAGE / "jobs" / f"{job}.py").is_file(),
        "sql": job in WITHOUT_SQL or (PACKAGE / "sql" / f"{job}.sql").is_file(),
        "verb": job in VERBS,
        "test": (ROOT / "tests" / "jobs" / f"test_{job}.py").is_file(),
    }
    assert [place for place, there in found.items() if not there] == []
    class_name = re.findall(r"(?m)^class (\w+)Operator\(", operator.read_text(encoding="utf-8"))[-1]
    assert class_name.lower() == job


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [
        ("crawldb", "status", DbStatus),
        ("crawl_fetch", "fetch_status", FetchStatus),
        ("crawl_parse", "kind", LinkKind),
    ],
)
def test_words_of_the_model_are_those_of_the_tables(
    table: str, column: str, words: type[StrEnum]
) -> None:
    text = (PACKAGE / "sql" / "tables.sql").read_text(encoding="utf-8")
    declared = re.search(rf"CREATE TABLE {table} \((.*?)\n\);", text, re.DOTALL)
    assert declared is not None
    check = re.search(rf"\b{column} +VARCHAR.*CHECK \({column} IN \((.*?)\)\)", declared[1])
    assert check is not None
    assert re.findall(r"'(\w+)'", check[1]) == [str(word) for word in words]


def test_files_are_small() -> None:
    large = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    over = [f"{p.relative_to(ROOT)}: {n} lines" for p, n in large.items() if n > FILE_LINES]
    assert not over, named(over)


def test_functions_are_short() -> None:
    over = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    over.append(f"{path.relative_to(ROOT)}: {node.name}: {lines} lines")
    assert not over, named(over)


def test_no_module_has_a_name_for_everything() -> None:
    found = [str(path) for path in SOURCES if TOO_GENERAL & {path.stem, *path.parts[-3:-1]}]
    assert not found, named(found)


def test_a_statement_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in files(".sql", under=PACKAGE)
        if not path.read_text(encoding="utf-8").startswith("-- ")
    ]
    assert not silent, named(silent)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("an ignore without a code", r"# type: igno[r]e(?!\[)|# noq[a](?!: ?[A-Z])"),
        ("something left to do", r"\b(TOD[O]|FIXM[E]|XX[X])\b"),
        ("a test that is not run", r"pytest\.(mark\.)?(ski[p](?!if\(sys\.platform)|xfai[l])"),
        ("a statement made of text", r"noqa: S60[8]"),
    ],
)
def test_no_python_file_has(what: str, pattern: str) -> None:
    allowed = {"storage"} if "statement" in what else set()
    found = [
        f"{path.relative_to(ROOT)}:{number}: {what}"
        for path in files(".py")
        if not allowed & set(path.parts)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert not found, named(found)


def test_no_file_knows_a_machine() -> None:
    here = "|".join(re.escape(str(path)) for path in (ROOT, Path.home()) if len(path.parts) > 2)
    machine = re.compile(rf"/roo[t]/[.\w]|/hom[e]/[a-z]+/\w|/User[s]/\w{'|' * bool(here)}{here}")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in files(*TEXTS)
        if (match := machine.search(path.read_text(encoding="utf-8", errors="replace")))
    ]
    assert not found, named(found)


def test_requirements_are_the_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    required = [line for line in map(str.strip, lines) if line and line[0] not in "#-"]
    assert sorted(project["dependencies"]) == sorted(required)
    assert "-c constraints.txt" in lines


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    names = {re.split(r"[=<>\[ ]", one)[0].lower() for one in project["dependencies"]}
    assert names <= pinned


def test_the_readme_has_two_commands_to_set_up() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```", text)
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("make ")]
    assert commands == ["make crawl", "make test"]


def test_the_page_of_properties_is_current() -> None:
    page = ROOT / "docs" / "properties.md"
    assert page.read_text(encoding="utf-8") == document(), "run: make docs"
