/**
 * The pages for users, taken literally: a reader on a computer of their own types each command and saves each file as
 * it is written, with the package of this tree from npm, and the real engines. `test/support/pages.ts` has an entry for
 * each block of code on each page; a block that no entry runs has the reason why.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Vps } from "#sdk/index"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { DOCUMENTS, readDocument } from "../support/documents.ts"
import { type Block, blocksOf, pulumiAt } from "../support/guide.ts"
import type { Context, Step } from "../support/pageSteps.ts"
import { ELSEWHERE, PAGES } from "../support/pages.ts"
import { freePort } from "../support/port.ts"
import { Reader } from "../support/reader.ts"
import { type Registry, startRegistry } from "../support/registry.ts"
import { startService } from "../support/serviceProcess.ts"
import { homeWithKey, SSH_KEY } from "../support/sshKey.ts"
import { control, credentials } from "../support/vps.ts"

/** ms; an installation downloads Pulumi's SDK, each pulumi command takes some 5 s, and a Go program is compiled. */
const TIMEOUT = 600_000

const work = mkdtempSync(join(tmpdir(), "pulumi-vps-documents-"))
let registry: Registry
beforeAll(async () => {
  registry = await startRegistry()
})
afterAll(() => {
  registry.close()
  rmSync(work, { recursive: true, force: true })
})

/** The SSH keys of the machines in the database of a service that has ended. */
const keysIn = (path: string): ReadonlyArray<string | null> => {
  const database = new DatabaseSync(path, { readOnly: true })
  const keys = database.prepare("SELECT ssh_key FROM simulated_machines ORDER BY id").all()
  database.close()
  return keys.map(({ ssh_key: key }) => key as string | null)
}

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

const newReader = (more: Readonly<Record<string, string>>): Reader => {
  const reader = new Reader(work, (home) => ({
    ...pulumiAt(home),
    npm_config_registry: registry.url,
    npm_config_prefix: home,
    npm_config_cache: join(work, "npm"),
    npm_config_update_notifier: "false",
    ...more
  }))
  homeWithKey(reader.home)
  return reader
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
      const reader = newReader({ ...serves && { VPS_SERVICE_PORT: port }, ...loggedIn && credentials(service) })
      await reader.enterEmptyFolder()
      const own = new Map(Object.entries(values?.(service) ?? {}))
      if (code.includes(PORT)) own.set(PORT, port)
      context = { reader, service, values: own }
    }, TIMEOUT)
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
        }, TIMEOUT)
      }
    }

    if (withKey === 0) return
    it("buys instances that their buyers can log in to", async () => {
      await context.service.end()
      const keys = keysIn(database).filter((key) => key?.startsWith(SSH_KEY))
      assert.isAtLeast(keys.length, withKey)
    })
  })
}

/** Examples whose first lines have the commands, behind the language's mark of a comment. */
const LANGUAGES = [
  ["yaml", "Pulumi.yaml", /^# {3}(.*)$/gm],
  ["python", "__main__.py", /^ {4}(.*)$/gm],
  ["go", "main.go", /^\/\/\t(.*)$/gm]
] as const

describe("the first lines of the examples in other languages", () => {
  for (const [name, file, marked] of LANGUAGES) {
    // Pulumi's SDK for Node.js is not installed here: the plugin must work without it.
    it.skipIf(!hasLanguageHost(name))(`examples/${name} (skipped without pulumi-language-${name})`, async () => {
      const [head = ""] = readDocument(`examples/${name}/${file}`).split(/^(?:name: |import |package )/m)
      const lines = [...head.matchAll(marked)].map(([, line = ""]) => line.replace(/^VPS_BASE_URL=\S+ \S+ /, ""))
      assert.include(lines, "pulumi up")
      const database = join(mkdtempSync(join(work, "service-")), "vps.db")
      const service = await startService("--emulator", "--database", database)
      const reader = newReader(credentials(service))
      try {
        await reader.enterEmptyFolder()
        await reader.type(`npm install pulumi-vps && cp -r node_modules/pulumi-vps/examples/${name} . && cd ${name}`)
        const printed = await reader.type([...lines, "pulumi up"].join("\n"))
        assert.match(printed, /charges 4\.99 EUR now[^]*[34] created[^]*^ssh root@[\d.]+$[^]*[34] unchanged/m)
      } finally {
        await reader.close()
        await service.end()
      }
      assert.lengthOf(keysIn(database).filter((key) => key?.startsWith(SSH_KEY)), 1)
    }, TIMEOUT)
  }
})
