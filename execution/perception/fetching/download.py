"""One file of weights from its publisher into a folder: under another name until its checksum is right."""

from __future__ import annotations

import contextlib
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import httpx

from execution.perception.fetching.errors import NoRoom, NotOffered, NotReached
from execution.perception.fetching.progress import MB, Progress
from execution.perception.weights import Damaged, Weights, verify

# One file out of a zip that came from elsewhere: by its exact name, and never more than it says.

_CHUNK = 1 << 20
_LARGEST = 4_000 * MB  # EasyOCR's largest is 300 MB; a zip of a few kB can claim any size


def unpack(archive: Path, name: str, target: Path) -> None:
    """Write the member `name` to `target`; raises Damaged for what is no such zip, NoRoom where it does not fit.

    Names of members are compared, never used as paths.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            found = [info for info in file.infolist() if info.filename == name]
            if len(found) != 1:
                raise Damaged(f"is a zip without {name}" if not found else f"is a zip with {len(found)} files {name}")
            _check_size(found[0].file_size, target)
            _copy(file, found[0], target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        target.unlink(missing_ok=True)
        if isinstance(error, NoRoom):
            raise
        raise Damaged(f"is no zip that can be unpacked ({error})") from error


def _check_size(size: int, target: Path) -> None:
    if size > _LARGEST:
        raise Damaged(f"would unpack to {size / MB:.0f} MB")
    free = shutil.disk_usage(target.parent).free
    if free < size:
        raise NoRoom(f"{target.parent} has {free / MB:.0f} MB free and unpacking needs {size / MB:.0f} MB: make room.")


def _copy(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path) -> None:
    with archive.open(info) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink, _CHUNK)  # reads no more than the size that the zip gives, and checks its CRC


TIMEOUT_S = 30.0
_TRIES = 3  # a download of minutes breaks off now and then; each try goes on where the last one stopped
_SPARE = 64 * MB  # left free on the disk, whose database must not fill up


def fetch(weights: Weights, folder: Path, *, progress: Progress, timeout_s: float = TIMEOUT_S) -> Path:
    """Download, unpack, check and put in place; gives the path. Raises FetchFailed with what to do.

    What arrived of a download that broke off is kept as FILE.part, and the next call goes on from there.
    """
    target = folder / weights.filename
    part = folder / (weights.filename + (".zip.part" if weights.packed else ".part"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for again in (True, False):
            resumed = _download(weights, part, progress, timeout_s)
            try:
                _put_in_place(weights, part, target)
                return target
            except NotOffered:
                part.unlink(missing_ok=True)
                if not (resumed and again):  # pieces of two different files: once more from the start
                    raise
    except OSError as error:
        raise NoRoom(f"{folder} does not take the file {weights.filename}: {error}.") from error
    raise AssertionError("unreachable")


def _put_in_place(weights: Weights, part: Path, target: Path) -> None:
    fresh = part
    if weights.packed:
        fresh = target.with_name(target.name + ".new")
        try:
            unpack(part, weights.filename, fresh)
        except Damaged as error:
            raise NotOffered(f"What {weights.url} gave {error}; nothing was kept of it. Try again later.") from error
    try:
        verify(fresh, weights)
    except Damaged as error:
        fresh.unlink()
        raise NotOffered(f"What {weights.url} gave {error}; nothing was kept of it. Try again later.") from error
    fresh.replace(target)
    if weights.packed:
        part.unlink()


def _download(weights: Weights, part: Path, progress: Progress, timeout_s: float) -> bool:
    """Fill `part`; gives whether some of it was there before. Raises NotReached, NotOffered or NoRoom."""
    resumed = part.exists() and part.stat().st_size > 0
    for last in (*[False] * (_TRIES - 1), True):
        before = part.stat().st_size if part.exists() else 0
        try:
            _receive(weights, part, progress, timeout_s)
            return resumed
        except httpx.HTTPError as error:
            got = part.stat().st_size if part.exists() else 0
            if last or got == before:  # nothing came this time: trying again would not help
                raise NotReached(_not_reached(weights, part, error, got, timeout_s)) from error
            resumed = True
    return resumed


def _receive(weights: Weights, part: Path, progress: Progress, timeout_s: float) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with _answer(weights.url, headers, timeout_s) as answer:
        if have and answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # all of it is there, or it is another file: its checksum tells
        _check_status(weights, answer, part.parent)
        goes_on = answer.status_code == httpx.codes.PARTIAL_CONTENT
        have = have if goes_on else 0
        total = have + int(answer.headers.get("content-length", 0))
        _check_room(weights, part.parent, total, have)
        progress.start(total if total > have else 0, have)
        with part.open("ab" if goes_on else "wb") as file:
            for piece in answer.iter_raw():  # as it arrives, so that nothing of it is lost when it breaks off
                file.write(piece)
                progress.advance(len(piece))
            file.flush()
            os.fsync(file.fileno())
    progress.finish()


@contextlib.contextmanager
def _answer(url: str, headers: dict[str, str], timeout_s: float) -> Iterator[httpx.Response]:
    """The server's answer, after its redirects; an address that was safe may not lead to one that is not."""

    def stay_safe(request: httpx.Request) -> None:
        if url.startswith("https:") and request.url.scheme != "https":
            raise NotOffered(f"{url} leads to {request.url.host} without encryption; nothing is taken from there.")

    plain = {"Accept-Encoding": "identity", **headers}  # counted and resumed in the bytes of the file itself
    hooks = {"request": [stay_safe]}
    with (
        httpx.Client(follow_redirects=True, timeout=timeout_s, event_hooks=hooks) as client,
        client.stream("GET", url, headers=plain) as answer,
    ):
        yield answer


def _check_status(weights: Weights, answer: httpx.Response, folder: Path) -> None:
    if answer.is_success:
        return
    said = f"{answer.status_code} {answer.reason_phrase}".strip()
    if answer.is_server_error or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise NotReached(f"{answer.url.host} cannot give {weights.filename} now ({said}). Try again later.")
    raise NotOffered(f"{weights.filename} cannot be had from {weights.url} ({said}). {by_hand(weights, folder)}")


def _check_room(weights: Weights, folder: Path, total: int, have: int) -> None:
    needed = total - have + _SPARE + (round(1.2 * total) if weights.packed else 0)
    free = shutil.disk_usage(folder).free
    if total and free < needed:
        raise NoRoom(
            f"{folder} has {free / MB:.0f} MB free and {weights.filename} needs {needed / MB:.0f} MB: make room, or "
            "name another folder with --folder."
        )


def _not_reached(weights: Weights, part: Path, error: Exception, got: int, timeout_s: float) -> str:
    host = httpx.URL(weights.url).host
    reason = f"sent nothing for {timeout_s:g} s" if isinstance(error, httpx.ReadTimeout) else str(error) or repr(error)
    if got:
        so_far = f"{got / MB:.1f} MB of {weights.filename}"
        return f"{host} broke off after {so_far} ({reason}). Run it again to go on from there."
    return f"{host} cannot be reached ({reason}). {by_hand(weights, part.parent)}"


def by_hand(weights: Weights, folder: Path) -> str:
    """What to do where the file cannot be fetched from here."""
    unpacked = ", unpack it" if weights.packed else ""
    return (
        f"Get {weights.url} on another machine{unpacked}, copy {weights.filename} to {folder}, and look at it with "
        f"'manage.py fetchmodels {weights.group} --verify'."
    )
