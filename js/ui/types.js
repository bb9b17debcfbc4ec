/**
 * Shapes of what crosses the port, as docs/protocol.md and py/webbrain/core/events.py define them.
 *
 * @typedef {"ask" | "act" | "dev"} Mode
 *
 * @typedef {object} RunEvent
 * @property {number} tabId
 * @property {string} conversationId
 * @property {string} runId
 * @property {string} requestId
 * @property {number} seq grows by one per conversation
 * @property {string} type
 * @property {number} at milliseconds since 1970
 * @property {any} data fields of the event type, camelCase
 *
 * @typedef {object} QueuedMessage typed while a run was going on, and waiting
 * @property {string} id becomes the request's once it is sent
 * @property {string} text
 * @property {Mode} mode
 * @property {boolean} held it is not sent by itself
 *
 * @typedef {object} BootStatus
 * @property {"starting" | "ready" | "failed"} state
 * @property {number} epoch
 * @property {"snapshot" | "plain"} [mode]
 * @property {{name: string, ms: number}[]} phases
 * @property {number} [totalMs]
 * @property {string} [reason]
 *
 * @typedef {object} PanelView the answer to `panel.open`
 * @property {number} tabId
 * @property {string} conversationId
 * @property {Mode} mode
 * @property {boolean} running
 * @property {{runId: string, requestId: string, status: string} | null} run
 * @property {QueuedMessage[]} [queue]
 * @property {RunEvent[]} events
 * @property {{url: string, title: string} | null} tab
 * @property {{id: string, label: string, model: string, tier: string} | null} provider
 * @property {boolean} [voice] there is a transcription model
 * @property {boolean} [allowApi] requests that change data may be asked for
 * @property {{themeMode?: string, wbLocale?: string, verboseMode?: boolean, voiceInputEnabled?: boolean,
 *   askBeforeConsequentialActions?: boolean}} settings
 * @property {Record<string, unknown>} [capabilities]
 *
 * @typedef {object} ProviderField
 * @property {string} key
 * @property {string} label
 * @property {"text" | "url" | "secret" | "number" | "select"} kind
 * @property {boolean} [required]
 * @property {string} [placeholder]
 * @property {({value: string, label: string} | string)[]} [options]
 * @property {string} [help]
 * @property {boolean} [stored] of a secret: there is one, which this page never gets to see
 *
 * @typedef {object} ProviderView
 * @property {string} id
 * @property {string} label
 * @property {"local" | "cloud" | "router" | "custom"} category
 * @property {string} baseUrl
 * @property {string} model
 * @property {string} tier
 * @property {number} contextWindow
 * @property {boolean} supportsVision
 * @property {boolean} streaming
 * @property {boolean} needsKey
 * @property {boolean} hasKey
 * @property {string} [keyUrl]
 * @property {boolean} configured
 * @property {boolean} active
 * @property {string} [notes]
 * @property {"auto" | "on" | "off"} [constrained]
 * @property {boolean} [builtIn] the browser's own model, which may have to be downloaded
 * @property {boolean} [transcribes] turns speech into text
 * @property {string} [transcriptionModel] the model that does, unless another is named
 * @property {ProviderField[]} fields
 * @property {Record<string, any>} values
 *
 * @typedef {object} ModelFacts what a list or a server says of a model
 * @property {number} [contextWindow] tokens
 * @property {boolean} [supportsVision]
 *
 * @typedef {object} FoundServer a model server on this computer, of `providers.scan`
 * @property {string} id of the provider
 * @property {string} label
 * @property {string} baseUrl
 * @property {string} model the one that would be used
 * @property {boolean} needsModel it has to be named in every request
 * @property {number} [contextWindow]
 * @property {boolean} [supportsVision]
 * @property {string[]} models
 * @property {Record<string, ModelFacts>} facts by model
 * @property {boolean} active
 * @property {{code: string, message: string, hint?: string} | null} problem why it cannot be used yet
 *
 * @typedef {object} TestResult the answer to `providers.test`
 * @property {boolean} ok
 * @property {string} [model]
 * @property {number} [latencyMs]
 * @property {boolean} [calledTool]
 * @property {string} [baseUrl] the address that worked
 * @property {boolean} [moved] that is not the one entered
 * @property {boolean | null} [readPicture] null if it is not said to read pictures
 * @property {string[]} [notes]
 * @property {{code: string, message: string, hint?: string, field?: string} | null} [error] `field`: of the form,
 *   where it is to be mended
 *
 * @typedef {object} AuxiliaryView the answer to `vision.get` and `transcription.get`
 * @property {string} provider empty for none
 * @property {string} model empty for the usual one
 * @property {boolean} usable
 *
 * @typedef {object} Spending the answer to `spending.get`, in US dollars
 * @property {number} sessionUsd since the browser started
 * @property {number} totalUsd
 * @property {number | null} since milliseconds since 1970
 *
 * @typedef {object} SettingField
 * @property {string} key
 * @property {string} section
 * @property {"enum" | "bool" | "int" | "money" | "text"} kind
 * @property {string} label
 * @property {string} [help]
 * @property {any} default
 * @property {{value: string, label: string}[]} [options]
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {object} CardData
 * @property {string} cardId
 * @property {"submit" | "clarify" | "permission"} kind
 * @property {number} seconds of a question of the agent's until its first option is taken; 0: it waits
 * @property {boolean} freeText an answer in the person's own words is taken
 * @property {string} title
 * @property {string} question
 * @property {string} host
 * @property {string} origin `host` as it may be shown
 * @property {string} ask what is asked, by which the screens have their own words; empty if Python has them
 * @property {Record<string, string>} params for the places of those words
 * @property {string[]} warnings one sentence more for each
 * @property {{label: string, value: string, masked: boolean}[]} details what would be done
 * @property {{label: string, value: string, masked: boolean}[]} fields of a form
 * @property {{id: string, label: string, code: string, style: "primary" | "secondary" | "danger"}[]} options
 *
 * @typedef {object} PermissionView what holds for good
 * @property {{host: string, shown: string, grants: {capability: string, action: "allow" | "deny", ts: number}[]}[]} sites
 */

export {};
