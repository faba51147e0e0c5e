/** Loads states from files, standard input, or the `pulumi` command. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { UserError } from "../api/Errors.ts"
import { readState, type StackState } from "./Orphans.ts"

/** Bytes; the maximum size of an exported state. A thousand instances take some two million. */
const MAX_BYTES = 1_000_000_000

export interface StateSources {
  /** Files with the output of `pulumi stack export`; "-" is standard input. */
  readonly files?: ReadonlyArray<string>
  /** Names of stacks, exported with the `pulumi` command in the current folder. */
  readonly stacks?: ReadonlyArray<string>
}

const fromFile = async (file: string): Promise<StackState> => {
  const content = file === "-" ? text(process.stdin) : readFile(file, "utf8")
  return readState(
    file === "-" ? "standard input" : file,
    await content.catch((error: Error) => {
      throw new UserError(`${file} cannot be read: ${error.message}`)
    })
  )
}

/** @throws UserError that begins with `failure`. */
const pulumi = async (args: ReadonlyArray<string>, failure: string): Promise<string> => {
  const ran = promisify(execFile)("pulumi", [...args, "--non-interactive"], { maxBuffer: MAX_BYTES })
  const { stdout } = await ran.catch((error: Error & { readonly stderr?: string }) => {
    throw new UserError(`${failure}: ${error.stderr?.trim() || error.message}`)
  })
  return stdout
}

const fromStack = async (stack: string): Promise<StackState> => {
  // Secrets stay encrypted: no compared field is secret.
  const exported = await pulumi(["stack", "export", "--stack", stack], `stack ${stack} cannot be exported`)
  return readState(`stack ${stack}`, exported)
}

interface ListedStack {
  readonly name: string
  /** Absent for one that was never updated, and with some backends while it is. */
  readonly lastUpdate?: string
  readonly resourceCount?: number
}

/** The names of the stacks of all projects that were updated since this time and hold something. */
export const stacksUpdatedSince = async (time: number): Promise<ReadonlyArray<string>> => {
  const json = await pulumi(["stack", "ls", "--all", "--json"], "the stacks cannot be listed")
  return (JSON.parse(json) as ReadonlyArray<ListedStack>)
    .filter(({ lastUpdate, resourceCount }) =>
      resourceCount !== 0 && (lastUpdate === undefined || Date.parse(lastUpdate) >= time)
    )
    .map(({ name }) => name)
}

/** @throws UserError without any source, or when one cannot be read. */
export const readStates = async ({ files = [], stacks = [] }: StateSources): Promise<ReadonlyArray<StackState>> => {
  if (files.length + stacks.length === 0) {
    throw new UserError(
      "no state given. Pass files written by `pulumi stack export --file`, or stacks with --stack"
    )
  }
  return await Promise.all([...files.map(fromFile), ...stacks.map(fromStack)])
}
