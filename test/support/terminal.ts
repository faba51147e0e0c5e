/** A command in a terminal of 80 columns, by `script` of util-linux: its screen output and its exit status. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import type { Ran } from "./command.ts"

/** True if there is a `script` that can run a command. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true

const quoted = (argument: string): string => `'${argument.replaceAll("'", "'\\''")}'`

/** Keys that a person presses, each once the screen shows what they wait for. */
export type Keys = ReadonlyArray<readonly [once: string, press: string]>

/** Milliseconds after which a command is ended that waits for keys that never come. */
const LIFETIME = 60_000

/** Runs it, and returns all that the screen showed as `stdout`: a terminal has one screen for both outputs. */
export const runInTerminal = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  keys: Keys = [],
  program = process.execPath
): Promise<Ran> => {
  const command = `stty cols 80 rows 24; exec ${[program, ...args].map(quoted).join(" ")}`
  const own = { PATH: process.env["PATH"]!, TERM: "xterm", ...env }
  const child = spawn("script", ["-qec", command, "/dev/null"], { env: own, timeout: LIFETIME })
  const waiting = [...keys]
  let screen = ""
  child.stdout.on("data", (chunk) => {
    screen += String(chunk)
    const [next] = waiting
    if (next === undefined || !screen.includes(next[0])) return
    waiting.shift()
    child.stdin.write(next[1])
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: code as number | null, stdout: stdout.replaceAll("\r\n", "\n"), stderr }
}
