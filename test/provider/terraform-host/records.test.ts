/** The types of the data sources are those of the contract. */
import { readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { RECORDS_FILE, recordsText } from "../../../.config/terraformRecords.ts"

it("the records are what the contract says; `npm run generate` writes them", () => {
  const plain = (text: string) => text.replaceAll(/[\s"]/g, "")
  assert.strictEqual(
    plain(readFileSync(new URL(`../../../${RECORDS_FILE}`, import.meta.url), "utf8")),
    plain(recordsText())
  )
})
