/**
 * Plays a row of the table. As a program it writes down what the plugin answers now: read the difference before it is
 * committed.
 *
 *   node --conditions=pulumi-vps-source test/provider/plugin/record.ts
 */
import { writeFileSync } from "node:fs"
import { type Row, TABLE } from "./table.ts"
import { READ_TABLE } from "./tableOfReads.ts"
import { Talk, type Told } from "./Talk.ts"

export const ROWS: Readonly<Record<string, Row>> = { ...TABLE, ...READ_TABLE }

export const record = async ({ environment, play }: Row): Promise<ReadonlyArray<Told>> => {
  const talk = await new Talk(environment).open()
  try {
    await play(talk)
    return talk.told
  } finally {
    talk.close()
  }
}

export const FILE = new URL("recorded.json", import.meta.url)

if (import.meta.main) {
  const recorded: Record<string, ReadonlyArray<Told>> = {}
  for (const [name, row] of Object.entries(ROWS)) recorded[name] = await record(row)
  writeFileSync(FILE, `${JSON.stringify(recorded, undefined, 2)}\n`)
}
