"""Why a file of weights could not be fetched; each message says what to do."""

from __future__ import annotations


class FetchFailed(RuntimeError):
    """`exit_code` is what the command ends with."""

    exit_code = 1


class NotReached(FetchFailed):
    """The network, the server or its answer."""

    exit_code = 3


class NotOffered(FetchFailed):
    """There is a server, and the file is not there; or the bytes are not those that were published."""

    exit_code = 4


class NoRoom(FetchFailed):
    """The disk is too full, or the folder takes no files."""

    exit_code = 5
