"""The references of taught pictures in the database: what the matching's `ReferenceStore` asks for (S2.10)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from execution.matching.references import Reading
from execution.models import ReferenceReading, ReferenceVector
from execution.types import Embedding

log = logging.getLogger(__name__)

_AT_ONCE = 500  # pictures asked for in one query: SQLite takes a limited number of parameters
_FLOATS = "<f4"


class DatabaseReferences:
    """A ReferenceStore that lasts. What is kept and cannot be used is taken for missing, and so made again."""

    def readings(self, pictures: Iterable[str], maker: str) -> dict[str, Reading]:
        found = {}
        for some in _pieces(pictures):
            rows = ReferenceReading.objects.filter(picture__in=some, maker=maker)
            for picture, data in rows.values_list("picture", "reading"):
                try:
                    found[picture] = Reading.from_json(data)
                except ValueError as error:
                    log.warning("the reading of picture %s is not used: %s", picture[:8], error)
        return found

    def embeddings(self, pictures: Iterable[str], model: str) -> dict[str, Embedding]:
        found = {}
        for some in _pieces(pictures):
            rows = ReferenceVector.objects.filter(picture__in=some, model=model)
            for picture, data in rows.values_list("picture", "vector"):
                vector = np.frombuffer(bytes(data), _FLOATS).astype(np.float32)
                found[picture] = Embedding(model=model, vector=vector)
        return found

    def keep_reading(self, reading: Reading) -> None:
        ReferenceReading.objects.update_or_create(
            picture=reading.picture, maker=reading.maker, defaults={"reading": reading.to_json()}
        )

    def keep_embedding(self, picture: str, embedding: Embedding) -> None:
        ReferenceVector.objects.update_or_create(
            picture=picture, model=embedding.model, defaults={"vector": embedding.vector.astype(_FLOATS).tobytes()}
        )


def _pieces(pictures: Iterable[str]) -> Iterator[Sequence[str]]:
    some = list(pictures)
    for start in range(0, len(some), _AT_ONCE):
        yield some[start : start + _AT_ONCE]
