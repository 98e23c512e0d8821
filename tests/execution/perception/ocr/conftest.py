from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.execution.perception.ocr import standin


@pytest.fixture(scope="session")
def easyocr_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of weights that EasyOCR takes for its own."""
    import torch

    torch.set_num_threads(1)  # the pictures are small: a second thread costs more than it brings
    folder = tmp_path_factory.mktemp("easyocr")
    standin.make_weights(folder)
    with pytest.MonkeyPatch.context() as patch:
        standin.publish(folder, patch)
        yield folder
