/** Texts and details as the audit log stores them: bounded, without secrets, and the same after they are read. */
import { redactKeys } from "../auth/ApiKeyToken.ts"

/** Longest text, in characters: longer than any reason or address that a command accepts. */
const TEXT_MAX = 500

/** Longest details, in characters of JSON: one entry must not fill a page of the log. */
const DETAILS_MAX = 4_000

/** Entries of a list. */
const LIST_MAX = 50

const LEFT_OUT = "(left out)"

/** Names of fields whose values do not belong in a log. */
const SECRET = /password|secret|token|api_?key|private_?key|credential|cookie|digest|link$/i

/** PostgreSQL stores neither a NUL nor half of a character, and a text that it changes would break the chain. */
export const safeText = (text: string): string => {
  const stored = redactKeys(text).replaceAll("\0", "\uFFFD").toWellFormed()
  return stored.length <= TEXT_MAX ? stored : `${stored.slice(0, TEXT_MAX - 1).toWellFormed()}…`
}

const safeValue = (value: unknown): unknown => {
  if (typeof value === "string") return safeText(value)
  if (Array.isArray(value)) return value.slice(0, LIST_MAX).map(safeValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [safeText(name), SECRET.test(name) ? LEFT_OUT : safeValue(inner)])
  )
}

/** JSON text of an object. Only the names of its fields, if it is too long. */
export const safeDetails = (details: Readonly<Record<string, unknown>>): string => {
  const complete = JSON.stringify(safeValue(details))
  if (complete.length <= DETAILS_MAX) return complete
  return JSON.stringify({ too_long: true, fields: Object.keys(details).slice(0, LIST_MAX).map(safeText) })
}
