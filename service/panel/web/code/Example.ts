/** A call of the API in the ways to make it, as texts to copy. */

export interface Example {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the base URL. */
  readonly path: string
  readonly body?: object
  /** For a purchase: what a script repeats safely. */
  readonly key?: string
  /** The expression after `await`. */
  readonly sdk: string
  readonly vps: string
  /** Undefined if Pulumi programs describe a state instead. */
  readonly pulumi?: string
}

export const baseUrl = (): string => `${location.origin}/api/v1`

/** In single quotes, for a shell: nothing in it is interpreted. */
export const quoted = (text: string): string => /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A value of TypeScript; keys without quotes, as people write them. */
export const literal = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{ ${fields.map(([name, one]) => `${name}: ${literal(one)}`).join(", ")} }`
}

const curl = ({ body, key, method, path }: Example): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(baseUrl() + path)}`,
    `-H "Authorization: Bearer $VPS_API_KEY"`,
    ...(key === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(body === undefined ? [] : [`--json ${quoted(JSON.stringify(body))}`])
  ].join(" \\\n  ")

const sdk = ({ sdk }: Example): string =>
  `import { Vps } from "pulumi-vps"\n\nconst vps = new Vps({ baseUrl: ${JSON.stringify(baseUrl())} }) // VPS_API_KEY\n`
  + `const result = await ${sdk}`

const pulumi = (code: string): string =>
  `import { Instance, ReverseDns, Snapshot } from "pulumi-vps/provider"\n\n${code}`

/** The text of each way by its name. */
export const waysOf = (example: Example): Readonly<Record<string, string>> => ({
  curl: curl(example),
  SDK: sdk(example),
  vps: example.vps,
  ...(example.pulumi === undefined ? {} : { Pulumi: pulumi(example.pulumi) })
})
