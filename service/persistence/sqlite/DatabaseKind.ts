/**
 * A database file belongs to a service or to an emulator, and its header permanently stores which: an emulator would
 * reset what customers paid for, and a service would sell what only exists in a simulation.
 */
import type { DatabaseSync } from "node:sqlite"

export type DatabaseKind = "service" | "emulator"

/** The header's application id: "vpss" and "vpse" in ASCII. */
const IDS: Readonly<Record<DatabaseKind, number>> = { service: 0x76_70_73_73, emulator: 0x76_70_73_65 }

/** The emulator's fixed key, by its name and its last four characters. */
const SEEDED_KEY = "SELECT 1 FROM api_keys WHERE name = 'emulator' AND last4 = '7H7b'"

const ANY_DATA = "SELECT 1 FROM accounts UNION ALL SELECT 1 FROM plans LIMIT 1"

const idIn = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA application_id").get()!["application_id"])

const finds = (connection: DatabaseSync, sql: string): boolean => connection.prepare(sql).get() !== undefined

/** The kind of a file of versions that did not store it: an emulator's has its key. Undefined for one without data. */
const kindOfContent = (connection: DatabaseSync): DatabaseKind | undefined => {
  if (!finds(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'api_keys'")) return undefined
  if (finds(connection, SEEDED_KEY)) return "emulator"
  return finds(connection, ANY_DATA) ? "service" : undefined
}

/** Undefined for a new file, and for one without data of a version that did not store the kind. */
export const kindOf = (connection: DatabaseSync): DatabaseKind | undefined => {
  const id = idIn(connection)
  if (id === 0) return kindOfContent(connection)
  if (id === IDS.service) return "service"
  if (id === IDS.emulator) return "emulator"
  throw new Error(`it belongs to another program (application id ${id}). Choose another path with --database.`)
}

const OBJECTIONS: Readonly<Record<DatabaseKind, string>> = {
  service: "it belongs to a service, and an emulator would reset it. Choose another path with --database, or omit "
    + "--emulator (VPS_SERVICE_EMULATOR).",
  emulator:
    "it belongs to an emulator, whose instances and money are not real. Choose another path with --database, or "
    + "add --emulator."
}

/** Throws if the file is of the other kind, or another program's. */
export const checkKind = (connection: DatabaseSync, expected: DatabaseKind): void => {
  const kind = kindOf(connection)
  if (kind !== undefined && kind !== expected) throw new Error(OBJECTIONS[kind])
}

/** Stores the kind of a checked file. */
export const storeKind = (connection: DatabaseSync, kind: DatabaseKind): void => {
  if (idIn(connection) !== IDS[kind]) connection.exec(`PRAGMA application_id = ${IDS[kind]}`)
}
