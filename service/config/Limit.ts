/** A limit: a bound, a timeout, a retry count or a retention. */
import { InvalidSetting, whole } from "./Setting.ts"

export interface Limit {
  readonly fallback: number
  /** 1 by default. */
  readonly min?: number
  readonly max?: number
  /** The name of a limit that must be greater. */
  readonly below?: string
  readonly unit: string
  readonly reason: string
}

/** A row of a table in `limits`. */
export const limit = (
  fallback: number,
  unit: string,
  reason: string,
  bounds: Pick<Limit, "min" | "max" | "below"> = {}
): Limit => ({ fallback, unit, reason, ...bounds })

/** A limit of a time. */
export const millis = (fallback: number, reason: string, bounds?: Parameters<typeof limit>[3]): Limit =>
  limit(fallback, "milliseconds", reason, bounds)

export type Environment = Readonly<Record<string, string | undefined>>

/** The text of a setting or limit, and where it is written: a variable, or a line of the config file. */
export interface Written {
  readonly text: string
  readonly source: string
}

/** The texts that one kind of source sets, by environment variable. */
export type Texts = Readonly<Record<string, Written | undefined>>

/** Finds the text of a variable; undefined if nothing sets it. */
export type Lookup = (variable: string) => Written | undefined

/** The environment variable that sets a limit. */
export const limitVariable = (name: string): string => `VPS_SERVICE_${name}`

/** A limit as a setting. */
export const limitSetting = (name: string, { min = 1, ...limit }: Limit, max = limit.max ?? Number.MAX_SAFE_INTEGER) =>
  whole(min, max, { ...limit, flag: null, environment: limitVariable(name) })

/**
 * The value of each limit: where it is written, else its default.
 * @throws InvalidSetting naming every source whose value is invalid
 */
export const resolveLimits = <Name extends string>(
  table: Readonly<Record<Name, Limit>>,
  lookup: Lookup
): Readonly<Record<Name, number>> => {
  const limits: ReadonlyArray<readonly [name: string, limit: Limit]> = Object.entries(table)
  const writtenOf = (name: string) => lookup(limitVariable(name))
  const values: Record<string, number> = Object.fromEntries(
    limits.map((
      [name, limit]
    ) => [name, limitSetting(name, limit).parse(writtenOf(name)?.text ?? "") ?? limit.fallback])
  )
  const errors = limits.flatMap(([name, limit]) => {
    const written = writtenOf(name)
    const setting = limitSetting(name, limit, limit.below === undefined ? limit.max : values[limit.below]! - 1)
    if (written === undefined || setting.parse(written.text) !== undefined) return []
    return [`${written.source} should be ${setting.expected} (${limit.unit}); got "${written.text}".`]
  })
  if (errors.length > 0) throw new InvalidSetting({ message: errors.join("\n") })
  return Object.freeze(values) as Readonly<Record<Name, number>>
}
