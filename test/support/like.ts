/** Assertions on values of which some parts are only known by a pattern. */
import { assert } from "vitest"

/** A regular expression stands for texts that match it, a function for values for which it returns true. */
const compare = (actual: unknown, pattern: unknown, isExact: boolean, path: string): void => {
  if (pattern instanceof RegExp) {
    assert.typeOf(actual, "string", path)
    return assert.match(actual as string, pattern, path)
  }
  if (typeof pattern === "function") {
    return assert.isTrue((pattern as (value: unknown) => boolean)(actual), `${path}: ${JSON.stringify(actual)}`)
  }
  if (typeof pattern !== "object" || pattern === null) return assert.deepStrictEqual(actual, pattern, path)
  assert.isOk(typeof actual === "object" && actual !== null, `${path}: ${JSON.stringify(actual)}`)
  const [found, expected] = [actual as Record<string, unknown>, pattern as Record<string, unknown>]
  const isWhole = isExact || Array.isArray(pattern)
  if (isWhole) assert.sameMembers(Object.keys(found), Object.keys(expected), path)
  for (const [key, one] of Object.entries(expected)) compare(found[key], one, isExact, `${path}.${key}`)
}

/** The value has what the pattern has; objects may have other fields, arrays no other items. */
export const assertLike = (actual: unknown, pattern: unknown, message = "value"): void =>
  compare(actual, pattern, false, message)

/** The value has what the pattern has, and nothing else. */
export const assertExactlyLike = (actual: unknown, pattern: unknown): void => compare(actual, pattern, true, "value")

/** Stands for texts that contain this one. */
export const containing = (part: string) => (text: unknown): boolean => typeof text === "string" && text.includes(part)

export const isText = (value: unknown): boolean => typeof value === "string"
export const isNumber = (value: unknown): boolean => typeof value === "number"

const isLike = (actual: unknown, pattern: unknown): boolean => {
  try {
    assertLike(actual, pattern)
    return true
  } catch {
    return false
  }
}

/** Stands for lists that have an item like this one. */
export const listWith = (pattern: unknown) => (list: unknown): boolean =>
  Array.isArray(list) && list.some((item) => isLike(item, pattern))
