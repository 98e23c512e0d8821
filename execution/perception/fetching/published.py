"""Which weights are published for what is configured. Addresses come from the libraries that the weights are for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from execution.perception.config import CLIP_SUFFIXES, PerceptionConfig, clip_model_names
from execution.perception.fetching.errors import FetchFailed, NotOffered, NotReached
from execution.perception.weights import Weights

_PREFERRED = "laion2b_s"  # open data, and published as safetensors for the usual sizes
_REDIRECTS = 5


class ClipChoice(NamedTuple):
    """A model of open_clip and one of the trainings that are published for it."""

    model: str
    tag: str

    @property
    def stem(self) -> str:
        """The name of its file without suffix; the embedder knows by it how the weights were trained."""
        return f"{self.model}.{self.tag}"

    def file_in(self, folder: Path) -> Path | None:
        """Its file, whichever of the suffixes it has; None where there is none."""
        there = (folder / f"{self.stem}{suffix}" for suffix in CLIP_SUFFIXES)
        return next((path for path in there if path.is_file()), None)


def clip_choice(config: PerceptionConfig, tag: str = "") -> ClipChoice:
    """The training to fetch: `tag`, or the one that the configured file is named after, or a usual one.

    Raises FetchFailed where there is none of that name, ImportError where open_clip is not installed.
    """
    names = clip_model_names()
    if not names:
        raise ImportError("open_clip is not installed.")
    if config.clip_model not in names:
        raise FetchFailed(f"open_clip has no model {config.clip_model!r}; set RPA_CLIP_MODEL to one of its own names.")
    import open_clip

    tags = open_clip.list_pretrained_tags_by_model(config.clip_model)
    named = config.clip_weights.stem.removeprefix(f"{config.clip_model}.") if config.clip_weights else ""
    usual = next((t for t in tags if t.startswith(_PREFERRED)), next((t for t in tags if t != "openai"), ""))
    chosen = tag or (named if named in tags else "") or usual or (tags[0] if tags else "")
    if chosen not in tags:
        said = f"choose one of: {', '.join(tags)}" if tags else "none is published"
        raise FetchFailed(f"open_clip knows no weights {chosen!r} of the model {config.clip_model}; {said}.")
    return ClipChoice(config.clip_model, chosen)


def clip_weights(choice: ClipChoice, *, timeout_s: float) -> Weights:
    """Where the weights are, with their size and checksum; asks the hub, so raises FetchFailed without a network."""
    import open_clip

    row: dict[str, Any] = open_clip.get_pretrained_cfg(choice.model, choice.tag)
    if row.get("hf_hub"):
        return _on_hub(choice, row["hf_hub"], timeout_s)
    url = row["url"]
    suffix = Path(url).suffix
    digits = Path(url).stem.rsplit("-", 1)[-1]  # such files end in the first digits of their checksum
    short = digits if len(digits) == 8 and all(c in "0123456789abcdef" for c in digits) else ""
    return Weights(group="open_clip", filename=choice.stem + suffix, url=url, algorithm="sha256", checksum=short)


def _on_hub(choice: ClipChoice, place: str, timeout_s: float) -> Weights:
    from huggingface_hub import hf_hub_url
    from open_clip.constants import HF_SAFE_WEIGHTS_NAME, HF_WEIGHTS_NAME

    repository, _, filename = place.rpartition("/")
    for name in [filename] if filename else [HF_SAFE_WEIGHTS_NAME, HF_WEIGHTS_NAME]:
        url = hf_hub_url(repository, name)
        found = _look_up(url, timeout_s)
        if found is not None:
            return replace(found, filename=choice.stem + Path(name).suffix)
    raise NotOffered(f"{repository} holds no weights that open_clip can load; choose others with --clip-tag.")


def _look_up(url: str, timeout_s: float) -> Weights | None:
    """Size and checksum of a file on the hub; None where there is no such file.

    The hub answers with a redirect to its storage, and tells the file's own size and SHA-256 on the way.
    """
    here = httpx.URL(url)
    try:
        with httpx.Client(timeout=timeout_s) as client:
            for _ in range(_REDIRECTS):
                answer = client.head(here, headers={"Accept-Encoding": "identity"})
                if "x-linked-etag" in answer.headers or not answer.is_redirect:
                    break
                here = here.join(answer.headers["location"])
    except httpx.HTTPError as error:
        raise NotReached(
            f"{here.host} cannot be reached ({str(error) or repr(error)}). Get {url} on another machine, copy it to "
            "the models folder and name it with RPA_CLIP_WEIGHTS."
        ) from error
    if answer.status_code in (
        httpx.codes.NOT_FOUND,
        httpx.codes.UNAUTHORIZED,
    ):  # it says 401 too
        return None
    if answer.is_error:
        raise NotReached(f"{here.host} answers {answer.status_code} {answer.reason_phrase} for {url}. Try again later.")
    digest = answer.headers.get("x-linked-etag", "").strip('W/"')
    size = answer.headers.get("x-linked-size", "0")
    return Weights(
        group="open_clip",
        filename="",
        url=url,
        algorithm="sha256",
        checksum=digest if len(digest) == 64 else "",
        size=int(size) if size.isdigit() else 0,
    )
