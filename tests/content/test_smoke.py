"""First light: read, click, type, fill, probe."""

from conftest import Tab


def test_road(tab: Tab) -> None:
    tab.show("""
      <h1>Shop</h1><form action="/sent/order" method="post"><label>Name <input name="name"></label>
      <label><input type="checkbox" name="news"> News</label>
      <select name="size" aria-label="Size"><option>Small</option><option>Large</option></select>
      <button>Order now</button></form><a href="#more">More</a>""")
    text = tab.tree()
    print(text)
    assert 'heading "Shop"' in text
    assert tab.fill('textbox "Name"', "Ada")["verified"]
    assert tab.js("document.forms[0].name.value") == "Ada"
    assert tab.click('checkbox "News"')["changed"] [:1] == ["checked: true"]
    assert tab.fill("combobox", "Large")["success"]
    probe = tab.call("submit_probe", tool="click_ax", args={"ref_id": tab.ref('button "Order now"')})
    print(probe)
    assert probe["submits"]
    assert probe["method"] == "post"
    done = tab.click('button "Order now"', token=probe["token"])
    print(done)
    tab.until("document.title == 'Sent'")
    assert tab.site.received[-1] == ("POST", "/sent/order", {"name": ["Ada"], "news": ["on"], "size": ["Large"]})
