/** The words of OpenTofu's and Terraform's users. */
import type { SettingName, Words } from "../HostWords.ts"

/** "maxCharge" becomes "max_charge". */
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const SETTING_NAMES: Readonly<Record<SettingName, string>> = {
  apiKey: "api_key",
  baseUrl: "base_url",
  idempotencyScope: "idempotency_scope",
  maxChargePerUpdate: "max_charge_per_apply",
  deletionPolicy: "deletion_policy",
  waitFor: "wait_for",
  requestTimeout: "request_timeout",
  generations: "generations"
}

/** `command`: the program that started this process, "tofu" or "terraform". */
export const wordsOf = (command: string): Words => ({
  prefix: "terraform",
  update: `\`${command} apply\``,
  refresh: `\`${command} apply -refresh-only\``,
  removeFromState: `\`${command} state rm\``,
  program: "configuration",
  stack: "state",
  input: snake,
  assign: (name, value) => `${snake(name)} = ${value}`,
  resetRecord: "reset_to = \"...\"",
  setting: (name) => `${SETTING_NAMES[name]} of the provider`,
  environment: {
    apiKey: "VPS_API_KEY",
    baseUrl: "VPS_BASE_URL",
    deletionPolicy: "VPS_DELETION_POLICY",
    maxChargePerUpdate: "VPS_MAX_CHARGE_PER_APPLY",
    idempotencyScope: "VPS_IDEMPOTENCY_SCOPE",
    generations: "VPS_GENERATIONS",
    waitFor: "VPS_WAIT_FOR",
    requestTimeout: "VPS_REQUEST_TIMEOUT"
  },
  setGeneration: (name, generation) => `\`generations = { "${name}" = ${generation} }\` in the provider block`,
  replacement: {
    cause: "the resource is tainted, or -replace names it",
    remedy: `Run \`${command} untaint\` with its address`
  },
  setKey: "set api_key in the provider block",
  rejectedKey: (source) => `Set ${source} to a valid key.`
})
