// What the browser's own model is asked to be for (Prompt API). Whoever asks for it, page or supervisor, must say the
// same: `availability()` answers for these options only.

export const PURPOSE = {
  expectedInputs: [{ type: "text", languages: ["en"] }],
  expectedOutputs: [{ type: "text", languages: ["en"] }],
};
