/** Other words for commands, as other programs name them. */

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
export const meaningOf = (group: string, word: string): ReadonlyArray<string> | undefined => {
  const aliases = aliasesIn(group)
  return Object.hasOwn(aliases, word) ? aliases[word]!.split(" ") : undefined
}
