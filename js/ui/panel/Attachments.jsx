import { useEffect, useRef } from "preact/hooks";
import { bytes } from "../format.js";
import { t, tn } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { attach, basketOf, detach, dragging, FILE_BYTES, FILES_MAX, TOTAL_BYTES } from "./attachments.js";
import { PictureButton } from "./Pictures.jsx";
import { tab, view } from "./state.js";

/** @typedef {import("./attachments.js").Attachment} Attachment */

/** What can be chosen; whatever else turns out to be text is taken too. */
const ACCEPT = "image/*,application/pdf,text/*,.csv,.json,.md,.xml,.yaml,.yml,.log,.tsv";

/** Files can be given to a panel whose tab is still there. */
const canAttach = () => Boolean(tab.value) && !view.value?.gone;

/**
 * The paperclip.
 *
 * @param {{disabled: boolean}} props
 */
export function AttachButton({ disabled }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  return (
    <>
      <button
        type="button"
        id="attach"
        class="attach"
        disabled={disabled}
        title={t("attach")}
        aria-label={t("attach")}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        id="attach-files"
        type="file"
        multiple
        hidden
        accept={ACCEPT}
        onChange={(event) => {
          void attach(tab.value?.id, event.currentTarget.files ?? []);
          // The same file may be chosen again after it was removed.
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** What goes with the next message, and what could not be taken. */
export function Chips() {
  const id = tab.value?.id;
  const { files, reading, problems } = basketOf(id);
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));

  /** @param {number} index of the file that goes: whoever uses the keyboard stays where the hand was */
  const remove = (index) => {
    if (id === undefined) return;
    detach(id, files[index].id);
    requestAnimationFrame(() => {
      const buttons = list.current?.querySelectorAll("button") ?? [];
      const next = buttons[Math.min(index, buttons.length - 1)] ?? document.getElementById("composer");
      /** @type {HTMLElement | null} */ (next)?.focus();
    });
  };

  const told = [
    ...problems.map(({ name, code }) => ({ name, words: reason(code) })),
    ...files.filter((file) => file.problem).map((file) => ({ name: file.name, words: file.problem })),
  ];
  return (
    <>
      {(files.length > 0 || reading > 0) && (
        <ul ref={list} class="chips" aria-label={t("attached")}>
          {files.map((file, index) => (
            <Chip key={file.id} file={file} onRemove={() => remove(index)} />
          ))}
          {reading > 0 && <li class="chip chip-reading">{tn("attach_reading", reading)}</li>}
        </ul>
      )}
      {told.length > 0 && (
        <div class="attach-problems" role="alert">
          {told.map(({ name, words }) => (
            <p key={`${name} ${words}`}>
              <strong>{name}</strong> {words}
            </p>
          ))}
        </div>
      )}
      <span class="visually-hidden" role="status">
        {files.length > 0 ? tn("attach_count", files.length) : ""}
      </span>
    </>
  );
}

/**
 * @param {{file: Attachment, onRemove: () => void}} props
 */
function Chip({ file, onRemove }) {
  return (
    <li class={`chip ${file.problem ? "chip-refused" : ""}`} data-file={file.name} title={file.name}>
      <Thumbnail source={file.preview} kind={file.kind} />
      <FileWords name={file.name} size={file.blob.size} />
      <button
        type="button"
        class="chip-remove"
        aria-label={t("attach_remove", { name: file.name })}
        title={t("attach_remove", { name: file.name })}
        onClick={onRemove}
      >
        <Icon name="cross" size={12} />
      </button>
    </li>
  );
}

/**
 * @param {{source: string, kind: string}} props
 */
function Thumbnail({ source, kind }) {
  if (source) return <img class="chip-picture" src={source} alt="" />;
  return (
    <span class="chip-icon">
      <Icon name={kind === "picture" ? "image" : "file"} />
    </span>
  );
}

/**
 * @param {{name: string, size: number}} props
 */
function FileWords({ name, size }) {
  return (
    <span class="chip-words">
      <span class="chip-name">{name}</span>
      <span class="chip-size">{bytes(size)}</span>
    </span>
  );
}

/**
 * What went with a message: pictures to look at, other files by name.
 *
 * @param {{files: import("../conversation.js").SentFile[]}} props
 */
export function SentFiles({ files }) {
  if (!files.length) return null;
  return (
    <ul class="sent-files" aria-label={t("attached")}>
      {files.map((file, index) => (
        <li key={index} class={file.pictureId ? "sent-picture" : "chip"} data-file={file.name}>
          {file.pictureId ? (
            <PictureButton
              picture={{ id: file.pictureId, reason: "asked", width: 0, height: 0, description: "" }}
              name={file.name}
            />
          ) : (
            <>
              <Thumbnail source="" kind={file.mediaType.startsWith("image/") ? "picture" : "file"} />
              <FileWords name={file.name} size={file.bytes} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/**
 * The files of a message that is not part of the conversation yet.
 *
 * @param {{files: Attachment[]}} props
 */
export function OutgoingFiles({ files }) {
  if (!files.length) return null;
  return (
    <ul class="sent-files" aria-label={t("attached")}>
      {files.map((file) => (
        <li key={file.id} class="chip" data-file={file.name}>
          <Thumbnail source={file.preview} kind={file.kind} />
          <FileWords name={file.name} size={file.blob.size} />
        </li>
      ))}
    </ul>
  );
}

/** Takes files that are dropped anywhere on the panel, which without this would open them in its place. */
export function DropZone() {
  useEffect(() => {
    /** @param {DragEvent} event */
    const carriesFiles = (event) => Boolean(event.dataTransfer?.types.includes("Files"));
    /** @param {DragEvent} event */
    const over = (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = canAttach() ? "copy" : "none";
      dragging.value = canAttach();
    };
    /** @param {DragEvent} event */
    const leave = (event) => {
      // Between two elements of the panel there is another one below; outside of it there is none.
      if (!event.relatedTarget) dragging.value = false;
    };
    /** @param {DragEvent} event */
    const drop = (event) => {
      dragging.value = false;
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (canAttach()) void attach(tab.value?.id, event.dataTransfer?.files ?? []);
      document.getElementById("composer")?.focus();
    };
    document.addEventListener("dragenter", over);
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragenter", over);
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  if (!dragging.value) return null;
  return (
    <div class="drop-zone" aria-hidden="true">
      <p>
        <Icon name="clip" size={22} />
        {t("attach_drop")}
      </p>
    </div>
  );
}

/**
 * Take pasted files. Cells of a table or parts of a text come as words and as a picture of them: the words are meant.
 *
 * @param {ClipboardEvent} event
 */
export function pasteFiles(event) {
  const files = event.clipboardData?.files;
  if (!files?.length || event.clipboardData?.types.includes("text/plain") || !canAttach()) return;
  event.preventDefault();
  void attach(tab.value?.id, files);
}

/** @param {string} code */
function reason(code) {
  return t(`attach_reason_${code}`, {
    files: FILES_MAX,
    together: bytes(TOTAL_BYTES),
    picture: bytes(FILE_BYTES.picture),
    pdf: bytes(FILE_BYTES.pdf),
    text: bytes(FILE_BYTES.text),
  });
}
