/**
 * Reading-first scrolling. A new question goes to the top as far as there is something below it, and stays in
 * sight while the answer grows. From then on the reader decides: reaching the bottom follows the answer, any
 * other place is kept.
 *
 * @typedef {"question" | "follow" | "free"} ScrollMode
 * @typedef {"" | "follow" | "latest" | "question"} ScrollControl what the floating control offers
 */

const NEAR_PX = 24;
/** Less than this below the fold is not worth a button. */
const WORTH_PX = 56;
const MARGIN_PX = 10;
/** A scroll so soon after a wheel, touch or key is the reader's; smooth scrolling takes about this long. */
const BY_HAND_MS = 400;

export class ReadingScroll {
  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} content its only child
   * @param {(control: ScrollControl) => void} onControl
   */
  constructor(scroller, content, onControl) {
    this.scroller = scroller;
    this.content = content;
    this.onControl = onControl;
    /** @type {ScrollMode} */
    this.mode = "question";
    this.running = false;
    /** Where we put it, in which layout: another place in the same layout is the reader's doing. */
    this.expected = scroller.scrollTop;
    this.layout = "";
    this.observer = new ResizeObserver(() => this.apply());
    this.observer.observe(content);
    this.observer.observe(scroller);
    this.lastInput = Number.NEGATIVE_INFINITY;
    this.listeners = new AbortController();
    const options = { passive: true, signal: this.listeners.signal };
    scroller.addEventListener("scroll", () => this.#scrolled(), options);
    for (const name of ["wheel", "touchmove", "keydown", "pointerdown", "pointermove"])
      scroller.addEventListener(
        name,
        (event) => {
          // A pointer that merely passes over scrolls nothing.
          if (name !== "pointermove" || /** @type {PointerEvent} */ (event).buttons)
            this.lastInput = performance.now();
        },
        options,
      );
  }

  dispose() {
    this.observer.disconnect();
    this.listeners.abort();
  }

  /** A new question was asked, or another conversation is shown. */
  begin() {
    this.mode = "question";
    this.apply();
  }

  /** Something the person must see stands at the end: a card, an offer to continue. */
  showEnd() {
    this.mode = "follow";
    this.apply();
  }

  showQuestion() {
    this.mode = "free";
    const question = this.#question();
    if (question) this.#put(this.#top(question) - MARGIN_PX);
    this.#report();
  }

  /** @param {boolean} running */
  setRunning(running) {
    if (this.running && !running) {
      this.apply();
      // After the end nothing grows by itself, so nothing may move by itself.
      this.mode = "free";
    }
    this.running = running;
    this.#report();
  }

  apply() {
    this.#anchor();
    this.layout = this.#size();
    const end = this.scroller.scrollHeight - this.scroller.clientHeight;
    if (this.mode === "follow") this.#put(end);
    if (this.mode === "question") {
      const question = this.#question();
      this.#put(question ? Math.min(end, this.#top(question) - MARGIN_PX) : 0);
    }
    this.#report();
  }

  /** @param {number} top */
  #put(top) {
    this.scroller.scrollTop = Math.max(0, top);
    this.expected = this.scroller.scrollTop;
  }

  #scrolled() {
    // A new layout moves the place as well; while text streams in, both happen at once, and then hands go first.
    const byHand = performance.now() - this.lastInput < BY_HAND_MS;
    if (!byHand && this.layout !== this.#size()) {
      this.apply();
      return;
    }
    if (Math.abs(this.scroller.scrollTop - this.expected) > 2) {
      this.expected = this.scroller.scrollTop;
      this.mode = this.running && this.#below() < NEAR_PX ? "follow" : "free";
      this.#anchor();
    }
    this.#report();
  }

  #report() {
    const question = this.#question();
    if (!question) this.onControl("");
    else if (this.#below() > WORTH_PX) this.onControl(this.running ? "follow" : "latest");
    else if (this.#top(question) + question.offsetHeight < this.scroller.scrollTop)
      this.onControl("question");
    else this.onControl("");
  }

  /**
   * The browser's own anchoring keeps the reader's place when something above changes; where we hold the place, it
   * would only pull against us.
   */
  #anchor() {
    this.scroller.style.overflowAnchor = this.mode === "free" ? "auto" : "none";
  }

  /** @returns {string} */
  #size() {
    return `${this.scroller.scrollHeight}/${this.scroller.clientHeight}/${this.scroller.clientWidth}`;
  }

  /** @returns {number} */
  #below() {
    return this.scroller.scrollHeight - this.scroller.clientHeight - this.scroller.scrollTop;
  }

  /** @returns {HTMLElement | null} */
  #question() {
    return (
      /** @type {HTMLElement[]} */ ([...this.content.querySelectorAll("[data-question]")]).at(-1) ?? null
    );
  }

  /** @param {HTMLElement} element */
  #top(element) {
    const inside = element.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
    return inside + this.scroller.scrollTop;
  }
}
