/** Examples that drive the real `pulumi` themselves, by the Automation API, each against an emulator of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { copyExample } from "../support/examples.ts"
import { startService } from "../support/serviceProcess.ts"

/** The program of an example, without its verb. */
type Command = readonly [file: string, ...args: ReadonlyArray<string>]

type Play = (run: (verb: string) => Promise<string>) => Promise<void>

/** Plays a program; `run` executes one of its verbs on the stack "test", and returns what it printed. */
export const playAutomation = async (
  [file, ...args]: Command,
  play: Play
): Promise<void> => {
  const service = await startService("--emulator")
  const folder = mkdtempSync(join(tmpdir(), "vps-automation-"))
  mkdirSync(join(folder, "states"))
  const env = {
    PATH: `${join(ROOT, "node_modules/.bin")}:${process.env["PATH"]}`,
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
    assert.deepStrictEqual({ code, errors: errors.replaceAll(/^SLF4J: .*\n/gm, "") }, { code: 0, errors: "" })
    return output
  }
  try {
    await play(run)
  } finally {
    await service.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Plays an example in TypeScript, copied out of the package. */
export const playExample = async (example: string, play: Play): Promise<void> => {
  const folder = makeConsumer()
  try {
    await playAutomation([process.execPath, join(copyExample(folder, example), "index.ts")], play)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
