/**
 * The config file. It contains settings under the names of their flags, and limits under `limits`. Every value is
 * checked here, because only the file knows the line and the type.
 */
import { readFileSync } from "node:fs"
import { dirname, resolve as absolute } from "node:path"
import { SETTINGS } from "./Config.ts"
import { locate } from "./DatabaseLocation.ts"
import { limitSetting, limitVariable, type Texts, type Written } from "./Limit.ts"
import { LIMITS, SETTABLE } from "./Limits.ts"
import { URL_OF_FILE } from "./Resolve.ts"
import { InvalidSetting, type Setting } from "./Setting.ts"
import type { Entry } from "./YamlEntries.ts"

/** The key of the limits, and of the schema's path or URL, which editors read. */
const LIMITS_KEY = "limits"
const SCHEMA_KEY = "$schema"

/** The name of a setting in the file and in lists: its flag's, or as it would be. */
export const keyOf = (name: string, { flag }: Setting<unknown>): string =>
  flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The settings that a file may contain, by their key: all but its own path. */
export const FILE_SETTINGS: ReadonlyMap<string, Setting<unknown>> = new Map(
  Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown>>>)
    .filter(([name]) => name !== "config")
    .map(([name, setting]) => [keyOf(name, setting), setting])
)

/** A value in the file is wrong. The message follows the place. */
class Wrong extends Error {}

const shown = (value: unknown): string => value === null ? "nothing" : JSON.stringify(value)

/** The text that sets the same by a variable; undefined if the value has another type. */
const textOf = (value: unknown, { schema: { type } }: Setting<unknown>): string | undefined => {
  if (type === "array") {
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(",") : undefined
  }
  const isOfType = type === "integer" ? Number.isSafeInteger(value) : typeof value === type
  return isOfType ? String(value) : undefined
}

/** The correction of a value that has another type. */
const remedy = (value: unknown, setting: Setting<unknown>): string => {
  const { type } = setting.schema
  if (type === "array") return " Write a list, like [\"first\", \"second\"]."
  if (type === "string") return typeof value === "number" || typeof value === "boolean" ? " Put it in quotes." : ""
  return typeof value === "string" && setting.parse(value) !== undefined ? " Remove the quotes." : ""
}

/** The text of a file that a setting names. Several lines are a list. */
const readReference = (path: string): string => {
  try {
    const lines = readFileSync(path, "utf8").split("\n").map((line) => line.trim())
    return lines.filter((line) => line !== "").join(",")
  } catch (cause) {
    throw new Wrong(`names ${path}, which cannot be read: ${(cause as Error).message}. Correct the path or its mode.`)
  }
}

const referenceOf = ({ entries }: Entry): string | undefined => {
  const [only, ...others] = entries ?? []
  return only?.key === "file" && typeof only.value === "string" && others.length === 0 ? only.value : undefined
}

/** A setting that may contain a password must name a file, because the config file is often shared or published. */
const mustRefer = (setting: Setting<unknown>, text: string): boolean =>
  setting.flag === null || (setting === SETTINGS.database && locate(text).label.includes("***"))

/** A path in the file is relative to the file's folder, so that commands in any folder find the same. */
const located = (setting: Setting<unknown>, text: string, folder: string): string => {
  const isFile = setting === SETTINGS.brandLogo || setting === SETTINGS.payment
    || (setting === SETTINGS.database && locate(text).file !== undefined && !URL_OF_FILE.test(text))
  return isFile ? absolute(folder, text) : text
}

const settingText = (entry: Entry, setting: Setting<unknown>, folder: string): string | undefined => {
  const { key, value } = entry
  const reference = setting.schema.type === "string" ? referenceOf(entry) : undefined
  const text = reference === undefined ? textOf(value, setting) : readReference(absolute(folder, reference))
  // An empty list is the default of every list.
  if (Array.isArray(value) && value.length === 0 && text === "") return undefined
  const isSecret = reference !== undefined || setting.flag === null
  if (text === undefined || setting.parse(text) === undefined) {
    const got = isSecret ? "" : `; got ${shown(value)}`
    const where = reference === undefined ? "" : `, which ${reference} does not contain`
    throw new Wrong(`should be ${setting.expected} (${setting.unit})${where}${got}.${remedy(value, setting)}`)
  }
  if (reference === undefined && mustRefer(setting, text)) {
    throw new Wrong(
      `may contain a password, which should not be in this file. Write it to a file that only the service can read, `
        + `and name that file here: ${key}: { file: ${key} }`
    )
  }
  return located(setting, text, folder)
}

const limitText = ({ key, value }: Entry): string => {
  const limit = SETTABLE.get(key)
  if (limit === undefined && key in LIMITS) throw new Wrong("is fixed. Remove this line.")
  if (limit === undefined) throw new Wrong("is not a limit. Run \"vps-service config\" to see all limits.")
  const setting = limitSetting(key, limit)
  const text = textOf(value, setting)
  if (text !== undefined && setting.parse(text) !== undefined) return text
  throw new Wrong(`should be ${setting.expected} (${limit.unit}); got ${shown(value)}.${remedy(value, setting)}`)
}

const unknownKey = (key: string): Wrong => {
  if (SETTABLE.has(key)) return new Wrong(`is a limit. Write it below "${LIMITS_KEY}:".`)
  const named = [...FILE_SETTINGS].find(([, { environment }]) => environment === key)
  if (named !== undefined) return new Wrong(`is an environment variable. In this file the setting is "${named[0]}".`)
  return new Wrong("is not a setting. Run \"vps-service --help\" to see all settings.")
}

/** The variable and the text of an entry; undefined if it sets nothing. */
type Read = (entry: Entry) => readonly [variable: string, text: string] | undefined

const readLimit: Read = (entry) => [limitVariable(entry.key), limitText(entry)]

const readSetting = (folder: string): Read => (entry) => {
  const setting = FILE_SETTINGS.get(entry.key)
  if (setting === undefined) throw unknownKey(entry.key)
  const text = settingText(entry, setting, folder)
  return text === undefined ? undefined : [setting.environment, text]
}

interface Found {
  readonly texts: Record<string, Written>
  readonly problems: Array<string>
}

const collect = (path: string, entries: ReadonlyArray<Entry>, read: Read, { problems, texts }: Found): void => {
  for (const entry of entries) {
    const source = `${path}:${entry.line}: ${entry.key}`
    try {
      const found = read(entry)
      if (found !== undefined) texts[found[0]] = { text: found[1], source }
    } catch (cause) {
      if (!(cause instanceof Wrong)) throw cause
      problems.push(`${source} ${cause.message}`)
    }
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    const message = `Cannot read the config file: ${(cause as Error).message}. Correct --${SETTINGS.config.flag} `
      + `(${SETTINGS.config.environment}), or run this command as a user who may read the file.`
    throw new InvalidSetting({ message })
  }
}

/**
 * The settings and limits in a config file, by environment variable.
 * @throws InvalidSetting with a line for each problem
 */
export const readConfigFile = async (path: string): Promise<Texts> => {
  const { readEntries } = await import("./YamlEntries.ts")
  const { entries, problems } = readEntries(readText(path))
  const found: Found = { texts: {}, problems: problems.map(({ line, message }) => `${path}:${line}: ${message}`) }
  for (const entry of entries) {
    if (entry.key === LIMITS_KEY && entry.entries !== undefined) collect(path, entry.entries, readLimit, found)
    else if (entry.key === LIMITS_KEY && entry.value !== null) {
      found.problems.push(`${path}:${entry.line}: ${LIMITS_KEY} should be a mapping of limits, like SNAPSHOTS_MAX: 3.`)
    } else if (entry.key !== SCHEMA_KEY && entry.key !== LIMITS_KEY) {
      collect(path, [entry], readSetting(dirname(path)), found)
    }
  }
  if (found.problems.length > 0) throw new InvalidSetting({ message: found.problems.join("\n") })
  return found.texts
}
