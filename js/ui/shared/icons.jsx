/**
 * The icons, drawn on a 16 by 16 grid with one stroke. They are decoration: whoever uses one also says in words
 * what it means.
 */

/** @type {Record<string, string>} */
const PATHS = {
  settings:
    "M2 4.5h6.2M11.8 4.5H14M2 11.5h2.2M7.8 11.5H14M10 2.7a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6ZM6 9.7a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Z",
  compose:
    "M13.5 8.2v4.3a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h4.3M6.5 9.5l.4-2.1 5.6-5.6 1.7 1.7-5.6 5.6Z",
  send: "M8 13.2V3M3.6 7.2 8 2.8l4.4 4.4",
  stop: "M4.5 4.5h7v7h-7Z",
  copy: "M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1Z",
  check: "m3 8.5 3.3 3.3L13 4.8",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 4.8V8l2.2 1.6",
  cross: "m4 4 8 8M12 4l-8 8",
  alert: "M8 2.2 14.5 13.5h-13ZM8 6.5v3.2M8 11.4v.2",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.3v3.6M8 5v.2",
  unknown:
    "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM6.3 6.4c0-1 .8-1.7 1.7-1.7s1.7.7 1.7 1.6c0 1.2-1.7 1.3-1.7 2.6M8 11.2v.2",
  chevron: "m6 3.5 4.5 4.5L6 12.5",
  expand: "m4 6.2 4 4 4-4",
  down: "M8 3v10M3.8 8.8 8 13l4.2-4.2",
  up: "M8 13V3M3.8 7.2 8 3l4.2 4.2",
  eye: "M1.5 8S4 3.6 8 3.6 14.5 8 14.5 8 12 12.4 8 12.4 1.5 8 1.5 8ZM8 6.1a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8Z",
  eyeOff:
    "m2.5 2.5 11 11M6.4 3.8A6 6 0 0 1 8 3.6c4 0 6.5 4.4 6.5 4.4a11 11 0 0 1-1.8 2.3M4.2 4.9A11 11 0 0 0 1.5 8S4 12.4 8 12.4c1 0 2-.3 2.8-.7",
  image:
    "M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3ZM2.3 11.6 6 8l2.6 2.5 2-1.8 3.1 2.8M10.6 5.6v.2",
  external: "M9.5 2.5h4v4M13.5 2.5 7.5 8.5M12 9.5v3a1 1 0 0 1-1 1H3.5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h3",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4l3.1 3.1",
  globe:
    "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM2 8h12M8 2c1.7 1.6 2.5 3.6 2.5 6S9.7 12.4 8 14C6.3 12.4 5.5 10.4 5.5 8S6.3 3.6 8 2Z",
  shield: "M8 1.8 13 3.7v4c0 3.2-2.1 5.4-5 6.5-2.9-1.1-5-3.3-5-6.5v-4Z",
  pointer: "M4 2.5 12.8 8 8.7 8.8 6.6 12.8Z",
  read: "M2.5 3.5h4a1.5 1.5 0 0 1 1.5 1.5v8a1.5 1.5 0 0 0-1.5-1.5h-4ZM13.5 3.5h-4A1.5 1.5 0 0 0 8 5v8a1.5 1.5 0 0 1 1.5-1.5h4Z",
  retry: "M13 8a5 5 0 1 1-1.6-3.7L13 5.8M13 2.5v3.3H9.7",
  play: "M5 3.2 12.5 8 5 12.8Z",
  microphone:
    "M8 1.8a2.2 2.2 0 0 0-2.2 2.2v3.6a2.2 2.2 0 0 0 4.4 0V4A2.2 2.2 0 0 0 8 1.8ZM3.5 7.6a4.5 4.5 0 0 0 9 0M8 12.1v2.1M5.8 14.2h4.4",
  clip: "M13.2 7.4 7.9 12.7a3.2 3.2 0 0 1-4.5-4.5l5.6-5.6a2.1 2.1 0 0 1 3 3L6.5 11.1a1 1 0 0 1-1.5-1.5l4.9-4.9",
  file: "M4.5 1.8h4.8l3.2 3.2v8.2a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V2.8a1 1 0 0 1 1-1ZM9.2 2v3.1h3.1",
  back: "M13 8H3M7.2 3.8 3 8l4.2 4.2",
  history: "M2.8 5.2A6 6 0 1 1 2 8M2.3 2.3v3.2h3.2M8 5v3.2l2.1 1.4",
  save: "M8 2.5v7.2M4.9 6.8 8 9.9l3.1-3.1M2.8 11v1.5a1 1 0 0 0 1 1h8.4a1 1 0 0 0 1-1V11",
  bin: "M2.8 4.2h10.4M6.2 4V2.8h3.6V4M4.2 4.4l.5 8.2a1 1 0 0 0 1 .9h4.6a1 1 0 0 0 1-.9l.5-8.2M6.7 6.8v4M9.3 6.8v4",
  plug: "M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0ZM8 11.5V14",
};

/**
 * @param {{name: keyof typeof PATHS | string, size?: number}} props
 */
export function Icon({ name, size = 16 }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}

/** The mark: a W drawn as five joined nodes. */
export function Mark({ size = 20 }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path class="mark-line" d="M3.5 6.5 8 17.5 12 9l4 8.5 4.5-11" />
      <circle cx="3.5" cy="6.5" r="2" />
      <circle cx="8" cy="17.5" r="2" />
      <circle cx="12" cy="9" r="2" />
      <circle cx="16" cy="17.5" r="2" />
      <circle cx="20.5" cy="6.5" r="2" />
    </svg>
  );
}
