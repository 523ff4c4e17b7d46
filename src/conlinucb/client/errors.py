"""What a call can end with instead of an answer."""

from __future__ import annotations

from conlinucb.errors import ConlinucbError


class ClientError(ConlinucbError):
    """A call of the service did not succeed."""


class Refused(ClientError):
    """The service said no: sending it again would not help."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        """One word for programs, such as ``unknown_user``."""


class Unavailable(ClientError):
    """No answer within the deadline; whether it was taken in is not known.

    The same call with the same event ids may be made later, and counts once.
    """
