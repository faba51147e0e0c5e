/** Getting at states: files, standard input, or the `pulumi` command. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { promisify } from "node:util"
import { UserError } from "../api/Errors.ts"
import { readState, type StackState } from "./Orphans.ts"

/** Bytes that an exported state may have: a thousand servers have some two million. */
const MAX_BYTES = 1_000_000_000

export interface StateSources {
  /** Paths of what `pulumi stack export` printed; "-" is standard input. */
  readonly files?: ReadonlyArray<string>
  /** Names of stacks, exported with the `pulumi` command in the current folder. */
  readonly stacks?: ReadonlyArray<string>
}

const fromFile = async (file: string): Promise<StackState> => {
  const content = file === "-" ? text(process.stdin) : readFile(file, "utf8")
  return readState(
    file === "-" ? "standard input" : file,
    await content.catch((error: Error) => {
      throw new UserError(`${file} can't be read: ${error.message}`)
    })
  )
}

const fromStack = async (stack: string): Promise<StackState> => {
  // Secrets stay encrypted: nothing that is compared is one.
  const args = ["stack", "export", "--stack", stack, "--non-interactive"]
  const ran = promisify(execFile)("pulumi", args, { maxBuffer: MAX_BYTES })
  const { stdout } = await ran.catch((error: Error & { readonly stderr?: string }) => {
    throw new UserError(`stack ${stack} can't be exported: ${error.stderr?.trim() || error.message}`)
  })
  return readState(`stack ${stack}`, stdout)
}

/**
 * The states to compare with.
 * @throws UserError when there is none, or one of them can't be read.
 */
export const readStates = async ({ files = [], stacks = [] }: StateSources): Promise<ReadonlyArray<StackState>> => {
  if (files.length + stacks.length === 0) {
    throw new UserError(
      "no state was given: name files that `pulumi stack export --file` wrote, or stacks with --stack"
    )
  }
  return await Promise.all([...files.map(fromFile), ...stacks.map(fromStack)])
}
