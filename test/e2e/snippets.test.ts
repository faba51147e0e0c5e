/** The TypeScript programs in the README and the guides compile and run with the packed package. */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeConsumer, ROOT } from "../support/consumer.ts"
import { programs } from "../support/documents.ts"
import { homeWithKey } from "../support/sshKey.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"
import { control, credentials } from "../support/vps.ts"
import { assertLike } from "../support/like.ts"

/** `documents.ci`, `runtimes.ci` and `providerPolicies.long.test.ts` run the others. */
const all = programs().filter(({ code, name }) =>
  !/^docs-(sdk|runtimes)/.test(name) && !code.includes("@pulumi/policy")
)
/** Pulumi programs run in `examples`, tests of a framework only in that framework. */
const runnable = all.filter(({ code }) => !/"(pulumi-vps\/(provider|pulumi)|vitest|@effect\/vitest)"/.test(code))

let service: ServiceProcess
const folder = makeConsumer()
beforeAll(async () => {
  service = await startService("--emulator")
  await control(service, "PUT", "/deploy", { mode: "instant" })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  mkdirSync(join(folder, "node_modules/@effect"), { recursive: true })
  symlinkSync(join(ROOT, "node_modules/@effect/vitest"), join(folder, "node_modules/@effect/vitest"))
  for (const { code, name } of all) writeFileSync(join(folder, `${name}.ts`), code)
})
afterAll(async () => {
  await service.end()
  rmSync(folder, { recursive: true, force: true })
})

const node = (...args: ReadonlyArray<string>) => {
  const env = { PATH: process.env["PATH"] ?? "", HOME: homeWithKey(folder), NO_COLOR: "1", ...credentials(service) }
  return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" })
}

describe("the programs in the documents", () => {
  it("compile", () => {
    const flags =
      "--noEmit --strict --skipLibCheck --target es2024 --lib es2024,esnext,dom --types node --module nodenext"
    const files = all.map(({ name }) => `${name}.ts`)
    const { stdout } = node(join(ROOT, "node_modules/@typescript/native/bin/tsc"), ...flags.split(" "), ...files)
    assert.strictEqual(stdout, "")
  })
  it.each(runnable)("$name runs", ({ name }) => {
    assertLike(node(`${name}.ts`), { status: 0, stderr: "" })
  })
})
