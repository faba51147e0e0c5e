/** The first lines of the examples in other languages, typed as they are written. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { hasLanguageHost } from "../engine/PulumiCli.ts"
import { documentReader, READER_TIMEOUT, sshKeysIn } from "./documentReader.ts"
import { readDocument } from "./documents.ts"
import { type Registry, startRegistry } from "./registry.ts"
import { startService } from "./serviceProcess.ts"
import { SSH_KEY } from "./sshKey.ts"
import { credentials } from "./vps.ts"

/** The file with the commands, behind the language's mark of a comment. */
const LANGUAGES = {
  yaml: ["Pulumi.yaml", /^# {3}(.*)$/gm],
  python: ["__main__.py", /^ {4}(.*)$/gm],
  go: ["main.go", /^\/\/\t(.*)$/gm]
} as const

export const testExampleLines = (...languages: ReadonlyArray<keyof typeof LANGUAGES>): void => {
  describe("the first lines of an example", () => {
    const work = mkdtempSync(join(tmpdir(), "pulumi-vps-lines-"))
    let registry: Registry
    beforeAll(async () => {
      registry = await startRegistry()
    })
    afterAll(() => {
      registry.close()
      rmSync(work, { recursive: true, force: true })
    })

    // Pulumi's SDK for Node.js is not installed here: the plugin must work without it.
    for (const name of languages) {
      const [file, marked] = LANGUAGES[name]
      it.skipIf(!hasLanguageHost(name))(`examples/${name} (skipped without pulumi-language-${name})`, async () => {
        const [head = ""] = readDocument(`examples/${name}/${file}`).split(/^(?:name: |import |package )/m)
        const lines = [...head.matchAll(marked)].map(([, line = ""]) => line.replace(/^VPS_BASE_URL=\S+ \S+ /, ""))
        assert.include(lines, "pulumi up")
        const database = join(mkdtempSync(join(work, "service-")), "vps.db")
        const service = await startService("--emulator", "--database", database)
        const reader = documentReader(work, registry, credentials(service))
        try {
          await reader.enterEmptyFolder()
          await reader.type(`npm install pulumi-vps && cp -r node_modules/pulumi-vps/examples/${name} . && cd ${name}`)
          const printed = await reader.type([...lines, "pulumi up"].join("\n"))
          assert.match(printed, /charges 4\.99 EUR now[^]*[34] created[^]*^ssh root@[\d.]+$[^]*[34] unchanged/m)
        } finally {
          await reader.close()
          await service.end()
        }
        assert.lengthOf(sshKeysIn(database).filter((key) => key?.startsWith(SSH_KEY)), 1)
      }, READER_TIMEOUT)
    }
  })
}
