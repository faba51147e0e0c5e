/** `npm run quickstart` works with and without Pulumi, and leaves nothing behind. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { assertLike } from "../support/like.ts"

interface Ran {
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

describe("npm run quickstart", () => {
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
    return { code, text, serves: await isServing(text), left: readdirSync(temporary) } satisfies Ran
  }

  it("without a pulumi command, runs the automation script", async () => {
    const ran = await run("script", join(folder, "bin"))
    assertLike(ran, { code: 0, serves: false, left: [] })
    assert.match(ran.text, /^The pulumi command is not available: .*\. Running the automation script instead\.$/m)
    assert.include(ran.text, "nothing charged")
    assert.match(
      ran.text,
      /^ +The panel signs you in as the customer, once: http:\/\/localhost:\d+\/panel\/sign-in#\S+$/m
    )
    assert.lengthOf(ran.text.match(/has one purchase: 4\.99 EUR\. The wallet balance is 995\.01 EUR\./g)!, 2)
  })

  it("--real says what is missing, and starts nothing", () => {
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}
    const env = { PATH: join(folder, "bin"), NO_COLOR: "1" }
    const real = spawnSync(process.execPath, ["examples/quickstart/run.ts", "--real"], {
      cwd: ROOT,
      env,
      encoding: "utf8",
      ...nobody
    })
    assert.strictEqual(
      real.stderr.trim(),
      "--real needs root. Install the packages that .ci/run names and run it as root, or leave --real out: instances "
        + "are then simulated."
    )
    assert.deepStrictEqual([real.status, real.stdout], [1, ""])
  })

  it("stops all its processes when interrupted", async () => {
    const ran = await run("interrupted", join(folder, "bin"), (line, child) => {
      if (line.startsWith("2/3")) child.kill("SIGINT")
    })
    assertLike(ran, { code: 130, serves: false, left: [] })
    assert.include(ran.text, "Interrupted (SIGINT). Stopping all processes.")
  })

  it.skipIf(!hasLanguageHost("nodejs"))(
    "runs preview, up, up again, and destroy (skipped without pulumi-language-nodejs)",
    async () => {
      const ran = await run("pulumi", process.env["PATH"] ?? "")
      assertLike(ran, { code: 0, serves: false, left: [] })
      assert.include(ran.text, "buying VPS S charges 4.99 EUR")
      assert.match(ran.text, /3 created[^]*has one purchase: 4\.99 EUR[^]*3 unchanged[^]*has one purchase: 4\.99 EUR/)
      assert.include(ran.text, "Instance 1 is stopped")
    }
  )
})
