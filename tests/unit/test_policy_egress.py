"""The address guard: what it lets through, in whatever spelling."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.toolbox import page_host
from webbrain.policy import egress
from webbrain.policy.egress import Guard, Refused, host_of, resolve
from webbrain.services.settings import FIELDS

STRICT = Guard()
LOCAL = Guard(allow_local=True)
OFF = Guard(enabled=False)

NEVER = [
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.0.1/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata/",
    "http://instance-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://[fd00:ec2::254]/",
    "http://anything.internal/",
    "http://printer.local/",
    "http://PRINTER.LOCAL./",
    "http://0.0.0.0/",
    "http://0/",
    "http://0.1.2.3:8080/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[::]/",
    "http://[ff02::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://169。254。169。254/",
    "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
    "http://%31%36%39.254.169.254/",
]
LOCAL_ONLY = [
    "http://localhost/",
    "http://LocalHost:3000/",
    "http://a.localhost/",
    "http://localhost./",
    "http://router/",
    "http://127.0.0.1/",
    "http://127.255.1.2/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://192.168.257/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[fc00::1]/",
    "http://[fdff::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:c0a8:101]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://127.0.0.1/",
]
PUBLIC = [
    ("https://example.com/", "example.com"),
    ("HTTPS://EXAMPLE.com:8443/a?b#c", "example.com"),
    ("http://8.8.8.8/", "8.8.8.8"),
    ("http://134744072/", "8.8.8.8"),
    ("http://172.32.0.1/", "172.32.0.1"),
    ("http://100.63.0.1/", "100.63.0.1"),
    ("http://[2606:4700::1111]/", "2606:4700::1111"),
    ("http://[::ffff:8.8.8.8]/", "::ffff:808:808"),
    ("https://bücher.example/", "xn--bcher-kva.example"),
    ("https://internal.example.com/", "internal.example.com"),
    ("https://local.example.com/", "local.example.com"),
    ("https://localhost.example.com/", "localhost.example.com"),
    ("https://127.0.0.1.example.com/", "127.0.0.1.example.com"),
]
UNUSABLE = [
    "",
    "example.com",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "chrome://settings/",
    "moz-extension://abc/x",
    "blob:https://example.com/1",
    "https://",
    "https:///x",
    "http:example.com",
    "https://user@example.com/",
    "https://user:word@example.com/",
    "https://example.com:99999/",
    "https://example.com\\@localhost/",
    "https://exa mple.com/",
    "https://example.com/\n",
    "https://ex%61mple.com%2f@x/",
    "https://a%00b.com/",
    "https://a..b/",
    "https://[::1/",
    "https://[zz]/",
    "https://1.2.3.4.5/",
    "https://256.1.1.1/",
    "https://1.2.3.0x/1.2.3.4.0x1/".replace("0x/", "09/"),
    "https://0x1ffffffff/",
    "https://example.com/" + "a" * egress.MOST_URL_CHARS,
]


@pytest.mark.parametrize("url", NEVER)
def test_never(url: str) -> None:
    for guard in (STRICT, LOCAL):
        with pytest.raises(Refused) as caught:
            guard.check(url)
        assert caught.value.code == egress.FORBIDDEN
    assert OFF.check(url), "without the guard it would pass"


@pytest.mark.parametrize("url", LOCAL_ONLY)
def test_the_local_network_is_a_setting(url: str) -> None:
    with pytest.raises(Refused, match="only the user can allow it"):
        STRICT.check(url)
    assert LOCAL.check(url)
    assert OFF.check(url)


@pytest.mark.parametrize(("url", "host"), PUBLIC)
def test_public(url: str, host: str) -> None:
    assert STRICT.check(url) == host


@pytest.mark.parametrize("url", UNUSABLE)
def test_what_is_no_web_address(url: str) -> None:
    for guard in (STRICT, LOCAL, OFF):
        with pytest.raises(Refused) as caught:
            guard.check(url)
        assert caught.value.code == egress.BAD
        assert not guard.allows(url)


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 4), st.lists(st.sampled_from("doxX"), min_size=4, max_size=4)
)
def test_every_spelling_of_an_ipv4_address_is_the_same_host(value: int, parts: int, bases: list[str]) -> None:
    octets = value.to_bytes(4, "big")
    numbers = [*octets[: parts - 1], int.from_bytes(octets[parts - 1 :], "big")]
    forms = {"d": "{:d}", "o": "0{:o}", "x": "0x{:x}", "X": "0X{:X}"}
    spelled = ".".join(forms[base].format(n) for base, n in zip(bases, numbers, strict=False))
    assert host_of(f"http://{spelled}/") == str(ipaddress.IPv4Address(value))


@given(st.integers(0, 2**32 - 1))
def test_ipv4_inside_ipv6_is_judged_like_ipv4(value: int) -> None:
    plain = ipaddress.IPv4Address(value)
    six = ipaddress.IPv6Address((0xFFFF << 32) | value)
    for guard in (STRICT, LOCAL):
        assert guard.allows(f"http://{plain}/") is guard.allows(f"http://[{six}]/")


@given(st.ip_addresses())
def test_what_is_let_through_is_a_public_address(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    url = f"http://[{address}]/" if address.version == 6 else f"http://{address}/"
    if STRICT.allows(url):
        assert not address.is_loopback
        assert not address.is_link_local
        assert not address.is_unspecified
        assert not address.is_multicast
        assert address not in ipaddress.ip_network("192.168.0.0/16")
        assert LOCAL.allows(url)


@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    for url in (text, f"http://{text}/", f"http://{text}.example/"):
        STRICT.allows(url)
    LOCAL.allows(resolve_or_nothing(text))


def resolve_or_nothing(text: str) -> str:
    try:
        return resolve(text, "https://shop.example/list/")
    except Refused:
        return ""


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("/a", "https://shop.example/a"),
        ("b?c=1", "https://shop.example/list/b?c=1"),
        ("//other.example/x", "https://other.example/x"),
        (" https://other.example/ ", "https://other.example/"),
    ],
)
def test_relative_addresses(url: str, meant: str) -> None:
    assert resolve(url, "https://shop.example/list/") == meant


def test_without_a_page_a_name_is_meant() -> None:
    assert resolve("example.com/a", "about:blank") == "https://example.com/a"


@pytest.mark.parametrize(
    ("stored", "allowed"), [(True, True), (False, False), ("true", False), (None, False)]
)
async def test_the_setting_is_read_each_time(stored: object, allowed: bool) -> None:
    host = page_host()
    assert not (await egress.guard(host)).allow_local
    await host.settings.set({egress.LOCAL_NETWORK_SETTING: stored})
    assert (await egress.guard(host)).allow_local is allowed


def test_the_setting_is_one_of_the_settings_page_and_off() -> None:
    assert FIELDS[egress.LOCAL_NETWORK_SETTING].default is False


@pytest.mark.parametrize(
    ("method", "write"), [("GET", False), ("head", False), ("POST", True), ("QUERY", True)]
)
def test_what_counts_as_writing(method: str, write: bool) -> None:
    assert egress.is_write(method) is write
