"""The key that signs checkpoints, and the public text by which anyone checks them.

The private key is a PEM file that its owner alone may read, kept apart from the log. The public half is a verifier
key in the C2SP signed-note form ``name+hash+base64``, one line beside the log.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from averment.errors import InvalidSettings, LedgerError

KEY_FILE = "ledger.key"
NEXT_KEY_FILE = "ledger.key.next"

_ED25519 = b"\x01"
_VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")


class BadKey(ValueError):
    """A text that is not a verifier key."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The public half of a signing key, with the name it signs under."""

    name: str
    public: bytes

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """The key that a text ``name+hash+base64`` names.

        Raises:
            BadKey: the text has another form, or its hash does not fit.
        """
        found = _VKEY.fullmatch(text)
        if found is None:
            raise BadKey("A verifier key has the form name+hash+base64.")
        try:
            data = base64.b64decode(found[3], validate=True)
        except binascii.Error as error:
            raise BadKey("The verifier key's last part is not base64.") from error
        if len(data) != 33 or data[:1] != _ED25519:
            raise BadKey("The verifier key is not an Ed25519 key.")
        key = cls(found[1], data[1:])
        if key.text != text:
            raise BadKey("The verifier key's hash does not match its name and key.")
        return key

    @property
    def key_id(self) -> bytes:
        """The four bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    @property
    def text(self) -> str:
        """The key as ``name+hash+base64``."""
        return f"{self.label}+{base64.b64encode(_ED25519 + self.public).decode('ascii')}"

    @property
    def label(self) -> str:
        """The short form ``name+hash`` for a person to compare."""
        return f"{self.name}+{self.key_id.hex()}"

    def verifies(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made the signature over the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key with the name it signs under; never printed."""

    verifier: VerifierKey
    _private: Ed25519PrivateKey

    @classmethod
    def generate(cls, name: str) -> SigningKey:
        """A fresh key."""
        return cls._of(name, Ed25519PrivateKey.generate())

    @classmethod
    def _of(cls, name: str, private: Ed25519PrivateKey) -> SigningKey:
        public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return cls(VerifierKey(name, public), private)

    @classmethod
    def load(cls, path: Path, name: str) -> SigningKey:
        """The key in a file.

        Raises:
            FileNotFoundError: there is no such file.
            LedgerError: others may read the file, or it holds no Ed25519 key.
        """
        with path.open("rb") as file:
            # The mode of the opened file, not of the path: the file cannot be swapped in between.
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise LedgerError(
                    f"The signing key {path.name} can be read by other users (mode {mode:04o}), so it was not used.",
                    hint=f"Run `chmod 600` on {path.name}, and rotate the key if someone may have read it.",
                )
            content = file.read(65_536)
        try:
            private = load_pem_private_key(content, password=None)
        except (ValueError, TypeError) as error:
            raise LedgerError(
                f"The signing key {path.name} cannot be read.", hint="Restore it from a backup."
            ) from error
        if not isinstance(private, Ed25519PrivateKey):
            raise LedgerError(f"The signing key {path.name} is not an Ed25519 key.", hint="Restore it from a backup.")
        return cls._of(name, private)

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of the signature."""
        return self._private.sign(message)

    def save_new(self, path: Path) -> bool:
        """Whether this key is now in the file; False when a key was there first, which then stays."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        content = self._private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            # A hard link appears whole and only if the name is free: of two creators exactly one wins.
            os.link(draft, path)
        except FileExistsError:
            return False
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        sync_folder(path.parent)
        return True


def load_or_create(folder: Path, name: str) -> SigningKey:
    """The folder's signing key, made on first use.

    Raises:
        LedgerError: the key file is readable by others, or holds no key.
    """
    path = folder / KEY_FILE
    with suppress(FileNotFoundError):
        return SigningKey.load(path, name)
    SigningKey.generate(name).save_new(path)
    return SigningKey.load(path, name)


def check_name(name: str) -> None:
    """Refuse a name that a signed note cannot carry.

    Raises:
        InvalidSettings: the name is empty, or holds white space or a plus sign.
    """
    if _VKEY.fullmatch(f"{name}+00000000+AAAA") is None or not name.isprintable():
        raise InvalidSettings(f"The ledger name {name!r} cannot be used.", hint="Use no spaces and no plus sign.")


def sync_folder(folder: Path) -> None:
    """Make the folder's names durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
