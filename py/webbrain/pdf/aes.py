"""AES (FIPS 197) in plain Python, for PDFs that are encrypted but open without a password.

The interpreter in the browser has no cipher library, and Web Crypto answers later, which pypdf cannot wait
for. Whoever needs secrecy must not use this: how long it takes depends on key and data. Here the reader knows
both.
"""

import secrets
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

BLOCK: Final = 16
"""Bytes."""

Words = list[int]
Tables = tuple[list[int], list[int], list[int], list[int]]


@cache
def _boxes() -> tuple[bytes, bytes]:
    """The S-box and its inverse: inversion in GF(2^8), then an affine map."""
    powers, logs, value = [0] * 255, [0] * 256, 1
    for exponent in range(255):
        powers[exponent], logs[value] = value, exponent
        value ^= _doubled(value)
    box, inverse = bytearray(256), bytearray(256)
    for byte in range(256):
        turned = mixed = powers[-logs[byte] % 255] if byte else 0
        for _ in range(4):
            turned = (turned << 1 | turned >> 7) & 0xFF
            mixed ^= turned
        box[byte] = mixed ^ 0x63
        inverse[mixed ^ 0x63] = byte
    return bytes(box), bytes(inverse)


def _doubled(byte: int) -> int:
    return (byte << 1 ^ (0x11B if byte & 0x80 else 0)) & 0xFF


def _times(byte: int, factor: int) -> int:
    product = 0
    while factor:
        product ^= byte if factor & 1 else 0
        byte, factor = _doubled(byte), factor >> 1
    return product


@cache
def _tables(*, backwards: bool) -> Tables:
    """For each row of a column: a byte through the S-box and the mixing of columns, as one word."""
    box = _boxes()[1] if backwards else _boxes()[0]
    factors = (14, 9, 13, 11) if backwards else (2, 1, 1, 3)
    first = [int.from_bytes(bytes(_times(box[byte], factor) for factor in factors)) for byte in range(256)]
    turned = [first]
    for _ in range(3):
        turned.append([word >> 8 | (word & 0xFF) << 24 for word in turned[-1]])
    return turned[0], turned[1], turned[2], turned[3]


class Key:
    """A key of 16, 24 or 32 bytes, expanded for one direction."""

    def __init__(self, key: bytes, *, backwards: bool) -> None:
        if len(key) not in (16, 24, 32):
            raise ValueError("an AES key has 16, 24 or 32 bytes")
        rounds = _expanded(key)
        if backwards:
            middle = [[_unmixed(word) for word in words] for words in rounds[1:-1]]
            rounds = [rounds[-1], *reversed(middle), rounds[0]]
        # Backwards, rows are shifted the other way; with the columns in reverse that is the same way again.
        self._order = (0, 3, 2, 1) if backwards else (0, 1, 2, 3)
        self._rounds = [tuple(words[place] for place in self._order) for words in rounds]
        self._tables = _tables(backwards=backwards)
        self._box = _boxes()[1] if backwards else _boxes()[0]

    def block(self, data: bytes) -> bytes:
        """One block, encrypted or decrypted. Written out, for this is where all the time goes."""
        t0, t1, t2, t3 = self._tables
        box, order = self._box, self._order
        columns = [int.from_bytes(data[at : at + 4]) for at in range(0, BLOCK, 4)]
        (k0, k1, k2, k3), *middle, last = self._rounds
        a, b = columns[0] ^ k0, columns[order[1]] ^ k1
        c, d = columns[2] ^ k2, columns[order[3]] ^ k3
        for k0, k1, k2, k3 in middle:
            a, b, c, d = (
                t0[a >> 24] ^ t1[b >> 16 & 255] ^ t2[c >> 8 & 255] ^ t3[d & 255] ^ k0,
                t0[b >> 24] ^ t1[c >> 16 & 255] ^ t2[d >> 8 & 255] ^ t3[a & 255] ^ k1,
                t0[c >> 24] ^ t1[d >> 16 & 255] ^ t2[a >> 8 & 255] ^ t3[b & 255] ^ k2,
                t0[d >> 24] ^ t1[a >> 16 & 255] ^ t2[b >> 8 & 255] ^ t3[c & 255] ^ k3,
            )
        state = (a, b, c, d)
        out = [
            (
                box[state[at] >> 24] << 24
                | box[state[at - 3] >> 16 & 255] << 16
                | box[state[at - 2] >> 8 & 255] << 8
                | box[state[at - 1] & 255]
            )
            ^ last[at]
            for at in range(4)
        ]
        return b"".join(out[place].to_bytes(4) for place in order)


def _expanded(key: bytes) -> list[Words]:
    box = _boxes()[0]
    size = len(key) // 4
    words = [int.from_bytes(key[at : at + 4]) for at in range(0, len(key), 4)]
    constant = 1
    for number in range(size, 4 * (size + 7)):
        word = words[-1]
        if number % size == 0:
            word = _through(box, (word << 8 | word >> 24) & 0xFFFFFFFF) ^ constant << 24
            constant = _doubled(constant)
        elif size > 6 and number % size == 4:
            word = _through(box, word)
        words.append(words[-size] ^ word)
    return [words[at : at + 4] for at in range(0, len(words), 4)]


def _through(box: bytes, word: int) -> int:
    return int.from_bytes(bytes(box[byte] for byte in word.to_bytes(4)))


def _unmixed(word: int) -> int:
    tables, box = _tables(backwards=True), _boxes()[0]
    mixed = 0
    for table, byte in zip(tables, word.to_bytes(4), strict=True):
        mixed ^= table[box[byte]]
    return mixed


def _blocks(data: bytes) -> Iterator[bytes]:
    if len(data) % BLOCK:
        raise ValueError("the data is no whole number of blocks")
    return (data[at : at + BLOCK] for at in range(0, len(data), BLOCK))


def _xor(one: bytes, other: bytes) -> bytes:
    return (int.from_bytes(one) ^ int.from_bytes(other)).to_bytes(BLOCK)


def aes_ecb_encrypt(key: bytes, data: bytes) -> bytes:
    """Each block by itself."""
    cipher = Key(key, backwards=False)
    return b"".join(cipher.block(block) for block in _blocks(data))


def aes_ecb_decrypt(key: bytes, data: bytes) -> bytes:
    """Each block by itself."""
    cipher = Key(key, backwards=True)
    return b"".join(cipher.block(block) for block in _blocks(data))


def aes_cbc_encrypt(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Each block over the one before it; nothing is padded."""
    cipher, out, last = Key(key, backwards=False), [], iv
    for block in _blocks(data):
        last = cipher.block(_xor(block, last))
        out.append(last)
    return b"".join(out)


def aes_cbc_decrypt(key: bytes, iv: bytes, data: bytes) -> bytes:
    """The reverse; padding stays."""
    cipher, out, last = Key(key, backwards=True), [], iv
    for block in _blocks(data):
        out.append(_xor(cipher.block(block), last))
        last = block
    return b"".join(out)


class CryptAES:
    """AES as PDF uses it: CBC, the first block being the start, padded to whole blocks."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def encrypt(self, data: bytes) -> bytes:
        """Add padding and encrypt."""
        missing = BLOCK - len(data) % BLOCK
        start = secrets.token_bytes(BLOCK)
        return start + aes_cbc_encrypt(self._key, start, data + bytes([missing]) * missing)

    def decrypt(self, data: bytes, *, strict: bool = True) -> bytes:
        """Decrypt and take the padding off; what is damaged at its end is read as far as it goes."""
        whole = data[: len(data) - len(data) % BLOCK]
        if len(whole) <= BLOCK:
            return b""
        plain = aes_cbc_decrypt(self._key, whole[:BLOCK], whole[BLOCK:])
        return plain[: -plain[-1]] if 1 <= plain[-1] <= BLOCK else plain


def install() -> None:
    """Put these in the place of pypdf's own, which refuse, unless there is a cipher library."""
    from pypdf import _crypt_providers, _encryption

    if _crypt_providers.crypt_provider[0] != "local_crypt_fallback":
        return
    ours: dict[str, Any] = {"CryptAES": CryptAES}
    for function in (aes_cbc_decrypt, aes_cbc_encrypt, aes_ecb_decrypt, aes_ecb_encrypt):
        ours[function.__name__] = function
    for name, value in ours.items():
        if not hasattr(_encryption, name):
            raise RuntimeError(f"pypdf has no {name} to replace; this module was written for another version")
        setattr(_encryption, name, value)
