"""PDF files made by code: with text, without, encrypted, broken, large."""

import io
import os
import zlib
from collections.abc import Sequence

WORDS = ("teapot", "kettle", "saucer", "spoon", "sugar", "lemon", "biscuit", "steam")
LINES = 40
"""Lines of a page full of text."""


def pdf(pages: Sequence[str], *, title: str = "", ballast: int = 0, image: bool = False) -> bytes:
    """A document with one page per text; lines end with ``\\n``. ``ballast`` bytes of noise make it large,
    ``image`` paints a picture onto every page, as a scanner does.
    """
    count = len(pages)
    font, info, noise, picture = 3, 4, 5, 6
    first = 7
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(count))
    bodies = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        font: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        info: f"<< /Title ({_escaped(title)}) >>".encode("cp1252"),
        noise: _stream(os.urandom(ballast)),
        picture: _stream(
            bytes(64 * 64),
            b"/Type /XObject /Subtype /Image /Width 64 /Height 64 "
            b"/ColorSpace /DeviceGray /BitsPerComponent 8",
        ),
    }
    for number, text in enumerate(pages):
        page = first + 2 * number
        bodies[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {page + 1} 0 R "
            f"/Resources << /Font << /F1 {font} 0 R >> /XObject << /Im {picture} 0 R >> >> >>"
        ).encode()
        painted = b"q 500 0 0 700 40 60 cm /Im Do Q\n" if image else b""
        bodies[page + 1] = _stream(painted + _content(text), b"/Filter /FlateDecode", packed=True)
    return _file(bodies, info)


def prose(number: int) -> str:
    """A page full of text, different for each number."""
    words = [f"{WORDS[(number * 7 + at) % len(WORDS)]}{at % 97}" for at in range(LINES * 8)]
    rows = [" ".join(words[row * 8 : row * 8 + 8]) for row in range(LINES)]
    return f"Page {number}\n" + "\n".join(rows)


def encrypted(data: bytes, user: str, owner: str = "owner", cipher: str = "RC4-128") -> bytes:
    """The same document behind passwords; an empty ``user`` opens without one. ``cipher`` is pypdf's name."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, owner, algorithm=cipher)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def unknown_cipher(data: bytes) -> bytes:
    """The same document, said to be encrypted with a method that does not exist."""
    strange = (
        b"/V 4 /CF << /StdCF << /CFM /ROT13 /AuthEvent /DocOpen /Length 16 >> >> /StmF /StdCF /StrF /StdCF"
    )
    return encrypted(data, "").replace(b"/V 2\n/R 3", strange + b"\n/R 4")


def _content(text: str) -> bytes:
    shown = "".join(f"({_escaped(line)}) Tj T*\n" for line in text.split("\n") if line)
    return f"BT /F1 10 Tf 14 TL 40 800 Td\n{shown}ET".encode("cp1252", "replace")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _stream(data: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    body = zlib.compress(data) if packed else data
    return b"<< " + entries + b" /Length %d >>\nstream\n" % len(body) + body + b"\nendstream"


def _file(bodies: dict[int, bytes], info: int) -> bytes:
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in sorted(bodies.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    size = max(bodies) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number]
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (size, info)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
