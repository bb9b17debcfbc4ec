# ruff: noqa: RUF001 (markup of the pages under test is more readable unwrapped)
"""What really goes wrong for people who use browser agents, one page each.

The names carry the stable numbers of the reports. Every test asserts the state of the page itself.
"""

import re

import pytest

from tests.content.harness import Tab


def test_01_option_of_a_list_that_is_rebuilt_all_the_time(tab: Tab) -> None:
    tab.case("01-rebuilt-list")
    ref = tab.ref('listitem "Parma"')
    first_seen = tab.js("window.list.children[1].isConnected")
    assert first_seen
    tab.js("rebuild()")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["code"] == "stale_ref"
    assert tab.js("chosen.textContent") == ""
    tab.js("rebuild()")
    again = tab.call("click_ax", ref_id=answer["freshRef"])
    assert again["success"], again
    assert tab.js("chosen.textContent") == "chose Parma"


def test_03_a_banner_does_not_shift_refs(tab: Tab) -> None:
    tab.case("03-banner-shift")
    ref = tab.ref('button "Continue"')
    tab.js("insertBanner()")
    tab.tree()
    assert tab.call("click_ax", ref_id=ref)["success"]
    assert tab.js("log.textContent") == "continue "


def test_04_an_icon_that_appears_while_typing(tab: Tab) -> None:
    tab.case("04-clear-icon")
    search = tab.ref('button "Search"')
    assert tab.fill('searchbox "Search"', "tea")["verified"]
    assert tab.call("click_ax", ref_id=search)["success"]
    assert tab.js("log.textContent") == "searched tea"


def test_06_a_ref_of_the_page_before_means_nothing(tab: Tab) -> None:
    tab.case("06-page-one")
    tab.tree(refs_after=0)
    old = tab.ref('button "Delete"')
    last = max(int(n) for n in re.findall(r"\[ref_(\d+)\]", tab.tree()))
    tab.case("06-page-two")
    fresh = tab.tree(refs_after=last)
    assert f"[{old}]" not in fresh
    answer = tab.call("click_ax", ref_id=old)
    assert not answer["success"]
    assert answer["code"] == "unknown_ref"
    assert "read the accessibility tree again" in answer["error"]
    assert tab.js("document.title") == "06 page two"


def test_07_back_from_the_cache_of_pages(tab: Tab) -> None:
    tab.case("06-page-one")
    tab.ref('button "Delete"')
    tab.case("06-page-two")
    tab.page.go_back()
    tab.inject()
    assert tab.click('button "Delete"')["success"]
    assert tab.js("document.title") == "deleted"


def test_10_a_soft_navigation_can_be_waited_for(tab: Tab) -> None:
    tab.case("10-soft-navigation")
    assert tab.click('link "Go on"')["success"]
    assert tab.call("wait_for_element", selector="button", timeout=10_000)["found"]
    assert tab.click('button "Finish"')["success"]
    assert tab.js("document.title") == "finished"


def test_12_a_widget_over_the_button(tab: Tab) -> None:
    tab.case("12-chat-over-submit")
    assert "(covered)" in next(line for line in tab.tree().splitlines() if "Submit" in line)
    answer = tab.click('button "Submit"')
    assert not answer["success"]
    assert answer["code"] == "covered"
    assert "Chat with us" in answer["coveredBy"]
    assert tab.js("log.textContent") == ""


def test_14_a_target_under_the_sticky_header(tab: Tab) -> None:
    tab.case("14-sticky-header")
    ref = tab.ref('link "Target link"')
    tab.js("hide()")
    answer = tab.call("click_ax", ref_id=ref)
    assert answer["success"], answer
    assert tab.js("location.hash") == "#done"
    assert tab.js("target.getBoundingClientRect().top") >= 60


def test_14_a_box_drawn_over_its_checkbox(tab: Tab) -> None:
    tab.case("14-drawn-checkbox")
    text = tab.tree()
    assert "(covered)" not in text
    assert tab.click('checkbox "I agree"')["success"]
    assert tab.js("agree.checked")
    assert tab.click('checkbox "Dark mode"')["success"]
    assert tab.js("dark.checked")


def test_15_links_behind_a_drawer_are_marked(tab: Tab) -> None:
    tab.case("15-drawer")
    lines = tab.tree().splitlines()
    assert all("(covered)" in line for line in lines if "Product" in line)
    assert not any("(covered)" in line for line in lines if "Show results" in line)
    controls = tab.call("tree")["controls"]
    assert [c["name"] for c in controls] == ["Show results"]
    assert tab.click('button "Show results"')["success"]
    assert tab.js("document.title") == "applied"


@pytest.mark.parametrize(
    ("selector", "code", "reason"),
    [
        ("#off", "disabled", "disabled"),
        ("[inert] button", "inert", "inert"),
        ("#gone", "hidden", "display: none"),
    ],
)
def test_17_what_takes_no_input_is_refused_with_a_reason(
    tab: Tab, selector: str, code: str, reason: str
) -> None:
    tab.case("17-not-for-input")
    names = {"#off": "Disabled one", "[inert] button": "Inert one", "#gone": "Vanishing one"}
    ref = tab.ref(f'button "{names[selector]}"')
    tab.js("gone.style.display = 'none'")
    answer = tab.call("click_ax", ref_id=ref)
    assert (answer["success"], answer["code"]) == (False, code)
    assert reason in answer["error"]
    assert tab.js("document.title") == "17 not for input"


def test_17_the_marks_are_in_the_tree(tab: Tab) -> None:
    tab.case("17-not-for-input")
    text = tab.tree()
    assert re.search(r'button "Disabled one" \[ref_\d+\].*\(disabled\)', text)
    assert re.search(r'button "Inert one" \[ref_\d+\].*\(inert\)', text)
    assert re.search(r'textbox "Locked" \[ref_\d+\].*\(disabled\)', text)
    assert [c["name"] for c in tab.call("tree")["controls"]] == ["Vanishing one"]
    assert tab.fill('textbox "Locked"', "x")["code"] == "disabled"


def test_18_a_transparent_mask_is_named_and_escape_helps(tab: Tab) -> None:
    tab.case("18-select-mask")
    assert tab.click('combobox "Size"')["changed"][0].startswith(("expanded: true", "opened:"))
    answer = tab.click('button "Put into basket"')
    assert answer["code"] == "covered"
    assert "select2-drop-mask" in answer["coveredBy"]
    tab.call("press_keys", key="Escape")
    assert tab.click('button "Put into basket"')["success"]
    assert tab.js("log.textContent") == "added"


def test_19_links_in_a_closed_section_are_not_offered(tab: Tab) -> None:
    tab.case("19-details")
    text = tab.tree()
    assert "Archive" not in text
    assert re.search(r'"More actions" \[ref_\d+\] expanded="false"', text)
    assert tab.click('button "More actions"')["success"]
    assert tab.js("more.open")
    assert tab.click('link "Archive"')["success"]
    assert tab.js("location.hash") == "#archive"


def test_20_text_under_a_shadow_root_is_a_name(tab: Tab) -> None:
    tab.case("20-shadow-text")
    assert tab.click('link "Opening hours"')["success"]
    assert tab.js("location.hash") == "#clock"


def test_24_a_hamburger_of_empty_spans(tab: Tab) -> None:
    tab.case("24-hamburger")
    text = tab.tree(filter="interactive")
    assert 'class="nav-btn"' in text
    ref = re.search(r"\[(ref_\d+)\].*nav-btn", text)
    assert ref
    assert tab.call("click_ax", ref_id=ref[1])["success"]
    assert not tab.js("menu.hidden")


def test_25_a_cross_without_a_role(tab: Tab) -> None:
    tab.case("25-close-span")
    text = tab.tree()
    assert text.startswith('[open overlays]\ndialog "Newsletter"')
    assert tab.click('generic "×"')["success"]
    assert tab.js("document.getElementById('popup')") is None


def test_26_text_with_only_a_delegated_listener(tab: Tab) -> None:
    tab.case("26-more")
    assert tab.click('generic "more"')["success"]
    assert tab.js("text.textContent").endswith("all of its rest")


def test_27_listeners_for_other_events_than_click(tab: Tab) -> None:
    tab.case("27-mousedown")
    ref = re.search(r"\[(ref_\d+)\].*icon-pin", tab.tree())
    assert ref
    tab.call("click_ax", ref_id=ref[1])
    assert tab.js("log.textContent") == "pinned "
    tab.click('cell "Row to open"', count=2)
    assert tab.js("log.textContent") == "pinned opened "


def test_28_the_card_itself_has_a_ref(tab: Tab) -> None:
    tab.case("28-card")
    text = tab.tree(filter="interactive")
    assert len(text.splitlines()) == 1
    assert "Lakeside flat" in text
    ref = re.search(r"\[(ref_\d+)\]", text)
    assert ref
    tab.call("click_ax", ref_id=ref[1])
    assert tab.js("log.textContent") == "card opened"


def test_29_one_entry_per_clickable_row(tab: Tab) -> None:
    tab.case("29-nested-pointers")
    lines = tab.tree(filter="interactive", maxChars=12_000).splitlines()
    assert len(lines) == 50
    assert tab.click('generic "Row 7"')["success"]
    assert tab.js("document.title") == "Row 7"


def test_30_list_items_can_be_clicked(tab: Tab) -> None:
    tab.case("30-list-items")
    tab.click('listitem "Pears"')
    assert tab.js("document.title") == "Pears"


def test_31_an_anchor_without_an_address(tab: Tab) -> None:
    tab.case("31-close-link")
    assert tab.click('link "x"')["success"]
    assert tab.js("document.getElementById('overlay')") is None


def test_32_equal_controls_are_told_apart_by_their_row(tab: Tab) -> None:
    tab.case("32-plus-minus")
    lines = tab.tree(filter="interactive", maxChars=12_000).splitlines()
    assert len(lines) == 24
    plus = next(line for line in lines if line.startswith('generic "+"') and "Pizza" in line)
    ref = re.search(r"\[(ref_\d+)\]", plus)
    assert ref
    tab.call("click_ax", ref_id=ref[1])
    assert (
        tab.js("[...document.querySelectorAll('li')].map((li) => li.querySelector('b').textContent)[3]")
        == "1"
    )
    named = [c["name"] for c in tab.call("tree", maxChars=12_000)["controls"]]
    assert "+ (Pizza 1)" in named


def test_33_the_body_of_a_mail_lies_in_a_frame(tab: Tab) -> None:
    tab.case("33-mail-body")
    tab.page.frame_locator("iframe").locator("body").wait_for()
    assert tab.fill('textbox "Message"', "Dear all")["verified"]
    tab.click('button "Send"')
    assert tab.js("document.title") == "sent: Dear all"


def test_34_a_field_of_a_portal_that_just_opened(tab: Tab) -> None:
    tab.case("34-portal-modal")
    opened = tab.click('button "New project"')
    assert any(change.startswith("opened: dialog") for change in opened["changed"])
    assert tab.fill('textbox "Project name"', "Moon")["verified"]
    assert tab.js("document.querySelector('.modal input').value") == "Moon"


def test_35_a_field_that_its_state_rules(tab: Tab) -> None:
    tab.case("35-controlled-input")
    assert tab.fill('textbox "Name"', "Grace")["verified"]
    tab.js("window.renders = 0")
    tab.until("window.renders > 3")
    assert tab.js("echo.textContent") == "state: Grace"
    assert tab.js("document.getElementById('name').value") == "Grace"


def test_36_all_kinds_of_field_send_input_events(tab: Tab) -> None:
    tab.case("36-three-fields")
    assert tab.fill('textbox "Name"', "A")["verified"]
    assert tab.type('textbox "About"', "B")["verified"]
    assert tab.type('combobox "Choose"', "Pro")["verified"]
    assert not tab.js("go.disabled")


def test_37_selects_that_do_and_do_not_obey(tab: Tab) -> None:
    tab.case("37-controlled-select")
    assert tab.type('combobox "Red"', "Blue")["verified"]
    assert tab.js("state.textContent") == "Blue"
    answer = tab.type('combobox "One"', "Two")
    assert (answer["success"], answer["code"], answer["actual"]) == (False, "not_verified", "One")


def test_41_the_suggestion_is_picked(tab: Tab) -> None:
    tab.case("41-city-combobox")
    answer = tab.fill('combobox "City"', "Bern")
    assert answer["success"], answer
    assert answer["picked"] == "Bern"
    tab.js("document.activeElement.blur()")
    assert tab.js("[city.value, state.textContent]") == ["Bern", "Bern"]


def test_41_several_suggestions_are_reported(tab: Tab) -> None:
    tab.case("41-city-combobox")
    answer = tab.fill('combobox "City"', "Ber")
    assert [s["text"] for s in answer["suggestions"]] == ["Berlin", "Bergen", "Bern"]
    assert "picked" not in answer
    assert tab.call("click_ax", ref_id=answer["suggestions"][1]["ref_id"])["success"]
    assert tab.js("state.textContent") == "Bergen"


def test_42_a_switch_made_of_a_label(tab: Tab) -> None:
    tab.case("42-switch")
    assert re.search(r'checkbox "Notifications" \[ref_\d+\] type="checkbox" checked="false"', tab.tree())
    answer = tab.click('checkbox "Notifications"')
    assert "checked: true" in answer["changed"]
    assert tab.js("[box.checked, count.textContent]") == [True, "1"]
    assert re.search(r'checkbox "Notifications" \[ref_\d+\] type="checkbox" checked="true"', tab.tree())


def test_43_a_line_break_is_not_enter(tab: Tab) -> None:
    tab.case("43-chat-textarea")
    answer = tab.fill('textbox "Message"', "one\ntwo\nthree")
    assert answer["verified"]
    assert tab.js("sent.children.length") == 0
    sent = tab.fill('textbox "Message"', "one\ntwo\nthree", submit=True)
    assert sent["submitted"]
    assert tab.js("[...sent.children].map((li) => li.textContent)") == ["one\ntwo\nthree"]


def test_44_an_editor_that_owns_its_model(tab: Tab) -> None:
    tab.case("44-model-editor")
    answer = tab.fill('textbox "Post"', "Hello there")
    assert answer["verified"], answer
    assert tab.js("model.textContent") == "Hello there"
    assert tab.js("document.querySelector('.placeholder')") is None
    assert tab.fill('textbox "Post"', "Replaced")["verified"]
    assert tab.js("model.textContent") == "Replaced"


def test_45_a_plain_composer_is_read_back(tab: Tab) -> None:
    tab.case("45-plain-composer")
    answer = tab.fill('textbox "Comment"', "Hello")
    assert (answer["verified"], answer["actual"]) == (True, "Hello")
    assert tab.fill('textbox "Comment"', "Hello")["verified"]
    assert tab.js("editor.innerText") == "Hello"


def test_46_no_character_is_lost_after_clearing(tab: Tab) -> None:
    tab.case("46-recreating-editor")
    assert tab.fill('textbox "Note"', "Brand new")["verified"]
    assert tab.js("editor.innerText.trim()") == "Brand new"
    assert tab.fill('textbox "Note"', "")["success"]
    assert tab.fill('textbox "Note"', "Once more")["verified"]
    assert tab.js("editor.innerText.trim()") == "Once more"


def test_47_several_lines_in_a_nested_editor(tab: Tab) -> None:
    tab.case("47-draft-editor")
    assert tab.type('textbox "Post text"', "first\nsecond")["verified"]
    assert tab.js("model.textContent") == '["first","second"]'


def test_49_text_goes_where_it_was_meant(tab: Tab) -> None:
    tab.case("49-focus-race")
    tab.click('button "Comment"')
    ref = tab.ref('textbox "Comment text"')
    answer = tab.call("set_field", ref_id=ref, text="Only here")
    tab.until("window.raced")
    assert tab.js("doc.innerText.trim()") == "Chapter one"
    assert answer["success"] == ("Only here" in tab.js("comment.innerText"))


def test_51_a_menu_item_whose_title_listens(tab: Tab) -> None:
    tab.case("51-submenu")
    answer = tab.click('menuitem "Reports"')
    assert "expanded: true" in answer["changed"]
    assert not tab.js("sub.hidden")


def test_52_days_carry_their_month(tab: Tab) -> None:
    tab.case("52-calendar")
    text = tab.tree(maxChars=12_000, filter="interactive")
    assert 'date="2031-05-12"' in text
    for day in ("2031-05-12", "2031-06-12"):
        ref = re.search(rf'\[(ref_\d+)\] date="{day}"', text)
        assert ref
        assert tab.call("click_ax", ref_id=ref[1])["success"]
    assert tab.js("range.textContent") == "2031-05-12 to 2031-06-12"


def test_53_a_field_with_drawn_outlines(tab: Tab) -> None:
    tab.case("53-mui-input")
    assert "(covered)" not in tab.tree()
    assert tab.fill('textbox "Full name"', "Ada Lovelace")["verified"]
    assert tab.js("m1.value") == "Ada Lovelace"


def test_55_a_chat_in_a_shadow_root(tab: Tab) -> None:
    tab.case("55-shadow-chat")
    assert tab.click('button "Chat"')["success"]
    assert tab.fill('textbox "Your question"', "Open on Sunday?")["verified"]
    tab.click('button "Send"')
    assert tab.js("log.textContent") == "Open on Sunday?"


def test_57_the_right_one_of_equal_buttons_deep_in_shadows(tab: Tab) -> None:
    tab.case("57-deep-shadow")
    lines = tab.tree(filter="interactive").splitlines()
    lamp = next(line for line in lines if "Lamp" in line)
    ref = re.search(r"\[(ref_\d+)\]", lamp)
    assert ref
    assert tab.call("click_ax", ref_id=ref[1])["success"]
    assert tab.js("document.title") == "lamp"


def test_62_buttons_in_nested_frames(tab: Tab) -> None:
    tab.case("62-nested-frames")
    tab.page.frame_locator("#outer").frame_locator("#inner").locator("button").wait_for()
    assert tab.click('button "Smallest"')["success"]
    assert tab.js("document.title") == "inner"
    tab.js("scrollTo(0, 200)")
    assert tab.click('button "Small"')["success"]
    title = tab.js("document.title")
    assert re.fullmatch(r"outer \d+", title)
    box = (
        tab.page.frame_locator("#outer")
        .locator("#b")
        .evaluate("b => [b.getBoundingClientRect().left, b.getBoundingClientRect().right]")
    )
    assert box[0] < int(title.split()[1]) < box[1]


def test_63_frames_that_come_later(tab: Tab) -> None:
    tab.show("<h1>Later</h1>")
    tab.tree()
    tab.js("""() => {
      const f = document.createElement("iframe");
      f.srcdoc = "<button>First level</button><iframe srcdoc='<button>Second level</button>'></iframe>";
      document.body.append(f);
    }""")
    tab.page.frame_locator("iframe").frame_locator("iframe").locator("button").wait_for()
    text = tab.tree()
    assert 'button "First level"' in text
    assert 'button "Second level"' in text


def test_64_empty_frames(tab: Tab) -> None:
    text = tab.case("64-empty-frames").tree()
    assert 'button "After"' in text
    assert re.search(r'iframe "Nothing" .*\(empty\)', text)


def test_73_the_open_dialog_scrolls(tab: Tab) -> None:
    tab.case("73-modal-scroll")
    answer = tab.call("scroll", direction="down")
    assert (answer["movedContainer"], answer["movedWindow"]) == (True, False)
    assert tab.js("[scrollY, document.getElementById('body').scrollTop]") == [0, 500]
    assert tab.click('button "Accept"')["success"]
    assert tab.js("document.title") == "accepted"


def test_74_the_visible_list_scrolls(tab: Tab) -> None:
    tab.case("74-two-scrollers")
    answer = tab.call("scroll", direction="down", amount=400)
    assert answer["moved"]
    assert tab.js("[drawer.scrollTop, list.scrollTop]") == [0, 400]


def test_105_only_the_real_send_is_a_submit(tab: Tab) -> None:
    tab.case("105-chat-menu")
    menu = tab.probe("click_ax", ref_id=tab.ref('menuitem "View my portfolio"'))
    assert not menu["submits"]
    assert tab.click('menuitem "View my portfolio"')["success"]
    assert tab.js("document.title") == "portfolio"
    assert tab.probe("click_ax", ref_id=tab.ref('button "Send"'))["submits"]


def test_108_a_page_cannot_forge_lines(tab: Tab) -> None:
    text = tab.case("108-injection").tree()
    lines = text.splitlines()
    assert len(lines) == 4, text
    for line in lines:
        assert re.fullmatch(r'\w+ "(?:[^"\\]|\\.)*" \[ref_\d+\](?: \w+="(?:[^"\\]|\\.)*"| \(\w+\))*', line), (
            line
        )
        assert len(re.findall(r"\[ref_\d+\]", line)) == 1, line
    assert not re.search("[\u202e\u202c\u200b\ufeff\U000e0041]", text)


def test_22_letters_that_a_page_drops_are_no_success(tab: Tab) -> None:
    tab.show(
        "<input id=i aria-label=Name>"
        "<script>i.onkeydown = (e) => { if (!e.isTrusted && e.key.length < 2) e.preventDefault() }</script>"
    )
    answer = tab.fill('textbox "Name"', "Ada")
    assert (answer["success"], answer["code"], answer["actual"]) == (False, "not_verified", "")
    assert tab.js("i.value") == ""
