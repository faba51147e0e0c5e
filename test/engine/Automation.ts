/** Examples that drive the real `pulumi` themselves, by the Automation API, each against an emulator of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { startService } from "../support/serviceProcess.ts"

/** The program of an example, without its verb. */
type Command = readonly [file: string, ...args: ReadonlyArray<string>]

/** An example in TypeScript. */
export const script = (example: string): Command => [process.execPath, join(ROOT, "examples", example, "index.ts")]

/** Plays an example; `run` executes one of its verbs on the stack "test", and returns what it printed. */
export const playAutomation = async (
  [file, ...args]: Command,
  play: (run: (verb: string) => Promise<string>) => Promise<void>
): Promise<void> => {
  const service = await startService("--emulator")
  const folder = mkdtempSync(join(tmpdir(), "vps-automation-"))
  mkdirSync(join(folder, "states"))
  const env = {
    PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}`,
    NODE_OPTIONS: "--conditions=pulumi-vps-source",
    NODE_NO_WARNINGS: "1",
    HOME: folder,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${folder}/states`,
    PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    VPS_BASE_URL: service.url,
    VPS_API_KEY: service.apiKey
  }
  const run = async (verb: string): Promise<string> => {
    const child = spawn(file, [...args, verb, "test"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
    expect({ code, errors: errors.replaceAll(/^SLF4J: .*\n/gm, "") }).toEqual({ code: 0, errors: "" })
    return output
  }
  try {
    await play(run)
  } finally {
    await service.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
