"""Pictures and videos of posts, on local look-alikes of such pages, under names of their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.file_site import File, FileSite
from tests.support.screens import Panel
from tests.support.stage import Stage
from tests.support.tool_runs import allow_local_network, use


def picture(side: int) -> File:
    """A square that is known again by its size in bytes."""
    box = f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}">'
    return File(f'{box}<rect width="{side}" height="{side}"/></svg>'.encode(), "image/svg+xml")


AROUND = """<header><img src="/logo.svg" width="200" height="200" alt="Logo"></header>
<aside><img src="/advert.svg" width="400" height="400" alt="Advert"></aside>"""
POST = f"""<!doctype html><title>Ada on Look</title>{AROUND}
<main><article><img src="/face.svg" width="40" height="40" alt="Ada">
<img src="/small.svg" srcset="/small.svg 320w, /large.svg 1080w" sizes="300px" width="300" height="300"
alt="A lamp">
</article></main>"""
GALLERY = f"""<!doctype html><title>Album</title>{AROUND}
<main id="album"><img src="/1.svg" width="300" height="700"><img src="/2.svg" width="300" height="700">
<div style="height: 3000px"></div></main>
<script>addEventListener('scroll', () => {{
  for (const n of [3, 4])
    album.insertAdjacentHTML('afterbegin', `<img src="/${{n}}.svg" width="300" height="700">`);
}}, {{once: true}});</script>"""
VIDEO = f"""<!doctype html><title>Film</title>{AROUND}
<main><video src="/film.mp4" poster="/large.svg" width="640" height="360"></video></main>"""
STREAM = f"""<!doctype html><title>Stream</title>{AROUND}
<main><video id="film" width="640" height="360"></video></main>
<script>film.src = URL.createObjectURL(new MediaSource());</script>"""
FILM = bytes(2_000)

FILES: dict[str, File | bytes | str] = {
    "/post": POST,
    "/gallery": GALLERY,
    "/video": VIDEO,
    "/stream": STREAM,
    "/film.mp4": File(FILM, "video/mp4"),
    "/large.svg": picture(1_080),
    **{f"/{name}.svg": picture(100) for name in ("logo", "advert", "face", "small", "1", "2", "3", "4")},
}


@pytest.fixture(scope="module")
def site() -> Iterator[FileSite]:
    with FileSite(FILES) as site:
        yield site


@pytest.fixture(scope="module")
def local_network(module_stage: Stage) -> None:
    """Firefox needs it; see below."""
    if module_stage.browser.name == "firefox":
        allow_local_network(module_stage.browser)


@pytest.fixture
def open_page(stage: Stage, site: FileSite, local_network: None) -> Any:
    """Opens one of the pages beside a panel."""
    # Firefox has no rules for names; those below localhost are this computer in any case.
    host = "look.localhost" if stage.browser.name == "firefox" else "www.lookalike.example"

    def opened(path: str) -> Panel:
        return stage.open_panel(stage.open_tab(f"http://{host}:{site.port}{path}"))

    return opened


def names(result: dict[str, Any]) -> list[str]:
    """The last parts of the addresses of all files that were saved."""
    assert result["completed"] == len([file for file in result["files"] if file["state"] == "complete"])
    return [file["url"].rsplit("/", 1)[-1] for file in result["files"] if file["state"] == "complete"]


def test_posts_galleries_and_videos(stage: Stage, open_page: Any) -> None:
    """What a page is about, in its largest form; of an album as many as asked for; a film that is a file."""
    panel = open_page("/post")
    post = use(stage, panel, "download_social_media", answers=("once",), target="image", mode="main")
    assert post.ok, post.result
    assert names(post.result) == ["large.svg"]
    assert post.result["files"][0]["bytes"] == len(picture(1_080).body)
    assert post.result["strategy"] == "dom"
    panel = open_page("/gallery")
    two = use(stage, panel, "download_social_media", answers=("once",), mode="all", limit=1)
    assert two.result["recommendation"]["kind"] == "more"
    four = use(stage, panel, "download_social_media", answers=("once",), mode="all", limit=4, scroll=True)
    assert four.ok, four.result
    assert sorted(names(four.result)) == ["1.svg", "2.svg", "3.svg", "4.svg"]
    panel = open_page("/video")
    film = use(stage, panel, "download_social_media", answers=("once",), target="video")
    assert film.ok, film.result
    assert (names(film.result), film.result["files"][0]["bytes"]) == (["film.mp4"], len(FILM))


def test_a_stream_is_not_saved_in_pieces(stage: Stage, open_page: Any) -> None:
    """There is no file of it, and the answer says so instead of saving half of one."""
    panel = open_page("/stream")
    step = use(stage, panel, "download_social_media", answers=("once",), target="video")
    assert not step.ok
    assert (step.result["triggered"], step.result["completed"]) == (0, 0)
    assert step.result["files"][0]["code"] == "stream"
    assert step.result["recommendation"]["kind"] == "streamed"
