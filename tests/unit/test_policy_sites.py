"""What is one site, and where cookies go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webbrain.policy.sites import cookies_for, same_site, site_of


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("shop.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("x.alice.github.io", "alice.github.io"),
        ("github.io", "github.io"),
        ("a.b.kobe.jp", "a.b.kobe.jp"),
        ("city.kobe.jp", "city.kobe.jp"),
        ("www.city.kobe.jp", "city.kobe.jp"),
        ("a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),
        ("b.a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),
        ("something.unknowntld", "something.unknowntld"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("0x7f.1", "0x7f.1"),
        ("2606:4700::1111", "2606:4700::1111"),
        ("300.1.1.1", "300.1.1.1"),
    ],
)
def test_site(host: str, site: str) -> None:
    assert site_of(host) == site


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.example.com/", "https://b.example.com/x", True),
        ("https://example.com/", "https://EXAMPLE.com.:443/", True),
        ("https://example.com/", "https://example.org/", False),
        ("https://alice.github.io/", "https://bob.github.io/", False),
        ("https://notexample.com/", "https://example.com/", False),
        ("http://127.0.0.1:1/", "http://127.0.0.1:2/", True),
        ("http://127.0.0.1/", "http://127.0.0.2/", False),
        ("http://127.0.0.1/", "http://2130706433/", True),
        ("https://example.com/", "about:blank", False),
        ("data:text/html,x", "data:text/html,x", False),
    ],
)
def test_same_site(one: str, other: str, same: bool) -> None:
    assert same_site(one, other) is same
    assert same_site(other, one) is same


def test_cookies_do_not_leave_encryption() -> None:
    assert cookies_for("https://example.com/", "https://example.com/")
    assert cookies_for("https://example.com/", "http://example.com/")
    assert cookies_for("http://example.com/", "http://example.com/")
    assert not cookies_for("http://example.com/", "https://example.com/")
    assert not cookies_for("https://example.com/", "")


@given(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z0-9]{1,8}){0,4}", fullmatch=True))
def test_a_site_is_the_end_of_its_host(host: str) -> None:
    site = site_of(host)
    assert host == site or host.endswith("." + site)
    assert site_of(site) == site
