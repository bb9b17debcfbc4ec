import { useEffect } from "preact/hooks";
import { DropZone } from "./Attachments.jsx";
import { Activity, Composer } from "./Composer.jsx";
import { Announcer, Conversation } from "./Conversation.jsx";
import { Header } from "./Header.jsx";
import { History } from "./History.jsx";
import { historyShown } from "./history.js";
import { Notices } from "./Notices.jsx";
import { Queue } from "./Queue.jsx";
import { Switches } from "./Switches.jsx";
import { stop } from "./sending.js";
import { busy } from "./state.js";

export function App() {
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
      if (event.defaultPrevented) return;
      // A word being composed owns its Escape.
      if (event.key === "Escape" && busy.value && !event.isComposing) stop();
      if (event.key === "/" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        document.getElementById("composer")?.focus();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <Header />
      <Notices />
      <Switches />
      {historyShown.value ? <History /> : <Conversation />}
      <Activity />
      {!historyShown.value && (
        <>
          <Queue />
          <Composer />
        </>
      )}
      <DropZone />
      <Announcer />
    </>
  );
}
