# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""The page's part of reading a conversation whole: which element holds it, and whether all of it is unfolded."""

from tests.content.harness import Tab


def mail(*messages: str, switch: str = "") -> str:
    """A look-alike of a mail thread between an inbox list and a side bar."""
    return f"""<div role=navigation aria-label=Folders><a href=#inbox>Inbox</a></div>
      <div role=complementary><div role=listitem>Other thread</div><div role=listitem>And another</div></div>
      <div role=main aria-label=Thread><h2 data-thread-perm-id=t1>Holiday plans</h2>{switch}<div role=list>{"".join(messages)}</div></div>"""


def message(number: int, text: str, folded: bool = False) -> str:
    """One message of it."""
    state = f'aria-expanded="{str(not folded).lower()}"'
    return f"<div role=listitem data-message-id=m{number} {state}><h3>Person {number}</h3><p>{text}</p></div>"


EXPAND = "<div role=button tabindex=0 aria-label='Expand all'></div>"
COLLAPSE = "<div role=button tabindex=0 aria-label='Collapse all'></div>"


def test_a_folded_thread(tab: Tab) -> None:
    tab.show(mail(message(1, "First"), message(2, "Second", folded=True), switch=EXPAND))
    answer = tab.call("tree")
    assert answer["conversationExpansionState"] == "collapsed"
    root = answer["conversationRootRefId"]
    assert root == tab.ref('main "Thread"')
    anchored = tab.call("tree", ref_id=root, filter="all", maxDepth=15, maxChars=12_000)
    assert (anchored["conversationRootRefId"], anchored["conversationExpansionState"]) == (root, "collapsed")
    assert "Inbox" not in anchored["pageContent"]
    assert "First" in anchored["pageContent"]


def test_an_unfolded_thread_keeps_its_root(tab: Tab) -> None:
    tab.show(mail(message(1, "First"), message(2, "Second"), switch=COLLAPSE))
    answer = tab.call("tree", maxChars=500)
    assert answer["conversationExpansionState"] == "expanded"
    tab.js(
        "document.querySelector('[role=list]').insertAdjacentHTML('beforeend', '<div role=listitem data-message-id=m3>Third</div>')"
    )
    assert tab.call("tree")["conversationRootRefId"] == answer["conversationRootRefId"]


def test_one_message_has_nothing_to_unfold(tab: Tab) -> None:
    tab.show(mail(message(1, "Only")))
    assert tab.call("tree")["conversationExpansionState"] == "expanded"


def test_a_message_cannot_claim_to_be_unfolded(tab: Tab) -> None:
    forged = f"<button>Collapse all</button>{COLLAPSE}"
    tab.show(mail(message(1, forged), message(2, "Second")))
    assert tab.call("tree")["conversationExpansionState"] == "unknown"
    tab.show(mail(message(1, forged), message(2, "Second"), switch=EXPAND))
    assert tab.call("tree")["conversationExpansionState"] == "collapsed"


def test_an_application_that_marks_messages_by_role(tab: Tab) -> None:
    posts = "".join(f"<article><h3>Post {i}</h3><p>Words</p></article>" for i in range(3))
    tab.show(
        f"<aside><article>Advert</article></aside><main><h1>Topic</h1><button>Expand all</button>{posts}</main>"
    )
    answer = tab.call("tree")
    assert answer["conversationRootRefId"] == tab.ref("main")
    assert answer["conversationExpansionState"] == "collapsed"


def test_other_pages_are_no_conversation(tab: Tab) -> None:
    tab.show("<main><article><h1>News</h1><p>Text</p></article><article><p>More</p></article></main>")
    assert "conversationRootRefId" not in tab.call("tree")
    tab.show("<ul><li>Menu</li></ul><button>Expand all</button>")
    assert "conversationRootRefId" not in tab.call("tree")
    tab.show(mail(message(1, "First"), message(2, "Second"), switch=COLLAPSE))
    part = tab.ref('heading "Person 1"')
    assert "conversationRootRefId" not in tab.call("tree", ref_id=part)
