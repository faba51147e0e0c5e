/**
 * The words of messages that differ between hosts: Pulumi's users run `pulumi up` and set `maxCharge`, those of
 * OpenTofu run `tofu apply` and set `max_charge`.
 */

export interface Words {
  /** Begins Idempotency-Keys and request ids. */
  readonly prefix: "pulumi" | "terraform"
  /** The commands, in backquotes. */
  readonly update: string
  readonly refresh: string
  /** Takes an entry out of the state. */
  readonly removeFromState: string
  /** The text that declares resources, and the set of resources that it manages. */
  readonly program: string
  readonly stack: string
  /** The name of an input or an output, whose name in the definitions is camelCase. */
  readonly input: (name: string) => string
  /** An input with its value, as the program writes it; a text is already in quotation marks. */
  readonly assign: (name: string, value: string | number | boolean) => string
  /** The input by which a destroyed PTR record gets another name. */
  readonly resetRecord: string
  readonly setting: (name: SettingName) => string
  /** The environment variables. */
  readonly environment: Readonly<Record<SettingName, string>>
  /** Sets the generation of one resource that a loop makes. */
  readonly setGeneration: (name: string, generation: number) => string
  /** The reasons why the engine replaces a resource without a changed input, and the remedy. */
  readonly replacement: { readonly cause: string; readonly remedy: string }
  /** No API key is set. */
  readonly setKey: string
  /** The service rejects the key; `source` says where it is set. */
  readonly rejectedKey: (source: string) => string
}

/** Environment variable of each setting. */
export const ENVIRONMENT = {
  apiKey: "VPS_API_KEY",
  baseUrl: "VPS_BASE_URL",
  deletionPolicy: "VPS_DELETION_POLICY",
  maxChargePerUpdate: "VPS_MAX_CHARGE_PER_UPDATE",
  idempotencyScope: "VPS_IDEMPOTENCY_SCOPE",
  generations: "VPS_GENERATIONS",
  waitFor: "VPS_WAIT_FOR",
  requestTimeout: "VPS_REQUEST_TIMEOUT"
} as const
export type SettingName = keyof typeof ENVIRONMENT

const KEY_IN_STATE = "refresh and destroy use the key stored in the state, so after a rotation"

export const PULUMI: Words = {
  prefix: "pulumi",
  update: "`pulumi up`",
  refresh: "`pulumi refresh`",
  removeFromState: "`pulumi state delete`",
  program: "program",
  stack: "stack",
  input: (name) => name,
  assign: (name, value) => `${name}: ${value}`,
  resetRecord: "onDelete: {resetTo: \"...\"}",
  setting: (name) => `vps:${name}`,
  environment: ENVIRONMENT,
  setGeneration: (name, generation) => `\`pulumi config set --path 'vps:generations["${name}"]' ${generation}\``,
  replacement: {
    cause: "the resource is tainted, or --replace or the option replaceOnChanges names it",
    remedy: "Run `pulumi state untaint` with its URN, or remove the option"
  },
  setKey: "run `pulumi config set --secret vps:apiKey`",
  // A program's own provider has a key that the environment does not override.
  rejectedKey: (source) =>
    source === ENVIRONMENT.apiKey
      ? `Set ${source} (it overrides \`vps:apiKey\`); ${KEY_IN_STATE} either run \`pulumi up\` or set ${source}.`
      : `Set the ${source}, which ${ENVIRONMENT.apiKey} does not override; ${KEY_IN_STATE} run \`pulumi up\` first.`
}
