/**
 * Tokens that tie the card a user saw to the form it spoke of.
 */

import { submission } from "./forms.js";
import { TOKENS } from "./limits.js";
import { Refusal } from "./session.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {{ tool: string, print: string, others: string }} Ticket */

const CHANGED =
  "The form is no longer what was shown for confirmation, so it was not sent. Read it again and ask once more.";

export class Tokens {
  /** @type {Map<string, Ticket>} */
  #tickets = new Map();

  /**
   * @param {Ticket} ticket
   * @returns {string}
   */
  issue(ticket) {
    // Not randomUUID: pages without TLS do not have it.
    const random = crypto.getRandomValues(new Uint32Array(3));
    const token = `st_${Array.from(random, (n) => n.toString(36)).join("")}`;
    this.#tickets.set(token, ticket);
    for (const old of this.#tickets.keys()) {
      if (this.#tickets.size <= TOKENS) break;
      this.#tickets.delete(old);
    }
    return token;
  }

  /**
   * Take an action's token, if it carries one, and compare the form with the one it was issued for. A token is used
   * up by this.
   * @param {Session} session
   * @param {string} tool
   * @param {Args} args
   * @returns {Ticket | null}
   * @throws {Refusal} `form_changed`
   */
  check(session, tool, args) {
    if (args.token === undefined || args.token === null) return null;
    const ticket = this.#tickets.get(String(args.token));
    this.#tickets.delete(String(args.token));
    if (!ticket || ticket.tool !== tool) throw new Refusal("form_changed", CHANGED);
    const now = submission(session, tool, args);
    if (!(now.submits || now.commits) || now.print !== ticket.print)
      throw new Refusal("form_changed", CHANGED);
    return ticket;
  }

  /**
   * Between typing and sending: has anything but the typed field changed?
   * @param {Session} session
   * @param {Ticket} ticket
   * @param {Args} args
   * @throws {Refusal} `form_changed`
   */
  recheck(session, ticket, args) {
    const now = submission(session, ticket.tool, args);
    if (!(now.submits || now.commits) || now.others !== ticket.others)
      throw new Refusal("form_changed", CHANGED);
  }
}
