"""Debian's -doc packages as folders of real web pages, without installing them."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple


class PackageError(Exception):
    """A package that cannot be had; one line that says why."""


class DocSite(NamedTuple):
    """What is served of a package, where the crawl starts, and how many links it goes."""

    root: Path
    start: str
    links: int


SITES: dict[str, tuple[str, str, int]] = {
    "sqlite3-doc": ("usr/share/doc/sqlite3", "/index.html", 4),
    "postgresql-doc-15": ("usr/share/doc/postgresql-doc-15", "/html/index.html", 2),
}


def fetch_package(name: str, folder: Path) -> Path:
    """The unpacked package: folder/name. Downloads it at most once.

    Raises PackageError when apt-get or dpkg is missing, or there is no such package.
    """
    for tool in ("apt-get", "dpkg"):
        if shutil.which(tool) is None:
            raise PackageError(f"{tool} is missing: Debian or a system like it is needed")
    folder = folder.resolve()
    unpacked = folder / name
    if unpacked.is_dir():
        return unpacked
    folder.mkdir(parents=True, exist_ok=True)
    archive = _downloaded(name, folder) or _download(name, folder)
    aside = folder / f".{name}.{os.getpid()}"
    _run("dpkg", "-x", str(archive), str(aside), folder=folder)
    aside.rename(unpacked)  # so that half an unpacking is never taken for one
    return unpacked


def _downloaded(name: str, folder: Path) -> Path | None:
    return max(folder.glob(f"{name}_*.deb"), default=None)


def _download(name: str, folder: Path) -> Path:
    if not _is_known(name, folder):
        _run("apt-get", "update", folder=folder)
        if not _is_known(name, folder):
            raise PackageError(f"apt knows no package {name!r}, not even after apt-get update")
    _run("apt-get", "download", name, folder=folder)
    archive = _downloaded(name, folder)
    if archive is None:
        raise PackageError(f"apt-get download {name} left no file in {folder}")
    return archive


def _is_known(name: str, folder: Path) -> bool:
    command = ["apt-cache", "show", "--no-all-versions", "--", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


def _run(*command: str, folder: Path) -> None:
    plain = {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=plain
    )
    if done.returncode:
        words = [line for line in done.stderr.splitlines() if line.strip()]
        raise PackageError(f"{' '.join(command[:2])}: {words[-1] if words else done.returncode}")


def site_of(name: str, unpacked: Path) -> DocSite:
    """Where the pages of a package are; for one not in SITES, its shallowest index.html."""
    if name in SITES:
        root, start, links = SITES[name]
        return DocSite(unpacked / root, start, links)
    found = sorted(unpacked.rglob("index.html"), key=lambda file: (len(file.parts), str(file)))
    if not found:
        raise PackageError(f"{name} has no index.html")
    return DocSite(found[0].parent, "/index.html", 3)
