/** Plays a row of the table on an engine and writes down what it did. */
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunOptions, type Stack, type StateResource, urnOf } from "../Stack.ts"
import type { Step } from "./table.ts"

/** One step: what was run, how it ended, how the provider was called, what the state holds. */
export interface Recorded {
  readonly step: string
  readonly ended: "well" | "badly" | "killed"
  /** Said only of a run that ended well. */
  readonly unchanged: boolean
  readonly calls: ReadonlyArray<string>
  readonly state: ReadonlyArray<string>
}

type Make = (environment: Readonly<Record<string, string>>) => Promise<Stack>

const IMPORTS = [
  "import * as pulumi from \"@pulumi/pulumi\"",
  `import { Probe } from ${JSON.stringify(import.meta.resolve("./Probe.ts"))}`
].join("\n")

const nameOf = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2)

const told = (one: StateResource): string =>
  [
    one.delete ? "old half of" : "",
    nameOf(one.urn),
    one.id,
    `in=${JSON.stringify(one.inputs["value"])}`,
    `out=${JSON.stringify(one.outputs["value"])}`,
    one.initErrors.join("; ")
  ].filter((part) => part !== "").join(" ")

const urns = (options: RunOptions = {}): RunOptions => {
  const named = (name: string) => urnOf("vps:Probe", name)
  return { ...options, ...options.replace === undefined ? {} : { replace: options.replace.map(named) } }
}

/** Resolves when the provider has begun to hang. */
const hanging = (folder: string, file: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(file) || !readFileSync(file, "utf8").includes("\nhangs ")) return
      watcher.close()
      resolve()
    }
    const watcher = watch(folder, look)
    look()
  })

/** Resources that don't depend on each other start in random order. */
const BESIDE = /new Probe\("c", \{ value: \d/

/** The resource that a call is about. */
const subjectOf = (call: string): string => /^\w+ ([a-z])/.exec(call)?.[1] ?? ""

const inOrder = (calls: ReadonlyArray<string>, beside: boolean): ReadonlyArray<string> =>
  beside ? calls.toSorted((one, other) => subjectOf(one).localeCompare(subjectOf(other))) : calls

const ending = (code: number, killed: boolean): Recorded["ended"] => killed ? "killed" : code === 0 ? "well" : "badly"

export const record = async (make: Make, steps: ReadonlyArray<Step>): Promise<ReadonlyArray<Recorded>> => {
  const folder = mkdtempSync(join(tmpdir(), "vps-probe-"))
  const file = join(folder, "calls.log")
  const stack = await make({ PROBE_LOG: file })
  let seen = 0
  let text = ""
  const play = async ({ kill, options, orders = "", program, run }: Step): Promise<Recorded> => {
    text = program ?? text
    if (program !== undefined) stack.program(`${IMPORTS}\n${program}`)
    stack.environment({ PROBE: orders })
    const result = run === "cancel"
      ? await stack.cancel().then(() => ({ code: 0, output: "" }))
      : kill === undefined
      ? await stack.run(run, urns(options))
      : await (async () => {
        const running = stack.start(run, urns(options))
        await hanging(folder, file)
        return kill === "all" ? await running.kill() : await running.killProvider()
      })()
    if (process.env["PROBE_SHOW"] !== undefined) process.stderr.write(`--- ${run}: ${result.code}\n${result.output}\n`)
    const calls = (existsSync(file) ? readFileSync(file, "utf8") : "").split("\n").slice(0, -1)
    const { pending, resources } = await stack.exportState()
    const state = [...resources.map(told), ...pending.map(({ type, urn }) => `pending: ${type} ${nameOf(urn)}`)]
    const fresh = calls.slice(seen)
    seen = calls.length
    return {
      step: `${run}${options === undefined ? "" : ` ${JSON.stringify(options)}`}${orders === "" ? "" : ` (${orders})`}`,
      ended: ending(result.code, kill === "all"),
      unchanged: result.code === 0 && stack.unchanged(result),
      calls: inOrder(fresh, run === "refresh" || options?.refresh === true || BESIDE.test(text)),
      state: state.toSorted()
    }
  }
  const all: Array<Recorded> = []
  try {
    for (const step of steps) all.push(await play(step))
  } finally {
    await stack.dispose()
    rmSync(folder, { recursive: true })
  }
  return all
}
