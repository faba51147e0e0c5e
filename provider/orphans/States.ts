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

const fromStack = async (stack: string): Promise<StackState> => {
  // Secrets stay encrypted: no compared field is secret.
  const args = ["stack", "export", "--stack", stack, "--non-interactive"]
  const ran = promisify(execFile)("pulumi", args, { maxBuffer: MAX_BYTES })
  const { stdout } = await ran.catch((error: Error & { readonly stderr?: string }) => {
    throw new UserError(`stack ${stack} cannot be exported: ${error.stderr?.trim() || error.message}`)
  })
  return readState(`stack ${stack}`, stdout)
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
