/** The behavior that the engines share, step by step. Each row is a small program, changed and run. */
import type { RunOptions, Verb } from "../Stack.ts"

export interface Step {
  /** The text of the program from here on, without its imports. */
  readonly program?: string
  readonly run: Verb | "cancel"
  /** Names of resources, written as names and not as URNs. */
  readonly options?: RunOptions
  /** The faults that the provider shall make. */
  readonly orders?: string
  /** Kill when the provider hangs. */
  readonly kill?: "all" | "provider"
}

const a = (value: number, options = "{}", more = ""): string =>
  `const a = new Probe("a", { value: ${value}${more} }, ${options})`
const b = (value: string, options = "{}", more = ""): string =>
  `const b = new Probe("b", { value: ${value}${more} }, ${options})`
const both = (value: number, options = "{}", more = ""): string => `${a(value, options, more)}\n${b("a.value")}`
const chain = (value: number): string => `${both(value)}\nnew Probe("c", { value: b.value })`
const three = (value: number): string =>
  `${a(value)}\nnew Probe("b", { value: ${value} })\nnew Probe("c", { value: ${value} })`

const REPLACED = ", replaceOn: \"value\""
const DELETED_FIRST = "{ deleteBeforeReplace: true }"
const up = { run: "up" } as const
const preview = { run: "preview" } as const
const refresh = { run: "refresh" } as const
const destroy = { run: "destroy" } as const

export const PROBES = {
  "create, no change, change, destroy, in the order of dependence": [
    { program: both(1), ...preview },
    up,
    up,
    { program: both(2), ...preview },
    up,
    refresh,
    { ...destroy }
  ],
  "a resource that the program no longer names is deleted; what depends on it goes first": [
    { program: both(1), ...up },
    { program: "", ...preview },
    up
  ],
  "a replacement creates first, and deletes at the end": [
    { program: both(1, "{}", REPLACED), ...up },
    { program: both(2, "{}", REPLACED), ...preview },
    up,
    up
  ],
  "replacement with deleteBeforeReplace": [
    { program: a(1, DELETED_FIRST, REPLACED), ...up },
    { program: a(2, DELETED_FIRST, REPLACED), ...preview },
    up
  ],
  "deleteBeforeReplace takes what would be replaced along": [
    { program: `${a(1, DELETED_FIRST, REPLACED)}\n${b("a.value", "{}", REPLACED)}`, ...up },
    { program: `${a(2, DELETED_FIRST, REPLACED)}\n${b("a.value", "{}", REPLACED)}`, ...preview },
    up,
    up
  ],
  "--replace": [
    { program: both(1), ...up },
    { ...up, options: { replace: ["a"] } },
    { program: both(1, DELETED_FIRST), ...up, options: { replace: ["a"] } }
  ],
  "an alias renames without a replacement": [
    { program: both(1), ...up },
    { program: "const z = new Probe(\"z\", { value: 1 }, { aliases: [{ name: \"a\" }] })", ...preview },
    up,
    { program: "const z = new Probe(\"z\", { value: 2 })", ...up }
  ],
  "one create fails: those under way end and are saved": [
    {
      program: three(1),
      ...up,
      orders: "fail create b; after create c create b; after create b create a; after create b create c"
    },
    up
  ],
  "one create fails with --continue-on-error": [
    { program: three(1), ...up, orders: "fail create a", options: { continueOnError: true, parallel: 1 } },
    up
  ],
  "one create fails: what was made from it is not begun": [
    { program: chain(1), ...up, orders: "fail create b" },
    up
  ],
  "one create fails with --continue-on-error: what was made from it is not begun": [
    { program: chain(1), ...up, orders: "fail create b", options: { continueOnError: true } }
  ],
  "a half-made resource is saved, and updated by the next up": [
    { program: a(1), ...up, orders: "partial create a" },
    preview,
    { ...up, orders: "partial update a" },
    up,
    up
  ],
  "a refresh clears what was half made": [
    { program: a(1), ...up, orders: "partial create a" },
    refresh,
    up
  ],
  "a half-done update keeps the old inputs": [
    { program: a(1), ...up },
    { program: a(2), ...up, orders: "partial update a" },
    up
  ],
  "a failed update changes nothing in the state": [
    { program: a(1), ...up },
    { program: a(2), ...up, orders: "fail update a" },
    up
  ],
  "killed while creating: a lock, a pending operation, and a create like the first": [
    { program: a(1), ...up, orders: "hang create a", kill: "all" },
    up,
    { run: "cancel" },
    preview,
    up,
    up,
    refresh
  ],
  "killed while updating": [
    { program: a(1), ...up },
    { program: a(2), ...up, orders: "hang update a", kill: "all" },
    { run: "cancel" },
    up,
    refresh
  ],
  "killed while deleting": [
    { program: a(1), ...up },
    { ...destroy, orders: "hang delete a", kill: "all" },
    { run: "cancel" },
    destroy
  ],
  "killed while deleting the old half of a replacement": [
    { program: a(1, "{}", REPLACED), ...up },
    { program: a(2, "{}", REPLACED), ...up, orders: "hang delete a", kill: "all" },
    { run: "cancel" },
    up
  ],
  "the provider alone is killed while creating": [
    { program: a(1), ...up, orders: "hang create a", kill: "provider" },
    up
  ],
  "the provider alone is killed while updating": [
    { program: a(1), ...up },
    { program: a(2), ...up, orders: "hang update a", kill: "provider" },
    up
  ],
  "the old half can't be deleted: it waits in the state for the next up": [
    { program: a(1, "{}", REPLACED), ...up },
    { program: a(2, "{}", REPLACED), ...up, orders: "fail delete a" },
    preview,
    up,
    up
  ],
  "a delete fails: what depends on it is gone, it stays": [
    { program: both(1), ...up },
    { ...destroy, orders: "fail delete a" },
    destroy
  ],
  "a delete fails: what it depends on is not begun": [
    { program: both(1), ...up },
    { ...destroy, orders: "fail delete b", options: { parallel: 1 } }
  ],
  "a check refuses: nothing that was made from it is registered": [
    { program: chain(1), ...preview, orders: "refuse b" },
    { ...up, orders: "refuse b" }
  ],
  "a diff fails": [
    { program: chain(1), ...up },
    { program: chain(2), ...up, orders: "fail diff b" },
    up
  ],
  "a read fails: the others are refreshed": [
    { program: three(1), ...up },
    { ...refresh, orders: "fail read b; gone c" },
    { ...refresh, orders: "gone a" },
    up
  ],
  "up --refresh reads first, and creates again what is gone": [
    { program: three(1), ...up },
    { ...up, options: { refresh: true }, orders: "gone b" }
  ],
  "what is gone takes nothing along that depends on it": [
    { program: both(1), ...up },
    { ...refresh, orders: "gone a" },
    up
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Step>>>
