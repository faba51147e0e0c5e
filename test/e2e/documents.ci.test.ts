/**
 * The pages for users, taken literally: a reader on a computer of their own types each command and saves each file as
 * it is written, with the package of this tree from npm, and the real engines. `test/support/pages.ts` has an entry for
 * each block of code on each page; a block that no entry runs has the reason why.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Vps } from "#sdk/index"
import { documentReader, READER_TIMEOUT, sshKeysIn } from "../support/documentReader.ts"
import { DOCUMENTS } from "../support/documents.ts"
import { type Block, blocksOf } from "../support/guide.ts"
import type { Context, Step } from "../support/pageSteps.ts"
import { ELSEWHERE, PAGES } from "../support/pages.ts"
import { freePort } from "../support/port.ts"
import { type Registry, startRegistry } from "../support/registry.ts"
import { startService } from "../support/serviceProcess.ts"
import { SSH_KEY } from "../support/sshKey.ts"
import { control, credentials } from "../support/vps.ts"

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-documents-"))
let registry: Registry
beforeAll(async () => {
  registry = await startRegistry()
})
afterAll(() => {
  registry.close()
  rmSync(work, { recursive: true, force: true })
})

it("each document with code has a table here, or says what runs its code", () => {
  const others = DOCUMENTS.filter((path) => PAGES[path] === undefined && blocksOf(path).length > 0)
  const known = Object.keys(ELSEWHERE)
  assert.deepStrictEqual(others.filter((path) => !known.some((start) => path.startsWith(start))), [])
  assert.deepStrictEqual(known.filter((start) => !others.some((path) => path.startsWith(start))), [])
})

/** The port that the pages name. Other tests of this computer may listen on it, so the readers have others. */
const PORT = "8787"

const assertSteps = async (
  steps: ReadonlyArray<{ readonly block: Block; readonly step: Step }>,
  context: Context
): Promise<void> => {
  for (const { block, step } of steps) {
    if (/in an empty folder/i.test(block.prose)) await context.reader.enterEmptyFolder()
    await step(block, context)
  }
}

for (
  const [
    document,
    { serves = false, before = { instances: 0, snapshots: 0 }, loggedIn = false, sections, values, withKey = 0 }
  ] of Object.entries(PAGES)
) {
  describe(`${document}`, () => {
    const blocks = blocksOf(document)
    const code = blocks.map((block) => block.code).join("")
    const database = join(mkdtempSync(join(work, "service-")), "vps.db")
    let context: Context
    beforeAll(async () => {
      const service = await startService("--emulator", "--database", database)
      await control(service, "PUT", "/deploy", { mode: "instant" })
      const vps = new Vps({ apiKey: service.apiKey, baseUrl: service.url })
      for (let id = 1; id <= before.instances; id++) await vps.instances.createAndWait({ service_id: 1 })
      for (let id = 1; id <= before.snapshots; id++) {
        await vps.snapshots.create(id, { name: "old" })
        await vps.instances.waitUntilIdle(id)
      }
      const port = String(await freePort())
      const reader = documentReader(work, registry, {
        ...serves && { VPS_SERVICE_PORT: port },
        ...loggedIn && credentials(service)
      })
      await reader.enterEmptyFolder()
      const own = new Map(Object.entries(values?.(service) ?? {}))
      if (code.includes(PORT)) own.set(PORT, port)
      context = { reader, service, values: own }
    }, READER_TIMEOUT)
    afterAll(async () => {
      await context.reader.close()
      await context.service.end()
    })

    it("has an entry for each block of code, and no others", () => {
      const entries = Object.entries(sections).flatMap(([heading, section]) => section.map(() => heading))
      assert.deepStrictEqual(entries.toSorted(), blocks.map(({ heading }) => heading).toSorted())
    })
    it("has each text that the table replaces by the reader's own", () => {
      for (const text of context.values.keys()) assert.include(code, text)
    })

    for (const [heading, entries] of Object.entries(sections)) {
      const there = blocks.filter((block) => block.heading === heading)
      const steps = entries.flatMap(({ needs, step }, index) =>
        step === undefined ? [] : [{ block: there[index]!, needs, step }]
      )
      // One test for the blocks that need the same, so that others run where it is missing.
      for (const needs of new Set(steps.map((each) => each.needs))) {
        const without = needs === undefined ? "" : ` (skipped without ${needs.program})`
        it.skipIf(needs?.there === false)(`${heading}${without}`, async () => {
          await assertSteps(steps.filter((each) => each.needs === needs), context)
        }, READER_TIMEOUT)
      }
    }

    if (withKey === 0) return
    it("buys instances that their buyers can log in to", async () => {
      await context.service.end()
      const keys = sshKeysIn(database).filter((key) => key?.startsWith(SSH_KEY))
      assert.isAtLeast(keys.length, withKey)
    })
  })
}
