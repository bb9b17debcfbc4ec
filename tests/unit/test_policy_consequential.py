"""What counts as consequential."""

from pathlib import Path

import pytest

from webbrain.core.types import Capability
from webbrain.policy.consequential import (
    FRESH_CAPABILITIES,
    Weight,
    commits,
    weigh,
)
from webbrain.tools import registry

MODEL = Path(__file__).parents[2] / "docs/security-model.md"


@pytest.mark.parametrize(
    "name",
    [
        "Create account",
        "Save",
        "SUBMIT",
        "Add to cart",
        "Post",
        "Publish now",
        "Send",
        "✉ Send message",
        "Confirm order",
        "Sign up",
        "Sign-in",
        "Log in",
        "Login",
        "Register",
        "Place order",
        "Place your order",
        "Pay $20",
        "Checkout",
        "Check out",
        "Update",
        "Apply",
        "Finish",
        "Done",
        "Buy now",
        "Delete",
        "S\u200bend",
        "  Send  ",
        "\uff33\uff45\uff4e\uff44",
        "Absenden",
        "Nachricht senden",
        "Jetzt kaufen",
        "Zahlungspflichtig bestellen",
        "Kommentar veröffentlichen",
        "Bestellung aufgeben",
        "Löschen",
        "Speichern & weiter",
        "In den Warenkorb",
        "Remove",
        "Remove from team",
        "Accept",
        "Accept invitation",
        "I agree",
        "Agree and continue",
        "Subscribe",
        "Unsubscribe",
        "Reply",
        "Share",
        "Cancel subscription",
        "Cancel my order",
        "Mitglied entfernen",
        "Abo kündigen",
        "Envoyer",
        "Supprimer le compte",
        "S'abonner",
        "Pagar ahora",
        "Añadir al carrito",
        "Excluir conta",
        "Paga adesso",
        "Удалить аккаунт",
        "购买",
        "購入する",
        "결제하기",
    ],
)
def test_these_commit(name: str) -> None:
    assert commits(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "View my portfolio",
        "Address",
        "Payment details",
        "Posts",
        "Add-ons",
        "Post-processing",
        "Sending",
        "Applications",
        "Saved items",
        "Save 20% today",
        "Save up to 50",
        "My orders",
        "Order history",
        "Next",
        "Show more",
        "How to send a parcel",
        "Creative work",
        "Passenger",
        "Wie Sie ein Paket mit uns am besten absenden",
        "Kaufhaus",
        "Anmeldung",
        "Cancel",
        "Cancel and go back",
        "Accept all",
        "Accept all cookies",
        "Accept only necessary cookies",
        "Acceptance tests",
        "Agreement",
        "Replies",
        "Shared with me",
        "Share price",
        "Removed items",
        "Subscriptions",
        "Teilnehmer",
        "購入履歴",
        "Pagamento",
        "?",
    ],
)
def test_these_are_ordinary(name: str) -> None:
    assert not commits(name)


def test_every_tool_has_a_weight_and_no_consequential_one_is_free() -> None:
    for spec in registry.load().all():
        weight = weigh(spec, {"accept": True})
        if spec.capability in FRESH_CAPABILITIES:
            assert weight is Weight.FRESH, spec.name
        elif spec.capability is Capability.NONE:
            assert weight is Weight.FREE, spec.name
        elif spec.name != "close_tab":
            assert weight is Weight.GRANT, spec.name


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post", "MKCOL"])
def test_a_request_that_may_change_something_is_consequential(method: str) -> None:
    fetch = registry.get("fetch_url")
    assert fetch
    assert weigh(fetch, {"method": method}) is Weight.FRESH
    assert weigh(fetch, {"method": "HEAD"}) is Weight.GRANT


def test_what_sends_or_carries_is_consequential_whatever_the_tool() -> None:
    for spec in registry.load().all():
        assert weigh(spec, {}, submits=True) is Weight.FRESH
        assert weigh(spec, {}, carries=True) is Weight.FRESH
