import { t } from "../i18n.js";
import { blocks } from "../markdown.js";
import { CopyButton } from "./CopyButton.jsx";
import { memo } from "./memo.js";

/** Markdown as sanitised HTML, block by block. Preact leaves a block alone whose HTML is the same as before. */
export const Markdown = memo(Blocks);

/** @param {{text: string}} props */
function Blocks({ text }) {
  return (
    <div class="md">
      {blocks(text).map((block) =>
        block.kind === "code" ? (
          <CodeBlock key={block.key} code={block.code} lang={block.lang} />
        ) : (
          // markdown.js has sanitised it.
          <div key={block.key} class="md-block" dir="auto" dangerouslySetInnerHTML={{ __html: block.html }} />
        ),
      )}
    </div>
  );
}

/**
 * @param {{code: string, lang: string}} props
 */
function CodeBlock({ code, lang }) {
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{lang || t("code")}</span>
        <CopyButton text={() => code} label={t("copy_code")} />
      </div>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
