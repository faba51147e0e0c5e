/** The built Terraform provider on the test engine. `terraform.ci.test.ts` plays kills, and real engines. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { ROOT } from "../support/consumer.ts"
import { TERRAFORM } from "../engine/scenarios.ts"
import { testTerraformScenarios } from "../engine/terraform/terraformTests.ts"

testTerraformScenarios(TERRAFORM.core)

it("says on its standard output, which the engine shows, that there is no Node.js on PATH", () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-no-node-"))
  symlinkSync("/usr/bin/dirname", join(folder, "dirname"))
  const { status, stdout } = spawnSync("/bin/sh", [join(ROOT, "provider/terraform/terraform-provider-vps")], {
    env: { PATH: folder },
    encoding: "utf8"
  })
  rmSync(folder, { recursive: true })
  assert.strictEqual(status, 1)
  assert.match(stdout, /^terraform-provider-vps needs Node\.js [\d.]+ or newer, and PATH has no node\./)
})
