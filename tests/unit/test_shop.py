"""The shop takes what a person would expect it to take, and remembers it."""

import asyncio
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from webbrain.testing.site import Shop


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop(3) as running:
        yield running


def filled(shop: Shop, **other: str) -> dict[str, str]:
    order = shop.expected
    values = {
        "product": order.product,
        "quantity": str(order.quantity),
        "name": order.name,
        "email": order.email,
        "date": order.date,
        "city": order.city,
        "terms": "yes",
    }
    return {**values, **other}


async def send(shop: Shop, values: dict[str, str]) -> tuple[int, str, str]:
    async with aiohttp.ClientSession() as session, session.post(shop.url + "/order", data=values) as answer:
        return answer.status, str(answer.url.path), await answer.text()


async def test_order_is_taken_and_confirmed(shop: Shop) -> None:
    status, path, text = await send(shop, filled(shop))
    assert status == 200
    assert shop.fulfilled()
    assert path == f"/order/{shop.placed[0].number}"
    assert shop.placed[0].number in text


async def test_an_order_taken_twice_does_not_count(shop: Shop) -> None:
    await send(shop, filled(shop))
    await send(shop, filled(shop))
    assert len(shop.placed) == 2
    assert not shop.fulfilled()


@pytest.mark.parametrize(
    "wrong", [{"city": "Nowhere"}, {"date": "4 March"}, {"email": "ada"}, {"quantity": "0"}, {"name": " "}]
)
async def test_wrong_orders_come_back_with_what_is_wrong(shop: Shop, wrong: dict[str, str]) -> None:
    status, _, text = await send(shop, filled(shop, **wrong))
    assert status == 422
    assert 'role="alert"' in text
    assert not shop.placed
    assert len(shop.submissions) == 1


async def test_order_that_is_not_the_task_does_not_fulfil_it(shop: Shop) -> None:
    await send(shop, filled(shop, newsletter="yes"))
    assert len(shop.placed) == 1
    assert not shop.fulfilled()


async def test_held_page_answers_when_released(shop: Shop) -> None:
    async def ask() -> Any:
        async with aiohttp.ClientSession() as session, session.get(shop.url + "/hold/a/wait") as answer:
            return await answer.json()

    waiting = asyncio.ensure_future(ask())
    while not shop.waiting("a"):
        await asyncio.sleep(0.01)
    assert not waiting.done()
    shop.release("a")
    assert await waiting == {"released": "a"}
