"""The manager of a process with all its parts, as the deployment has them."""

from __future__ import annotations

import atexit
import logging
from functools import cache

from django.db import Error as DatabaseTrouble

from gpu.catalogue import allowed_elsewhere
from gpu.choices import ProviderName
from gpu.clip import CLIPManager
from gpu.config import GPUResourceConfig
from gpu.control.residency import Needs
from gpu.machine.owner_socket import FILE_NAME, OwnerClient, RequestServer
from gpu.machine.ownership import Ownership, machine_name
from gpu.machine.status import Publisher, gpu_folder
from gpu.manager import GPUResourceManager
from gpu.models import CatalogueModel, ModelUse
from gpu.ollama import tagged
from gpu.runtime import DatabaseThread

log = logging.getLogger(__name__)


@cache
def get_gpu_resource_manager() -> GPUResourceManager:
    """The one manager of this process (S3.1); the end of the process gives back the GPU, and says so in the rows."""
    manager = wired_manager()
    atexit.register(manager.close)
    return manager


def wired_manager() -> GPUResourceManager:
    """It owns nothing, and starts nothing, before it is asked for something."""
    config = GPUResourceConfig.from_settings()
    machine, database = machine_name(), DatabaseThread()
    ownership, socket = Ownership(gpu_folder()), gpu_folder() / FILE_NAME

    async def keep(use: ModelUse) -> None:
        await database.run(use.keep)

    async def declared_mb(model: str) -> int | None:
        return await database.run(lambda: in_catalogue(model))

    async def publish(manager: GPUResourceManager) -> None:
        await publisher.run()

    async def serve(manager: GPUResourceManager) -> None:
        serving = manager.serving
        await RequestServer(socket, serve=serving.carry_out, use=serving.used, failed=publisher.refused).run()

    manager = GPUResourceManager(
        config,
        clip=CLIPManager.from_settings(),
        ownership=ownership,
        remote=OwnerClient(socket, holder=ownership.holder, silent_s=config.silent_s, gone_s=2 * config.claim_every_s),
        needs=Needs(database),
        record=keep,
        declared_mb=declared_mb,
        cloud_allowed=allowed_elsewhere(ProviderName.OLLAMA, database),
        companions=(publish, serve),
        at_last=database.close,  # what was told is written before
    )
    publisher = Publisher(machine, database, manager.details)

    def owned(held: bool) -> None:
        holder = ownership.holder() if held else None
        if holder is not None:
            publisher.open(holder)
        else:
            publisher.shut()

    ownership.on_change(owned)
    manager.on_event(publisher.hear)
    manager.on_queue(publisher.stir)
    return manager


def in_catalogue(model: str) -> int | None:
    """What the catalogue says that a model of Ollama needs; None where it does not say, or cannot be read."""
    try:
        needs = dict(CatalogueModel.objects.filter(provider=ProviderName.OLLAMA).values_list("name", "vram_mb"))
    except DatabaseTrouble as error:
        log.warning("the catalogue of models cannot be read: %s", error)
        return None
    return next((need for name, need in needs.items() if tagged(name) == model and need), None)
