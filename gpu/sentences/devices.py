"""CLIP and the GPUs themselves: what they and their drivers say."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "clip.unused": _("CLIP is not used: RPA_EMBEDDER is not open_clip."),
    "clip.weights_unset": _("RPA_CLIP_WEIGHTS is not set; get weights with 'manage.py fetchmodels open_clip'."),
    "clip.gpus_silent": _("CLIP stays on the processor, the GPUs do not answer: %(error)s."),
    "clip.gpu_hangs": _("CLIP's GPU has not answered for %(n)d s; the processor sees for it."),
    "clip.no_memory": _("%(device)s had no memory for a picture, the processor saw it instead: %(error)s."),
    "clip.gpu_failed": _("%(device)s has failed, CLIP is on the processor: %(error)s."),
    "clip.not_in_time": _("CLIP has not reached %(device)s within %(n)d s."),
    "clip.cannot_go": _("CLIP cannot go to %(device)s: %(why)s."),
    "clip.is_on": _("CLIP is on %(device)s."),
    "clip.did_not_go": _("CLIP cannot go to %(device)s and is on the processor: %(why)s."),
    "clip.left": _("CLIP has left %(device)s, whose memory may not be free: %(why)s."),
    "clip.still_used": _("%(held)s MB of it are still in use"),
    "clip.other_vectors": _("it gives other vectors there, cosine %(alike).4f with the processor's"),
    "clip.too_little": _("it needs %(needed)s MB and %(free)s MB are free; close what holds them"),
    "clip.device_names": _("devices are named cpu or cuda:N"),
    "clip.torch_finds_none": _("PyTorch finds no GPU here"),
    "clip.counted_from_0": _("there are %(count)s GPUs, counted from 0"),
    "nvml.no_package": _("the package nvidia-ml-py is not installed"),
    "nvml.no_driver": _("no NVIDIA driver is installed here"),
    "nvml.driver_not_loaded": _("the NVIDIA driver is not loaded"),
    "nvml.driver_upgraded": _("the NVIDIA driver was upgraded under this process, which has to be started anew"),
    "nvml.lost": _("it is lost, and comes back when the machine is started anew"),
    "nvml.not_allowed": _("this process may not ask it"),
    "nvml.not_supported": _("it has no memory of its own, or does not tell"),
    "clip.weights_missing": _(
        "The weights of CLIP are not at %(path)s. Get them again with 'manage.py fetchmodels open_clip', or "
        "set RPA_EMBEDDER=builtin."
    ),
    "clip.weights_unread": _(
        "The weights of CLIP, %(path)s, cannot be read (%(error)s). Get them again with 'manage.py "
        "fetchmodels open_clip', or set RPA_EMBEDDER=builtin."
    ),
    "clip.weights_damaged": _(
        "The weights of CLIP, %(path)s: the file %(error)s. Get it again with 'manage.py fetchmodels "
        "open_clip', or set RPA_EMBEDDER=builtin."
    ),
    "clip.no_torch": _("PyTorch is not installed (%(error)s). Install what it needs with 'make models'."),
    "clip.no_open_clip": _("open_clip is not installed (%(error)s). Install what it needs with 'make models'."),
    "clip.no_such_model": _("open_clip has no model %(name)s; set RPA_CLIP_MODEL to one of its own names."),
    "clip.from_a_hub": _("The model %(name)s takes its text half from a hub; set RPA_CLIP_MODEL to another."),
    "clip.of_another_model": _(
        "The weights of CLIP, %(path)s, are not of the model %(name)s: %(why)s. Set RPA_CLIP_MODEL to the "
        "model that they are of, or RPA_EMBEDDER=builtin."
    ),
    "clip.other_sizes": _("other sizes of %(of)s"),
    "clip.lacking": _("no %(of)s"),
    "clip.too_many": _("%(of)s too many"),
    "clip.and_more": _("%(names)s and %(n)s more"),
    "weights.empty": _("is empty"),
    "weights.web_page": _("is a web page, not weights: the download was answered by a proxy or a login page"),
    "weights.pointer": _("is a pointer to the weights, not the weights: fetch the file itself"),
    "weights.no_safetensors": _("is no safetensors file"),
    "weights.cut_off": _("is cut off after %(n)s bytes"),
    "weights.cut_in_header": _("is cut off after %(n)s bytes, within its header"),
    "weights.cut_off_of": _("is cut off: it has %(n)s bytes of %(of)s"),
    "weights.too_long": _("has %(n)s bytes too many"),
}
