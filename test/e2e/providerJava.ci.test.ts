/** The example in Java, compiled with Maven and run with the real CLI, which needs no language host for it. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { playAutomation } from "../engine/Automation.ts"
import { hasPulumi } from "../engine/PulumiCli.ts"
import { ROOT } from "../support/consumer.ts"

/** ms; each of the runs starts a Java process, which starts an engine. */
const TIMEOUT = 300_000

const folder = mkdtempSync(join(tmpdir(), "vps-java-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Compiles a copy of the example; false without Java 17, Maven, or its registry. */
const compile = (): boolean => {
  if (!hasPulumi) return false
  cpSync(join(ROOT, "examples/java"), folder, { recursive: true })
  const repository = `-Dmaven.repo.local=${join(ROOT, "node_modules/.cache/maven")}`
  const args = ["-q", "-B", repository, "package", "dependency:copy-dependencies"]
  return spawnSync("mvn", args, { cwd: folder, stdio: "ignore" }).status === 0
}

describe.skipIf(!compile())("the example in Java (skipped without pulumi, Java 17, Maven, or its registry)", () => {
  it("previews, buys, changes nothing, and destroys", async () => {
    mkdirSync(join(folder, "node_modules"))
    symlinkSync(join(ROOT, "provider"), join(folder, "node_modules/pulumi-vps"))
    const jars = ["target/vps-java-1.0.0.jar", "target/dependency/*"].map((path) => join(folder, path)).join(":")
    await playAutomation(["java", `-Duser.dir=${folder}`, "-cp", jars, "example.App"], async (run) => {
      assert.match(await run("preview"), /buying VPS S charges 4\.99 EUR now.*\+ 3 to create/s)
      assert.match(await run("up"), /address: "[\d.]+".*charge +: 4\.99.*\+ 3 created/s)
      assert.include(await run("up"), "3 unchanged")
      assert.include(await run("destroy"), "is powered off and is no longer in the state")
    })
  }, TIMEOUT)
})
