/** The forms that inputs have. Bounds are those of the API. */
import type { ValueType } from "./Definition.ts"
import { parseDuration } from "./Duration.ts"

export const integer = (min: number): ValueType => ({
  text: `integer, ${min} or more`,
  schema: { type: "integer" },
  problem: (value) =>
    Number.isSafeInteger(value) && Number(value) >= min ? undefined : `must be an integer of ${min} or more`
})

export const number = (min: number): ValueType => ({
  text: `number, ${min} or more`,
  schema: { type: "number" },
  problem: (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= min
      ? undefined
      : `must be a number of ${min} or more`
})

export const boolean: ValueType = {
  text: "boolean",
  schema: { type: "boolean" },
  problem: (value) => typeof value === "boolean" ? undefined : "must be true or false"
}

/** Length in Unicode code points, as the API counts it. */
export const text = (min: number, max: number): ValueType => ({
  text: `string, ${min} to ${max} characters`,
  schema: { type: "string" },
  problem: (value) => {
    if (typeof value !== "string") return "must be a string"
    const length = [...value].length
    return length >= min && length <= max ? undefined : `must have ${min} to ${max} characters`
  }
})

export const oneOf = (words: ReadonlyArray<string>): ValueType => ({
  text: words.map((one) => `"${one}"`).join(" or "),
  schema: { type: "string", enum: words },
  problem: (value) =>
    typeof value === "string" && words.includes(value) ? undefined : `must be one of ${words.join(", ")}`
})

/** Values whose change alone matters. */
export const triggers: ValueType = {
  text: "array of any values",
  schema: { type: "array", items: { $ref: "pulumi.json#/Any" } },
  problem: (value) => Array.isArray(value) ? undefined : "must be an array; a change of its values is the trigger"
}

/** Durations by name: "90s", "10m", "1h30m". */
export const timeouts = (phases: ReadonlyArray<string>): ValueType => ({
  text: `object of durations such as "90s" or "10m": ${phases.join(", ")}`,
  schema: { type: "object", additionalProperties: { type: "string" } },
  problem: (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      return `must be an object such as {${phases[0]}: "10m"}`
    }
    for (const [phase, duration] of Object.entries(value)) {
      if (!phases.includes(phase)) return `has no part ${phase}; there are ${phases.join(", ")}`
      if (typeof duration !== "string" || !parseDuration(duration)) {
        return `${phase} must be a duration such as "90s" or "10m"`
      }
    }
    return undefined
  }
})
