/** Compares a repeat of a create with the original: one keyed digest per field, so that secrets stay secret. */
import type { Marker } from "../config/Secret.ts"

type Body = Readonly<Record<string, string | number | null | undefined>>

/** The key of the secret's id; no field has this name. */
const MARKED_UNDER = ""

const markedBy = (body: Body, { mark }: Marker): Record<string, string> => {
  const fields: Record<string, string> = {}
  for (const field of Object.keys(body).toSorted()) {
    const value = body[field]
    if (value === null || value === undefined) continue
    fields[field] = mark(`${field}=${value}`)
  }
  return fields
}

/** JSON text; null equals absent. */
export const fingerprint = (body: Body, marker: Marker): string =>
  JSON.stringify({ [MARKED_UNDER]: marker.id, ...markedBy(body, marker) })

const differing = (before: Record<string, string>, after: Record<string, string>): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => before[field] !== after[field])
    .toSorted()

/**
 * The fields in which a repeat differs from the original, in alphabetical order. One from before ids were stored is
 * compared under every known secret: under the wrong one all fields differ. When the secret of the original is known
 * no more, nothing can be compared, and nothing is said to differ.
 */
export const mismatch = (
  original: string,
  repeated: Body,
  markers: ReadonlyArray<Marker>
): ReadonlyArray<string> => {
  const { [MARKED_UNDER]: under, ...before } = JSON.parse(original) as Record<string, string>
  const known = under === undefined ? markers : markers.filter(({ id }) => id === under)
  const found = known.map((marker) => differing(before, markedBy(repeated, marker)))
  return found.toSorted((one, other) => one.length - other.length)[0] ?? []
}
