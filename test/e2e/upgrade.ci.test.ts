/** An upgrade from the first schema; `npm run upgrade` does the same with 1,000,000 rows. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { rehearse } from "../programs/upgrade/rehearsal.ts"

const ROWS = 30_000

it("a file of the first schema is upgraded with all its rows, also when the service is killed meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vps-upgrade-"))
  try {
    const { killedAt, rows } = await rehearse(join(folder, "vps.db"), ROWS)
    assert.isAtLeast(rows, ROWS)
    assert.isNotEmpty(killedAt)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
