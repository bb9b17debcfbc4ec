"""AWS Signature Version 4 for a request with a body, by the standard library alone.

Source: "AWS Signature Version 4 for API requests" in the IAM user guide. Every service but S3 wants the path
of the canonical request encoded once more than it is sent.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit

ALGORITHM: Final = "AWS4-HMAC-SHA256"
_UNRESERVED: Final = "-_.~"


def signed_headers(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    access_key: str,
    secret_key: str,
    session_token: str = "",
    region: str,
    service: str,
    now: float,
) -> dict[str, str]:
    """``headers`` and those that prove who sent them. ``now`` is in seconds since 1970; the service takes
    five minutes of difference.

    ``Host`` is signed but left out of the answer: whoever sends the request sets it.
    """
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    out = {**headers, "X-Amz-Date": stamp}
    if session_token:
        out["X-Amz-Security-Token"] = session_token
    parts = urlsplit(url)
    signing = {name.lower(): " ".join(value.split()) for name, value in out.items()}
    signing["host"] = parts.netloc
    names = ";".join(sorted(signing))
    canonical = "\n".join(
        [
            method,
            quote(parts.path or "/", safe="/" + _UNRESERVED),
            _query(parts.query),
            *(f"{name}:{signing[name]}" for name in sorted(signing)),
            "",
            names,
            hashlib.sha256(body).hexdigest(),
        ]
    )
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join([ALGORITHM, stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret_key}".encode()
    for part in (stamp[:8], region, service, "aws4_request"):
        key = _hmac(key, part)
    signature = _hmac(key, to_sign).hex()
    out["Authorization"] = (
        f"{ALGORITHM} Credential={access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return out


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    encoded = [(quote(name, safe=_UNRESERVED), quote(value, safe=_UNRESERVED)) for name, value in pairs]
    return "&".join(f"{name}={value}" for name, value in sorted(encoded))


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
