/**
 * Plays the table on the real `pulumi` and writes down what it did: after a new version of it, or a new row.
 *
 *   node --conditions=pulumi-vps-source test/engine/probe/rerecord.ts [part of a row's name]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { pulumiCli } from "../PulumiCli.ts"
import { record, type Recorded } from "./record.ts"
import { PROBES } from "./table.ts"

const FILE = new URL("recorded.json", import.meta.url)
const wanted = process.argv[2] ?? ""

const known = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, ReadonlyArray<Recorded>>
for (const [name, steps] of Object.entries(PROBES)) {
  if (name.includes(wanted)) known[name] = await record(pulumiCli, steps)
}
// In the table's order; what the table has no longer goes.
const rows = Object.keys(PROBES).map((name) => [name, known[name]])
writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`)
