/** `npm run quickstart` as a process: what it prints, and what it leaves behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll } from "vitest"
import { ROOT } from "./consumer.ts"

export interface Quickstart {
  readonly code: number | null
  readonly text: string
  /** True if the service that it started still answers. */
  readonly serves: boolean
  /** The files left in its temporary folder. */
  readonly left: Array<string>
}

const isServing = async (text: string): Promise<boolean> => {
  const url = /listens at (\S+)\. /.exec(text)?.[1]
  if (url === undefined) throw new Error(`no service was started: ${text}`)
  return fetch(url).then(() => true, () => false)
}

/** A folder for the tests of a suite, whose `bin` has Node.js and nothing else. */
export const quickstartFolder = () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pulumi-vps-quickstart-test-"))
    mkdirSync(join(folder, "bin"))
    symlinkSync(process.execPath, join(folder, "bin", "node"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Runs it with a temporary folder and a home of its own; `during` sees each line. */
  const run = async (name: string, path: string, during: (line: string, child: ChildProcess) => void = () => {}) => {
    const temporary = join(folder, name)
    mkdirSync(temporary)
    // Settings of the user's own, which must not reach what is started.
    const own = {
      PULUMI_STACK: "production",
      VPS_API_KEY: "their-own",
      VPS_DELETION_POLICY: "fail",
      VPS_SERVICE_PORT: "1"
    }
    const env = { ...own, PATH: path, HOME: folder, TMPDIR: temporary, NO_COLOR: "1", npm_config_offline: "true" }
    const child = spawn(process.execPath, ["examples/quickstart/run.ts"], { cwd: ROOT, env })
    const lines: Array<string> = []
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line)
        during(line, child)
      })
    }
    const [code] = await once(child, "close") as [number | null]
    const text = lines.join("\n")
    return { code, text, serves: await isServing(text), left: readdirSync(temporary) } satisfies Quickstart
  }
  return { bin: () => join(folder, "bin"), run }
}
