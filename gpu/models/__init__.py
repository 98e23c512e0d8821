from gpu.models.catalogue import CatalogueModel
from gpu.models.conversation import Conversation, Message
from gpu.models.owner import GPUEvent, GPUSample, GPUState, LearnedNeed, OwnerRequest
from gpu.models.use import ModelUse

__all__ = [
    "CatalogueModel",
    "Conversation",
    "GPUEvent",
    "GPUSample",
    "GPUState",
    "LearnedNeed",
    "Message",
    "ModelUse",
    "OwnerRequest",
]
