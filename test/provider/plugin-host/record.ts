/**
 * Plays a row of the table. As a program it writes down what the plugin answers now: read the difference before it is
 * committed.
 *
 *   node --conditions=pulumi-vps-source test/provider/plugin-host/record.ts
 */
import { writeFileSync } from "node:fs"
import { Environment } from "../Environment.ts"
import { type Row, TABLE } from "./table.ts"
import { READ_TABLE } from "./tableOfReads.ts"
import { type CallRecord, Talk } from "./Talk.ts"

export const ROWS: Readonly<Record<string, Row>> = { ...TABLE, ...READ_TABLE }

/** Without the values that the service generates: request ids, passwords, and its port. */
const steady = (told: ReadonlyArray<CallRecord>): ReadonlyArray<CallRecord> =>
  JSON.parse(
    JSON.stringify(told).replaceAll(/req-[0-9a-f]{16}-\d+/g, "req-1").replaceAll(/"[A-Za-z0-9]{20}"/g, "\"fresh\"")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:80")
  )

export const record = async ({ environment, play }: Row): Promise<ReadonlyArray<CallRecord>> => {
  const talk = await new Talk(environment).open()
  try {
    await play(talk)
    return steady(talk.records)
  } finally {
    talk.close()
  }
}

export const FILE = new URL("recorded.json", import.meta.url)

if (import.meta.main) {
  const recorded: Record<string, ReadonlyArray<CallRecord>> = {}
  for (const [name, row] of Object.entries(ROWS)) recorded[name] = await record(row)
  writeFileSync(FILE, `${JSON.stringify(recorded, undefined, 2)}\n`)
  await Environment.stop()
}
