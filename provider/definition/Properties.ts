/** Resource properties as the engine sends them: plain JSON, untyped until `check` has validated them. */
export type Properties = Readonly<Record<string, unknown>>

/** The engine's placeholder for a value that is unknown before the update has run. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

/** True when this value, or anything inside it, is unknown. */
export const isUnknown = (value: unknown): boolean => {
  if (value === UNKNOWN) return true
  if (value === null || typeof value !== "object") return false
  return Object.values(value).some(isUnknown)
}

/** Properties that begin with `__` belong to the provider and its host; the engine shows them in no diff. */
export const isHidden = (name: string): boolean => name.startsWith("__")

/** The engine's timeout of one call in milliseconds (`customTimeouts`); overrides `timeouts`, and is never stored. */
export const TIMEOUT = "__timeout"

/** The properties without those that are undefined or null: absent and null mean the same everywhere here. */
export const present = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null))

/** Equality of JSON values; the order of an object's fields does not count. */
export const same = (left: unknown, right: unknown): boolean => canonical(left) === canonical(right)

const canonical = (value: unknown): string =>
  JSON.stringify(
    value ?? null,
    (_, inner: unknown) =>
      inner !== null && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => a < b ? -1 : 1))
        : inner
  )

/** Parts of a URN before the name: urn:<host and stack>::<project>::<type>. Only a name may contain two colons. */
const BEFORE_NAME = 3

/** The name that the program gave the resource, from the URN that its host made. */
export const nameOf = (urn: unknown): string =>
  typeof urn === "string" ? urn.split("::").slice(BEFORE_NAME).join("::") : "(unnamed)"
