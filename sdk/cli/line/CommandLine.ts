/** Reads a command line from the tree of commands: replaces its aliases, and finds the words that can follow. */
import type { ArgumentDescriptor, CommandDescriptor, FlagDescriptor } from "effect/cli/Completions"

// Other words for commands, as other programs name them.

/** The command or flag that each word means, by the group in which it is typed. The first group is `vps` itself. */
export const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { help: "--help", version: "--version", ls: "instance list", server: "instance", image: "os" },
  context: { ls: "list", delete: "remove", rm: "remove" },
  plan: { ls: "list" },
  os: { ls: "list" },
  // The help does not list "delete", which only says how to end a contract.
  instance: { ls: "list", rm: "delete", destroy: "delete" },
  snapshot: { ls: "list", rm: "delete" },
  backup: { ls: "list" },
  iso: { ls: "list" }
}

/** The aliases of a group. */
export const aliasesIn = (group: string): Readonly<Record<string, string>> =>
  Object.hasOwn(ALIASES, group) ? ALIASES[group]! : {}

/** The words that a word stands for in a group; undefined if it is not an alias. */
const meaningOf = (group: string, word: string): ReadonlyArray<string> | undefined => {
  const aliases = aliasesIn(group)
  return Object.hasOwn(aliases, word) ? aliases[word]!.split(" ") : undefined
}

/** A word that can be next, with its description. */
export interface Candidate {
  readonly value: string
  readonly description: string
}

/** The values that only the service, the context file or the file system knows. */
export type Source = "plans" | "images" | "instances" | "contexts" | "files"

export interface Next {
  readonly candidates: ReadonlyArray<Candidate>
  readonly source: Source | undefined
  /** The word that is being typed; after `--flag=`, the value only. */
  readonly typed: string
  /** `--flag=`, or empty. */
  readonly prefix: string
  /** The values of the flags before it, by name. */
  readonly flags: ReadonlyMap<string, string>
}

/** The sources of flags and arguments, by name. */
const SOURCES: Readonly<Record<string, Source>> = {
  plan: "plans",
  os: "images",
  instance: "instances",
  context: "contexts",
  "ssh-key": "files",
  "root-password": "files",
  state: "files"
}

const HELP: FlagDescriptor = { name: "help", aliases: ["h"], description: "Show help", type: { _tag: "Boolean" } }

/** The candidates and the source of a flag's or an argument's values. */
const valuesOf = ({ name, type }: ArgumentDescriptor | FlagDescriptor): Pick<Next, "candidates" | "source"> => ({
  candidates: type._tag === "Choice" ? type.values.map((value) => ({ value, description: "" })) : [],
  source: SOURCES[name]
})

const flagsOf = ({ flags }: CommandDescriptor): ReadonlyArray<FlagDescriptor> => [...flags, HELP]

/** The flag that a word names: `--plan`, `--plan=vps-s` or `-c`. */
const findFlag = (command: CommandDescriptor, word: string): FlagDescriptor | undefined => {
  const [name] = word.split("=", 1)
  return flagsOf(command).find((flag) =>
    name === `--${flag.name}` || flag.aliases.some((alias) => name === `-${alias.replace(/^-/, "")}`)
  )
}

const takesValue = ({ type }: FlagDescriptor): boolean => type._tag !== "Boolean"

/** The state after the words before the one that is being typed. */
interface Position {
  readonly command: CommandDescriptor
  /** The names of the command and its parents, without `vps`. */
  readonly group: string
  readonly flags: ReadonlyMap<string, string>
  /** The flag whose value is next. */
  readonly pending: FlagDescriptor | undefined
  readonly arguments: number
  readonly isAfterDashes: boolean
}

const withFlag = (at: Position, { name }: FlagDescriptor, value: string): Position => ({
  ...at,
  flags: new Map([...at.flags, [name, value]]),
  pending: undefined
})

const advance = (at: Position, word: string): Position => {
  if (at.pending !== undefined) return withFlag(at, at.pending, word)
  if (at.isAfterDashes || word === "--") return { ...at, isAfterDashes: true }
  if (word.startsWith("-")) {
    const flag = findFlag(at.command, word)
    if (flag === undefined) return at
    const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : undefined
    if (value === undefined && takesValue(flag)) return { ...at, pending: flag }
    return withFlag(at, flag, value ?? "")
  }
  const command = at.command.subcommands.find(({ name }) => name === word)
  if (command === undefined) return { ...at, arguments: at.arguments + 1 }
  return { ...at, command, group: `${at.group} ${word}`.trim() }
}

const startOf = (root: CommandDescriptor): Position => ({
  command: root,
  group: "",
  flags: new Map(),
  pending: undefined,
  arguments: 0,
  isAfterDashes: false
})

/** `-ojson` becomes `-o json`, which is the only form that the parser knows. */
const divide = (command: CommandDescriptor, word: string): ReadonlyArray<string> => {
  const [, name, rest] = /^(-[A-Za-z])([^=].*)$/.exec(word) ?? []
  const flag = name === undefined ? undefined : findFlag(command, name)
  if (name === undefined || rest === undefined || flag === undefined) return [word]
  return takesValue(flag) ? [name, rest] : [name, ...divide(command, `-${rest}`)]
}

/** The words that replace a word. The value of a flag, an argument and a flag's own name have no aliases. */
const replace = ({ arguments: count, command, group, isAfterDashes, pending }: Position, word: string) => {
  if (pending !== undefined || isAfterDashes) return [word]
  if (word.startsWith("-")) return divide(command, word)
  return (count === 0 ? meaningOf(group, word) : undefined) ?? [word]
}

/** A command line without aliases. */
export interface Line {
  readonly words: ReadonlyArray<string>
  /** The values of its flags, by name. */
  readonly flags: ReadonlyMap<string, string>
}

/** Replaces the aliases in a command line. */
export const readLine = (root: CommandDescriptor, typed: ReadonlyArray<string>): Line => {
  let at = startOf(root)
  const words = typed.flatMap((word) => {
    const replaced = replace(at, word)
    at = replaced.reduce(advance, at)
    return replaced
  })
  return { words, flags: at.flags }
}

const argumentAt = ({ arguments: all }: CommandDescriptor, index: number): ArgumentDescriptor | undefined =>
  all[index] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined)

/** Flags that are not on the line yet. The negations of flags are not offered: no default needs one. */
const unusedFlags = ({ command, flags }: Position): ReadonlyArray<Candidate> =>
  flagsOf(command).filter(({ name }) => name === "filter" || !flags.has(name))
    .map(({ description = "", name }) => ({ value: `--${name}`, description }))

/** Only once a part is typed: every alias has a command that the list already contains. */
const aliasesOffered = ({ arguments: count, group }: Position, typed: string): ReadonlyArray<Candidate> =>
  typed === "" || count > 0 ? [] : Object.entries(aliasesIn(group))
    .map(([value, meaning]) => ({ value, description: ["vps", group, meaning].filter(Boolean).join(" ") }))

/** The words that can follow. The last word is the one that is being typed, which may be empty. */
export const parseLine = (root: CommandDescriptor, words: ReadonlyArray<string>): Next => {
  const at = readLine(root, words.slice(0, -1)).words.reduce(advance, startOf(root))
  const typed = words.at(-1) ?? ""
  const next = { flags: at.flags, prefix: "", typed }
  if (at.pending !== undefined) return { ...next, ...valuesOf(at.pending) }
  if (at.isAfterDashes) return { ...next, candidates: [], source: undefined }
  const [, prefix] = /^(--[^=]+=)/.exec(typed) ?? []
  const flag = prefix === undefined ? undefined : findFlag(at.command, typed)
  if (prefix !== undefined && flag !== undefined) {
    return { ...next, prefix, typed: typed.slice(prefix.length), ...valuesOf(flag) }
  }
  if (typed.startsWith("-")) return { ...next, candidates: unusedFlags(at), source: undefined }
  const commands = [
    ...at.command.subcommands.map(({ description = "", name }) => ({ value: name, description })),
    ...aliasesOffered(at, typed)
  ]
  const argument = argumentAt(at.command, at.arguments)
  if (argument === undefined) return { ...next, candidates: commands, source: undefined }
  const { candidates, source } = valuesOf(argument)
  return { ...next, candidates: [...commands, ...candidates], source }
}
