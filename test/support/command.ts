/** A command as a process of its own: its output and its exit status. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { PACK_FOLDER } from "./packed.ts"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The compile cache is shared: there are a hundred processes. */
const COMPILED = `${ROOT}node_modules/.cache/pulumi-vps/compiled`

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string>
  /** The standard input. */
  readonly input?: string
}

/** Runs a program with Node, with only these environment variables. */
export const runNode = async (args: ReadonlyArray<string>, { env = {}, input = "" }: RunOptions = {}): Promise<Ran> => {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { NODE_COMPILE_CACHE: COMPILED, ...env } })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: code as number | null, stdout, stderr }
}

/** The package's own imports lead to its source. */
const FROM_SOURCE = "--conditions=pulumi-vps-source"

/**
 * Runs a script as people do, without a vitest around it; returns what it printed once it has ended by itself. `flags`
 * are Node's.
 */
export const runScript = async (
  script: string,
  { flags = [], ...options }: RunOptions & { readonly flags?: ReadonlyArray<string> } = {}
): Promise<string> => {
  const node = [FROM_SOURCE, ...flags, "--input-type=module-typescript", "--eval", script]
  const { code, stderr, stdout } = await runNode(node, options)
  if (code !== 0 || stderr !== "") throw new Error(`the script ended with ${code}: ${stderr}`)
  return stdout
}

/**
 * Node's arguments for `vps-service`: as it is built where `packSetup.ts` has built it, because a process from source
 * takes three times the CPU to start. Tests in process need no build.
 */
export const SERVICE: ReadonlyArray<string> = process.env[PACK_FOLDER] === undefined
  ? [FROM_SOURCE, "service/bin.ts"]
  : ["service/dist/bin.js"]

/** Runs `vps-service` with simulated instances. */
export const runCommand = (args: ReadonlyArray<string>, { env, ...options }: RunOptions = {}): Promise<Ran> =>
  runNode([...SERVICE, ...args], { ...options, env: { NO_COLOR: "1", VPS_SERVICE_DRIVER: "simulated", ...env } })

/** The operator's commands over one database, by what runs them. */
export const adminWith =
  <Options>(runs: (args: ReadonlyArray<string>, options?: Options) => Promise<Ran>) => (database: string) => {
    const run = (args: ReadonlyArray<string>, options?: Options) =>
      runs(["admin", ...args, "--database", database], options)
    return {
      run,
      /** The result of a command that is done. */
      // oxlint-disable-next-line typescript/no-explicit-any
      json: async (...args: ReadonlyArray<string>): Promise<any> => {
        const { code, stderr, stdout } = await run([...args, "-o", "json"])
        if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
        return JSON.parse(stdout)
      }
    }
  }

/** Each as a process. */
export const adminOf = adminWith(runCommand)
