"""A file where a folder is needed, and the other way round, or nothing there: told in one line."""

import pytest

from crawl_ops.cli.main import main

FOLDER_NEEDED = "is a file, where a crawl folder is needed"
FILE_NEEDED = "is a folder, where a file is needed"
UNDER_A_FILE = "a part of this path is a file, where a folder is needed"
MISSING = "No such file or directory"
FILES = [
    "urlfilter.regex.file",
    "urlfilter.prefix.file",
    "urlfilter.suffix.file",
    "urlfilter.domain.file",
    "urlfilter.fast.file",
    "urlnormalizer.regex.file",
    "db.ignore.external.exemptions.file",
    "http.auth.file",
    "http.agent.host.cookie.file",
]


@pytest.fixture
def complaint(tmp_path, monkeypatch, capfd):
    """The error line of a command run among FILE, FOLDER/ and a crawl; its exit code before it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("http://e.test/\n")
    (tmp_path / "FOLDER").mkdir()

    def run(line):
        code = main(["-D", "http.agent.name=t", "-D", "db.fsync=false", *line.split()])
        out, err = capfd.readouterr()
        last = err.splitlines()[-1].removeprefix("crawl-ops: ").replace(f"{tmp_path}/", "")
        return code, last, out

    return run


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("--dir FILE readdb --stats", 2, f"FILE: {FOLDER_NEEDED}"),
        ("--dir FILE inject http://e.test/", 2, f"FILE: {FOLDER_NEEDED}"),
        ("--dir FILE crawl --seeds FILE --depth 1", 2, f"FILE: {FOLDER_NEEDED}"),
        ("--dir FILE/x inject http://e.test/", 2, f"FILE/x: {UNDER_A_FILE}"),
        ("--dir FILE/x readdb --stats", 1, "FILE/x: there is no crawl here"),
        ("--dir NONE search x", 1, "NONE: there is no crawl here"),
        ("--dir FOLDER explain http://e.test/", 1, "FOLDER: there is no crawl here"),
        ("--config FOLDER inject FILE", 2, f"FOLDER: cannot be read: {FILE_NEEDED}"),
        ("--config FILE/x inject FILE", 2, f"FILE/x: cannot be read: {UNDER_A_FILE}"),
        ("--config NONE inject FILE", 2, f"NONE: cannot be read: {MISSING}"),
        ("inject FILE/x", 2, f"FILE/x: cannot be read: {UNDER_A_FILE}"),
        ("inject NONE", 2, f"NONE: cannot be read: {MISSING}"),
        ("inject FOLDER", 2, "FOLDER: no seed files in this folder"),
        ("crawl --depth 1 --seeds NONE", 2, f"NONE: cannot be read: {MISSING}"),
        ("--dir new sitemap FOLDER", 2, f"FOLDER: cannot be read: {FILE_NEEDED}"),
        ("--dir new sitemap NONE", 2, f"NONE: cannot be read: {MISSING}"),
        (
            "-D plugin.folders=FILE -D urlfilter.order=a:B normalize http://e.test/",
            2,
            "plugin.folders: there is no folder FILE: it is a file",
        ),
        (
            "-D plugin.folders=NONE -D urlfilter.order=a:B normalize http://e.test/",
            2,
            "plugin.folders: there is no folder NONE",
        ),
    ],
)
def test_the_path_and_what_is_wrong_with_it(complaint, line, code, told):
    assert complaint(line) == (code, told, "")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("given", "why"), [("FOLDER", FILE_NEEDED), ("NONE", MISSING)])
def test_the_file_of_a_property(complaint, name, given, why):
    plug = {"urlfilter": "urlfilter.order", "urlnormalizer": "urlnormalizer.order"}
    kind, how = name.split(".")[:2]
    order = f"-D {plug[kind]}={how}" if kind in plug else ""
    line = f"-D {name}={given} {order} crawl --depth 1 --seeds http://e.test/"
    code, told, out = complaint(line)
    assert (code, out) == (2, "")
    assert told.replace(":", "") == f"{name}: {given} cannot be read: {why}".replace(":", "")
