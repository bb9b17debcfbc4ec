/**
 * Whether one trusted press may follow a press made of page events that changed nothing.
 *
 * A page may have taken the first press without showing it, so the second one must be harmless if it is the second:
 * it is allowed once per document and element, and only for plain things whose name and markup promise no lasting
 * effect. What is refused here costs a hint to the model; what is wrongly allowed costs the user a second order.
 */

import {
  attribute,
  composedClosest,
  hasAttribute,
  isConnected,
  isEditable,
  localName,
  matches,
} from "./dom.js";
import { formOf } from "./keys.js";
import { isDisabled } from "./roles.js";
import { inertReason, isGhost, passesThrough, reachablePoint } from "./sight.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./click.js").Ready} Ready */
/** @typedef {{ eligible: boolean, why: string }} Retry */

/**
 * Controls of the browser itself. Page events operate them fully, and a handler of theirs that only counts or remembers
 * shows nothing on the page: a second press would be the second one for it.
 */
const NATIVE =
  "a[href],area[href],button,input,select,textarea,option,summary,details,label,audio,video,iframe,object,embed,[contenteditable]";
/** Attributes that say that there is a state to switch. */
const STATES = [
  "aria-checked",
  "aria-pressed",
  "aria-expanded",
  "aria-selected",
  "aria-current",
  "aria-haspopup",
];
const STATEFUL_ROLES =
  /^(switch|checkbox|radio|tab|option|treeitem|combobox|menuitemcheckbox|menuitemradio|slider|spinbutton|listbox)$/;
/** Words of names and classes for things that go back and forth, so that twice is the same as never. */
const TOGGLES =
  /(?<![\p{L}])(toggle|switch|expand|collapse|show|hide|open|close|play|pause|mute|unmute|like|unlike|follow|unfollow|favou?rites?|bookmark|star|pin|unpin|menu|dropdown|accordion|next|previous|prev|more|umschalten|einblenden|ausblenden|afficher|masquer|mostrar|ocultar)(?![\p{L}])/iu;
/** Words of names for things that change, send, buy, delete or create. */
const MUTATES =
  /(?<![\p{L}])(add|apply|accept|agree|approve|archive|attach|authori[sz]e|block|book|browse|buy|cancel|checkout|check\s+out|choose|clear|clone|commit|confirm|connect|continue|copy|create|decline|delete|deny|deploy|disable|disconnect|discard|done|duplicate|edit|empty|enable|finish|generate|grant|increase|decrease|insert|install|invite|join|launch|leave|log\s?in|log\s?out|merge|move|order|pay|place|post|publish|purchase|reboot|redeem|register|reject|remove|rename|renew|reply|report|request|reserve|reset|restart|revoke|run|save|schedule|send|share|sign\s?in|sign\s?out|sign\s?up|spend|start|stop|submit|subscribe|transfer|trash|undo|unsubscribe|update|upgrade|upload|vote|withdraw|bestellen|kaufen|bezahlen|senden|absenden|speichern|löschen|entfernen|hinzufügen|bestätigen|buchen|anmelden|abmelden|acheter|payer|envoyer|supprimer|enregistrer|ajouter|valider|confirmer|comprar|pagar|enviar|eliminar|borrar|guardar|confirmar|añadir|reservar|comprare|paga|invia|elimina|salva|conferma|aggiungi|apagar|excluir|salvar|adicionar)(?![\p{L}])|[+＋−]|^[-–×x✕✖]$|购买|支付|提交|删除|发送|保存|確認|送信|削除|購入|保存|구매|결제|삭제|전송|저장|купить|оплатить|удалить|отправить|сохранить/iu;
const DOWNLOADS =
  /(?<![\p{L}])(download|export|save\s+as|herunterladen|télécharger|descargar|scarica|baixar)(?![\p{L}])|下载|ダウンロード/iu;
/** The same for classes, which are full of words of layout (`order-2`, `block`, `items-start`). */
const CLASSES_THAT_TOGGLE =
  /\b(toggle|switch|accordion|dropdown|collapse|expand|like|star|favou?rite|bookmark)\b/i;
const CLASSES_THAT_MUTATE = /\b(delete|remove|submit|buy|checkout|pay|purchase|send|upload|download)\b/i;
/** A button among fields sends them, whether or not there is a form. */
const FIELDS = "input:not([type=hidden]),textarea,select,[contenteditable]";
const COMPOSER_STEPS = 4;

/**
 * @param {Session} session
 * @param {Ready} ready what was pressed
 * @returns {Retry}
 */
export function mayRetry(session, ready) {
  const why = veto(session, ready);
  if (why) return { eligible: false, why };
  session.retries.set(ready.element, "open");
  return {
    eligible: true,
    why: "a plain element, pressed by page events without any effect; some pages take trusted presses only",
  };
}

/**
 * @param {Session} session
 * @param {Ready} ready
 * @returns {string} why not, empty if nothing speaks against it
 */
function veto(session, ready) {
  const { element: e, target, watch } = ready;
  if (session.retries.has(e)) return "this element was already given its one trusted press, or offered it";
  if (ready.count === 2) return "a double-click is never repeated";
  if (watch.leaving || watch.submitted) return "the page is leaving or sending something";
  if (!isConnected(e) || !isConnected(target)) return "the page replaced the element";
  if (isDisabled(e) || inertReason(e)) return "the element takes no input now";
  if (target !== e && !Element.prototype.contains.call(e, target)) return "the element itself is hidden";
  if (
    isGhost(e) ||
    !Element.prototype.checkVisibility.call(target, { opacityProperty: true, visibilityProperty: true })
  )
    return "the element is hidden by style";
  if (passesThrough(target)) return "the element takes no pointer (pointer-events: none)";
  const found = reachablePoint(target);
  if (!("point" in found)) return "something else lies over the element now";
  if (isNative(e) || composedClosest(e, isNative) || composedClosest(ready.reached.hit, isNative))
    return "it is a native control, which page events operate fully";
  if (
    isStateful(e) ||
    composedClosest(
      ready.reached.hit,
      (x) => x !== e && Element.prototype.contains.call(e, x) && isStateful(x),
    )
  )
    return "it has a state that a second press would switch back";
  if (composedClosest(e, (x) => localName(x) === "form") || formOf(e)) return "it belongs to a form";
  const called = `${ready.name} ${words(e, ["title", "aria-label", "id", "name", "data-action", "data-testid"])}`;
  const classes = words(e, ["class"]);
  if (hasAttribute(e, "download") || DOWNLOADS.test(called)) return "it may start a download";
  if (TOGGLES.test(called) || CLASSES_THAT_TOGGLE.test(classes))
    return "it looks like something that is switched back and forth";
  if (MUTATES.test(called) || CLASSES_THAT_MUTATE.test(classes)) return "it may change or send something";
  if (amongFields(e)) return "it stands among fields and may send them";
  return "";
}

/** @param {Element} e */
function isNative(e) {
  return isEditable(e) || matches(e, NATIVE);
}

/** @param {Element} e */
function isStateful(e) {
  if (STATES.some((name) => hasAttribute(e, name))) return true;
  return STATEFUL_ROLES.test((attribute(e, "role") ?? "").trim().toLowerCase());
}

/** @param {Element} e @param {readonly string[]} names @returns {string} attributes read as words */
function words(e, names) {
  return names
    .map((key) => (attribute(e, key) ?? "").slice(0, 200))
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_\-:./]+/g, " ");
}

/** @param {Element} e @returns {boolean} a few steps up there is a field */
function amongFields(e) {
  let steps = COMPOSER_STEPS;
  return (
    composedClosest(
      e,
      (x) =>
        steps-- > 0 &&
        !/^(body|html|main)$/.test(localName(x)) &&
        Element.prototype.querySelector.call(x, FIELDS) !== null,
    ) !== null
  );
}
