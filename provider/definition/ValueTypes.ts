/** The types of inputs. Their bounds are those of the API. */
import { isIP, isIPv6 } from "node:net"
import type { ValueType } from "./Definition.ts"

// Durations in programs and configuration: "90s", "10m", "1h30m", "500ms".

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/gy
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** In milliseconds; undefined when the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  return [...text.matchAll(PART)].reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ""] ?? 0), 0)
}

/** 90000 becomes "90s", 600000 becomes "10m", 999.5 becomes "1s". */
export const formatDuration = (exact: number): string => {
  const ms = Math.round(exact)
  if (ms % 60_000 === 0 && ms > 0) return `${ms / 60_000}m`
  return ms >= 1_000 ? `${Math.round(ms / 1_000)}s` : `${ms}ms`
}

export const integer = (min: number): ValueType<number> => ({
  text: `integer, ${min} or more`,
  schema: { type: "integer" },
  problem: (value) =>
    Number.isSafeInteger(value) && Number(value) >= min ? undefined : `must be an integer of ${min} or more`
})

export const number = (min: number): ValueType<number> => ({
  text: `number, ${min} or more`,
  schema: { type: "number" },
  problem: (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= min
      ? undefined
      : `must be a number of ${min} or more`
})

export const boolean: ValueType<boolean> = {
  text: "boolean",
  schema: { type: "boolean" },
  problem: (value) => typeof value === "boolean" ? undefined : "must be true or false"
}

/** The length is counted in Unicode code points, as the API does. */
export const text = (min: number, max: number): ValueType<string> => ({
  text: `string, ${min} to ${max} characters`,
  schema: { type: "string" },
  problem: (value) => {
    if (typeof value !== "string") return "must be a string"
    const length = [...value].length
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters`
  }
})

export const oneOf = <const Word extends string>(words: ReadonlyArray<Word>): ValueType<Word> => ({
  text: words.map((one) => `"${one}"`).join(" or "),
  schema: { type: "string", enum: words },
  problem: (value) => words.some((word) => word === value) ? undefined : `must be one of ${words.join(", ")}`
})

const DIGITS = /^[1-9]\d*$/
const ID_PROBLEM = "must be the id of an instance, such as instance.id"

/** Accepted as a number, too; the engine stores ids as strings. */
export const instanceId: ValueType<string> = {
  text: "id of an instance",
  schema: { type: "string" },
  typescript: { input: "string | number", output: "string" },
  problem: (value) =>
    (typeof value === "string" || typeof value === "number") && DIGITS.test(String(value)) ? undefined : ID_PROBLEM,
  canonical: String
}

/** "2001:DB8:0::1" becomes "2001:db8::1"; a text that is not an IPv6 address is unchanged. */
export const canonicalAddress = (ip: string): string =>
  isIPv6(ip) && URL.canParse(`http://[${ip}]`) ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip

/** An IPv6 address may be spelled in any way. */
export const address: ValueType<string> = {
  text: "IPv4 or IPv6 address",
  schema: { type: "string" },
  problem: (value) => typeof value === "string" && isIP(value) !== 0 ? undefined : "must be an IPv4 or IPv6 address",
  canonical: (value) => canonicalAddress(String(value))
}

/** Values that are only compared with the previous ones. */
export const triggers: ValueType<ReadonlyArray<unknown>> = {
  text: "array of any values",
  schema: { type: "array", items: { $ref: "pulumi.json#/Any" } },
  typescript: { input: "ReadonlyArray<pulumi.Input<unknown>>", output: "ReadonlyArray<unknown>" },
  problem: (value) => Array.isArray(value) ? undefined : "must be an array; a change of its values is the trigger"
}

const union = (words: ReadonlyArray<string>): string => words.map((word) => `"${word}"`).join(" | ")

/** Durations by phase: "90s", "10m", "1h30m". */
export const timeouts = <const Phase extends string>(
  phases: ReadonlyArray<Phase>
): ValueType<{ readonly [P in Phase]?: string }> => ({
  text: `object of durations such as "90s" or "10m": ${phases.join(", ")}`,
  schema: { type: "object", additionalProperties: { type: "string" } },
  typescript: {
    input: `{ readonly [P in ${union(phases)}]?: pulumi.Input<string> }`,
    output: `{ readonly [P in ${union(phases)}]?: string }`
  },
  problem: (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      return `must be an object such as {${phases[0]}: "10m"}`
    }
    for (const [phase, duration] of Object.entries(value)) {
      if (!phases.some((known) => known === phase)) return `has no phase ${phase}; use ${phases.join(", ")}`
      if (typeof duration !== "string" || !parseDuration(duration)) {
        return `${phase} must be a duration such as "90s" or "10m"`
      }
    }
    return undefined
  }
})
