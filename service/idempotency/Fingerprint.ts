/** How a repeat of a create is compared with the original: one keyed mark per field, so that secrets stay secret. */
import type { Secret } from "../Secret.ts"

type Body = Readonly<Record<string, string | number | null | undefined>>

/** JSON text; null equals absent. */
export const fingerprint = (body: Body, secret: Secret["Service"]): string => {
  const fields: Record<string, string> = {}
  for (const field of Object.keys(body).toSorted()) {
    const value = body[field]
    if (value === null || value === undefined) continue
    fields[field] = secret.mark(`${field}=${value}`)
  }
  return JSON.stringify(fields)
}

/** The fields in which a repeat differs from the original, in alphabetical order. */
export const mismatch = (original: string, repeated: string): ReadonlyArray<string> => {
  const [before, after] = [original, repeated].map((text) => JSON.parse(text) as Record<string, string>)
  const fields = new Set([...Object.keys(before!), ...Object.keys(after!)])
  return [...fields].filter((field) => before![field] !== after![field]).toSorted()
}
