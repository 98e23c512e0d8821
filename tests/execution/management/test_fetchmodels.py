"""S2.8, S2.10, D6: weights are fetched by one command, from a real HTTP server on this machine here."""

from __future__ import annotations

import hashlib
import http.server
import io
import re
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.management.commands import fetchmodels
from execution.perception.fetching import download as download_module
from execution.perception.fetching import published
from execution.perception.fetching.errors import FetchFailed, NoRoom, NotOffered, NotReached
from execution.perception.fetching.progress import Progress
from execution.perception.weights import Damaged, Weights
from tests.execution.perception.test_weights import safetensors

pytestmark = pytest.mark.extras

WEIGHTS = bytes(range(256)) * 4000  # 1 MB


@dataclass
class Publisher:
    """A server whose answers a test sets: `files` by path, `manner` what it does with them."""

    files: dict[str, bytes] = field(default_factory=dict)
    manner: str = "good"
    asked: list[tuple[str, str, str]] = field(default_factory=list)  # method, path, range
    port: int = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    publisher: Publisher

    def do_HEAD(self) -> None:
        self._note()
        content = self.publisher.files.get(self.path.strip("/"))
        if self.path.startswith("/renamed/"):
            self._redirect(self.path.replace("/renamed/", "/hub/"))
        elif content is None:
            self.send_error(404)
        else:
            self.send_response(302)
            self.send_header("Location", "/storage" + self.path)
            self.send_header("X-Linked-Etag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Linked-Size", str(len(content)))
            self.end_headers()

    def do_GET(self) -> None:
        self._note()
        manner, path = self.publisher.manner, self.path.strip("/")
        if path.startswith(("hub/", "renamed/")):
            self._redirect(f"/storage/{path.replace('renamed/', 'hub/')}")
            return
        content = self.publisher.files.get(path.removeprefix("storage/"))
        if content is None:
            self.send_error(404)
        elif manner == "busy":
            self.send_error(503)
        elif manner == "silent":
            time.sleep(0.6)  # longer than the client waits
        else:
            self._send(content, manner)

    def _send(self, content: bytes, manner: str) -> None:
        start = int(re.sub(r"\D", "", self.headers.get("Range", "0")))
        if start and manner == "no ranges":
            start = 0
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if (manner == "breaks off" and not start) or manner == "always breaks off":
            self.wfile.write(content[start : start + len(content) // 4])
            self.close_connection = True
        else:
            self.wfile.write(content[start:])

    def _redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _note(self) -> None:
        self.publisher.asked.append((self.command, self.path, self.headers.get("Range", "")))

    def log_message(self, *args: Any) -> None:
        """Nothing on the terminal of the tests."""


@pytest.fixture
def publisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made = Publisher()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"publisher": made}))
    server.daemon_threads = True
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


def zipped(*members: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def row(publisher: Publisher, path: str, content: bytes = WEIGHTS, **changes: Any) -> Weights:
    digest = hashlib.md5(content).hexdigest()
    return Weights(
        **{"group": "easyocr", "filename": "net.pth", "url": publisher.url(path), "checksum": digest} | changes
    )


def fetch(weights: Weights, folder: Path, out: io.StringIO | None = None) -> Path:
    progress = Progress(weights.filename, out or io.StringIO())
    return download_module.fetch(weights, folder, progress=progress, timeout_s=0.3)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_fetched_checked_and_put_in_place(publisher, tmp_path):
    publisher.files["net.pth"] = WEIGHTS
    out = io.StringIO()
    path = fetch(row(publisher, "net.pth"), tmp_path / "new folder", out)
    assert path.read_bytes() == WEIGHTS
    assert left(path.parent) == ["net.pth"]
    assert "net.pth: 1.0 of 1.0 MB, 100 %" in out.getvalue()


def test_a_zip_is_unpacked_and_not_kept(publisher, tmp_path):
    publisher.files["net.zip"] = zipped(("readme.txt", b"hello"), ("net.pth", WEIGHTS))
    fetch(row(publisher, "net.zip", packed=True), tmp_path)
    assert (tmp_path / "net.pth").read_bytes() == WEIGHTS
    assert left(tmp_path) == ["net.pth"]


def test_a_download_that_breaks_off_is_gone_on_with(publisher, tmp_path):
    publisher.files["net.pth"], publisher.manner = WEIGHTS, "breaks off"
    assert fetch(row(publisher, "net.pth"), tmp_path).read_bytes() == WEIGHTS
    assert [asked[2] for asked in publisher.asked] == ["", f"bytes={len(WEIGHTS) // 4}-"]


def test_what_arrived_is_kept_for_the_next_time(publisher, tmp_path):
    """Three tries come to three quarters; the next call fetches the last one."""
    publisher.files["net.pth"], publisher.manner = WEIGHTS, "always breaks off"
    with pytest.raises(NotReached, match=r"broke off after 0\.8 MB.*Run it again to go on from there"):
        fetch(row(publisher, "net.pth"), tmp_path)
    assert left(tmp_path) == ["net.pth.part"]
    publisher.manner = "good"
    publisher.asked.clear()
    assert fetch(row(publisher, "net.pth"), tmp_path).read_bytes() == WEIGHTS
    assert [asked[2] for asked in publisher.asked] == [f"bytes={len(WEIGHTS) // 4 * 3}-"]


def test_a_server_that_knows_no_ranges_is_asked_for_all_of_it(publisher, tmp_path):
    publisher.files["net.pth"], publisher.manner = WEIGHTS, "no ranges"
    (tmp_path / "net.pth.part").write_bytes(WEIGHTS[:1000])
    assert fetch(row(publisher, "net.pth"), tmp_path).read_bytes() == WEIGHTS


def test_pieces_of_two_different_files_are_found_out_and_fetched_anew(publisher, tmp_path):
    publisher.files["net.pth"] = WEIGHTS
    (tmp_path / "net.pth.part").write_bytes(b"of another version" * 100)
    assert fetch(row(publisher, "net.pth"), tmp_path).read_bytes() == WEIGHTS
    assert [bool(asked[2]) for asked in publisher.asked] == [True, False]


@pytest.mark.parametrize("part", [WEIGHTS, WEIGHTS + b"and more"], ids=["all of it", "too much"])
def test_a_part_that_is_as_long_as_the_file_is_checked_and_taken_or_fetched_anew(publisher, tmp_path, part):
    publisher.files["net.pth"] = WEIGHTS
    (tmp_path / "net.pth.part").write_bytes(part)
    assert fetch(row(publisher, "net.pth"), tmp_path).read_bytes() == WEIGHTS


@pytest.mark.parametrize(
    ("path", "content", "packed", "said"),
    [
        ("net.pth", b"other weights", False, "checksum"),
        ("net.pth", b"<html>Sign in</html>", False, "is a web page"),
        ("net.pth", b"", False, "is empty"),
        ("net.zip", b"no zip at all", True, "no zip that can be unpacked"),
        ("net.zip", zipped(("net.pth", WEIGHTS))[:-40], True, "no zip that can be unpacked"),
        ("net.zip", zipped(("net.pth", b"other weights")), True, "checksum"),
        ("net.zip", zipped(("readme.txt", b"hello")), True, r"is a zip without net\.pth"),
        ("net.zip", zipped(("../net.pth", WEIGHTS), ("a/net.pth", WEIGHTS)), True, r"is a zip without net\.pth"),
    ],
)
def test_what_is_not_what_was_published_is_not_kept(publisher, tmp_path, path, content, packed, said):
    folder = tmp_path / "models"
    publisher.files[path] = content
    with pytest.raises(NotOffered, match=f"{said}.*Try again later"):
        fetch(row(publisher, path, packed=packed), folder)
    assert left(folder) == []
    assert left(tmp_path) == ["models"]  # nothing was written beside it either


def test_a_file_that_is_there_stays_until_the_new_one_is_right(publisher, tmp_path):
    (tmp_path / "net.pth").write_bytes(b"old")
    publisher.files["net.pth"] = b"not what was published"
    with pytest.raises(NotOffered):
        fetch(row(publisher, "net.pth"), tmp_path)
    assert (tmp_path / "net.pth").read_bytes() == b"old"


@pytest.mark.security
def test_a_small_zip_that_would_fill_the_disk_is_refused(publisher, tmp_path, monkeypatch):
    publisher.files["net.zip"] = zipped(("net.pth", bytes(5_000_000)))
    monkeypatch.setattr("execution.perception.fetching.download._LARGEST", 4_000_000)
    with pytest.raises(NotOffered, match="would unpack to 5 MB"):
        fetch(row(publisher, "net.zip", packed=True), tmp_path)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("manner", "error", "said"),
    [
        ("missing", NotOffered, r"cannot be had.*404.*another machine.*copy net\.pth to .*--verify"),
        ("busy", NotReached, r"127\.0\.0\.1 cannot give net\.pth now \(503.*Try again later"),
        ("silent", NotReached, r"127\.0\.0\.1 cannot be reached \(sent nothing for 0\.3 s\).*another machine"),
    ],
)
def test_a_server_that_gives_nothing_is_said_with_what_to_do(publisher, tmp_path, manner, error, said):
    publisher.files["net.pth"] = WEIGHTS
    publisher.manner = manner
    with pytest.raises(error, match=said) as caught:
        fetch(row(publisher, "gone.pth" if manner == "missing" else "net.pth"), tmp_path)
    assert str(tmp_path) in str(caught.value) or manner == "busy"
    assert left(tmp_path) == []


def test_without_a_network_it_says_which_file_to_copy_by_hand(publisher, tmp_path):
    publisher.port = 1  # nobody listens there
    with pytest.raises(NotReached) as caught:
        fetch(row(publisher, "net.zip", packed=True), tmp_path)
    said = str(caught.value)
    assert "127.0.0.1 cannot be reached" in said
    assert f"Get {publisher.url('net.zip')} on another machine, unpack it, copy net.pth to {tmp_path}" in said


@pytest.mark.security
def test_an_address_that_was_encrypted_may_not_lead_to_one_that_is_not(monkeypatch, tmp_path):
    import httpx

    real = httpx.Client

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"Location": "http://elsewhere.example/net.pth"})

    monkeypatch.setattr(httpx, "Client", lambda **options: real(transport=httpx.MockTransport(answer), **options))
    weights = Weights(group="easyocr", filename="net.pth", url="https://safe.example/net.pth")
    with pytest.raises(NotOffered, match=r"leads to elsewhere\.example without encryption"):
        fetch(weights, tmp_path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_disk_that_is_too_full_is_said_before_anything_is_written(publisher, tmp_path, monkeypatch, packed):
    publisher.files["net"] = zipped(("net.pth", WEIGHTS)) if packed else WEIGHTS
    usage = shutil.disk_usage(tmp_path)._replace(free=30_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(NoRoom, match=r"30 MB free and net\.pth needs \d+ MB: make room"):
        fetch(row(publisher, "net", packed=packed), tmp_path)
    assert left(tmp_path) == []


def test_a_folder_that_takes_no_files_is_said(publisher, tmp_path):
    publisher.files["net.pth"] = WEIGHTS
    (tmp_path / "models").write_text("a file, not a folder")
    with pytest.raises(NoRoom, match="does not take the file"):
        fetch(row(publisher, "net.pth"), tmp_path / "models")


def steps(total: int, *, terminal: bool) -> str:
    """What is said of a download in twenty equal pieces, one a second."""
    out = io.StringIO()
    out.isatty = lambda: terminal  # type: ignore[method-assign]
    now = iter(range(1000))
    progress = Progress("net.pth", out, clock=lambda: float(next(now)))
    progress.start(total, 0)
    for _ in range(20):
        progress.advance(1_000_000)
    progress.finish()
    return out.getvalue()


def test_progress_is_one_line_written_over_on_a_terminal_and_elsewhere_a_line_for_each_tenth():
    said = steps(20_000_000, terminal=True)
    assert (said.count("\n"), said.count("\r")) == (1, 21)
    assert "\rnet.pth: 10.0 of 20.0 MB, 50 %, 1.0 MB/s" in said
    lines = steps(20_000_000, terminal=False).splitlines()
    assert 9 <= len(lines) <= 12
    assert lines[-1].startswith("net.pth: 20.0 of 20.0 MB, 100 %")
    assert steps(0, terminal=False).splitlines()[0] == "net.pth: 10.0 MB, 1.0 MB/s", "of a size that nobody said"


# --- The command ----------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    code: int
    said: str


@pytest.fixture
def command(settings: Any, tmp_path: Path) -> Callable[..., Outcome]:
    """`command("easyocr", "--list")`: what it ends with and says; its folder is a new one."""
    settings.RPA_MODELS_DIR = tmp_path / "models"
    settings.RPA_MODELS_DIR.mkdir()

    def run(*arguments: str) -> Outcome:
        out = io.StringIO()
        try:
            call_command("fetchmodels", *arguments, "--timeout", "0.3", stdout=out)
        except CommandError as error:
            return Outcome(error.returncode, out.getvalue() + str(error))
        return Outcome(0, out.getvalue())

    return run


@pytest.fixture
def easyocr_published(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    rows = []
    for name in ("craft.pth", "latin.pth"):
        content = WEIGHTS + name.encode()
        publisher.files[name + ".zip"] = zipped((name, content))
        rows.append(row(publisher, name + ".zip", content, filename=name, packed=True))
    monkeypatch.setattr(fetchmodels, "easyocr_weights", lambda languages: tuple(rows))
    return publisher


@pytest.fixture
def clip_published(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    """open_clip's table with one training, and a hub that has its files."""
    import huggingface_hub
    import open_clip

    tags = {"openai": {"url": "x"}, "laion2b_s1": {"hf_hub": "someone/tiny/"}, "old": {"hf_hub": "someone/old/"}}
    tags["by_url"] = {"url": publisher.url(f"tiny-{hashlib.sha256(WEIGHTS).hexdigest()[:8]}.pt")}
    monkeypatch.setattr(open_clip, "list_pretrained_tags_by_model", lambda model: list(tags))
    monkeypatch.setattr(open_clip, "get_pretrained_cfg", lambda model, tag: tags[tag])
    monkeypatch.setattr(huggingface_hub, "hf_hub_url", lambda repo, name: publisher.url(f"hub/{repo}/{name}"))
    publisher.files["hub/someone/tiny/open_clip_model.safetensors"] = safetensors(a=5000)
    publisher.files["hub/someone/old/open_clip_pytorch_model.bin"] = WEIGHTS
    publisher.files[tags["by_url"]["url"].rsplit("/", 1)[-1]] = WEIGHTS
    return publisher


def test_it_gets_what_the_settings_need_and_nothing_else(command, easyocr_published, settings):
    assert command().said.startswith("Nothing to do")
    assert easyocr_published.asked == []
    settings.RPA_OCR_ENGINE = "easyocr"
    done = command()
    assert done.code == 0
    assert left(settings.RPA_MODELS_DIR) == ["craft.pth", "latin.pth"]
    assert "checksum right" in done.said


def test_what_is_there_and_whole_is_not_fetched_again_and_what_is_damaged_is(command, easyocr_published, settings):
    assert command("easyocr").code == 0
    easyocr_published.asked.clear()
    assert "craft.pth: there" in command("easyocr").said
    assert easyocr_published.asked == []
    (settings.RPA_MODELS_DIR / "latin.pth").write_bytes(b"half of it")
    assert command("easyocr").code == 0
    assert [asked[1] for asked in easyocr_published.asked] == ["/latin.pth.zip"]
    assert command("easyocr", "--again").code == 0
    assert len(easyocr_published.asked) == 3


def test_verify_says_of_each_file_whether_it_is_whole(command, easyocr_published, settings):
    missing = command("easyocr", "--verify")
    assert (missing.code, missing.said.count("missing")) == (fetchmodels.EXIT_DAMAGED, 2)
    assert easyocr_published.asked == []
    command("easyocr")
    sound = command("easyocr", "--verify")
    assert (sound.code, sound.said.count("whole")) == (0, 2)
    (settings.RPA_MODELS_DIR / "craft.pth").write_bytes(b"half of it")
    harmed = command("easyocr", "--verify")
    assert harmed.code == fetchmodels.EXIT_DAMAGED
    assert re.search(r"craft\.pth: has the md5 checksum", harmed.said)
    assert "1 of 2 cannot be used; get them with 'manage.py fetchmodels easyocr'" in harmed.said


def test_list_says_what_there_is_where_it_comes_from_and_what_is_there(command, easyocr_published, clip_published):
    command("easyocr")
    easyocr_published.asked.clear()
    said = command("--list").said
    assert "craft.pth: there, 1.0 MB" in said
    assert easyocr_published.url("craft.pth.zip") in said
    assert "ViT-B-32.laion2b_s1: missing" in said
    assert "the hub's someone/tiny" in said
    assert easyocr_published.asked == []


def test_another_folder_can_be_named(command, easyocr_published, tmp_path, settings):
    assert command("easyocr", "--folder", str(tmp_path / "usb")).code == 0
    assert left(tmp_path / "usb") == ["craft.pth", "latin.pth"]
    assert left(settings.RPA_MODELS_DIR) == []


def test_weights_of_clip_come_with_the_hubs_checksum_and_the_settings_to_write(command, clip_published, settings):
    done = command("open_clip")
    assert done.code == 0
    assert "checksum right" in done.said
    assert "RPA_CLIP_MODEL=ViT-B-32 and RPA_CLIP_WEIGHTS=ViT-B-32.laion2b_s1.safetensors" in done.said
    path = settings.RPA_MODELS_DIR / "ViT-B-32.laion2b_s1.safetensors"
    assert path.read_bytes() == safetensors(a=5000)
    assert command("open_clip", "--verify").code == 0
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    harmed = command("open_clip", "--verify")
    assert harmed.code == fetchmodels.EXIT_DAMAGED
    assert "its checksum has changed" in harmed.said


def test_weights_of_clip_that_the_hub_garbles_are_not_kept(command, clip_published, monkeypatch, settings):
    content = safetensors(a=5000)
    look_up = published._look_up
    monkeypatch.setattr(
        published, "_look_up", lambda url, timeout: published.replace(look_up(url, timeout), checksum="0" * 64)
    )
    done = command("open_clip")
    assert done.code == NotOffered.exit_code
    assert hashlib.sha256(content).hexdigest() in done.said
    assert left(settings.RPA_MODELS_DIR) == []


@pytest.mark.parametrize(
    ("tag", "configured", "file"),
    [
        ("old", "", "ViT-B-32.old.bin"),
        ("by_url", "", "ViT-B-32.by_url.pt"),
        ("", "ViT-B-32.old.bin", "ViT-B-32.old.bin"),
    ],
)
def test_another_training_can_be_named_by_hand_or_by_the_configured_file(
    command, clip_published, settings, tag, configured, file
):
    settings.RPA_CLIP_WEIGHTS = configured
    assert command("open_clip", "--clip-tag", tag).code == 0
    assert file in left(settings.RPA_MODELS_DIR)


def test_a_repository_that_was_renamed_is_followed(publisher, monkeypatch):
    publisher.files["hub/new/model.bin"] = WEIGHTS
    found = published._look_up(publisher.url("renamed/new/model.bin"), 0.3)
    assert found is not None
    assert (found.size, found.checksum) == (len(WEIGHTS), hashlib.sha256(WEIGHTS).hexdigest())


def test_without_a_network_clips_file_is_named_to_be_copied_by_hand(command, clip_published):
    clip_published.port = 1
    done = command("open_clip")
    assert done.code == NotReached.exit_code
    assert "open_clip_model.safetensors on another machine" in done.said
    assert "RPA_CLIP_WEIGHTS" in done.said


def test_names_that_there_are_not_are_refused_with_those_there_are(command, clip_published):
    assert command("gocr") == Outcome(1, "There are no weights named gocr; choose of: easyocr, open_clip.")
    done = command("open_clip", "--clip-tag", "none")
    assert done.code == 1
    assert "knows no weights 'none' of the model ViT-B-32; choose one of: openai, laion" in done.said


def test_a_model_or_a_language_that_there_is_not_is_said(command, settings):
    settings.RPA_CLIP_MODEL, settings.RPA_OCR_LANGUAGES = "ViT-Z", ["tlh"]
    assert "no model 'ViT-Z'; set RPA_CLIP_MODEL" in command("open_clip").said
    assert "does not read tlh" in command("easyocr").said


@pytest.mark.parametrize(
    ("error", "code"),
    [
        *((NotReached("x"), 3), (NotOffered("x"), 4), (NoRoom("x"), 5), (FetchFailed("x"), 1)),
        (KeyboardInterrupt(), fetchmodels.INTERRUPTED),
    ],
)
def test_each_kind_of_failure_has_its_exit_code(command, easyocr_published, monkeypatch, error, code):
    def fail(*args: Any, **options: Any) -> Path:
        raise error

    monkeypatch.setattr(fetchmodels, "fetch", fail)
    assert command("easyocr").code == code


def test_it_runs_where_the_settings_are_refused_for_want_of_weights(settings, tmp_path, easyocr_published):
    """The check that refuses such settings must not keep the command from mending them."""
    from rpa_site import checks

    settings.RPA_OCR_ENGINE, settings.RPA_MODELS_DIR = "easyocr", tmp_path
    assert [m.id for m in checks.perception_can_be_built()] == ["rpa_site.E008"]
    assert fetchmodels.Command.requires_system_checks == []
    call_command("fetchmodels", "--timeout", "0.3", stdout=io.StringIO())
    assert left(tmp_path) == ["craft.pth", "latin.pth"]


def test_looking_at_a_file_without_a_kept_checksum_tells_what_can_be_told(tmp_path):
    from execution.perception.fetching.kept import check_kept

    check_kept(tmp_path / "w.bin")
    (tmp_path / "w.bin").write_bytes(b"x")
    (tmp_path / "w.bin.sha256").write_text("")
    with pytest.raises(Damaged, match="checksum has changed"):
        check_kept(tmp_path / "w.bin")
