/** Suggests similar names when a name is not found. Loads no other package: programs of the provider have none. */

/** Maximum suggestions: a longer list would hide the intended one. */
const SUGGESTIONS = 3

/** The Levenshtein distance. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}

/** Without case and punctuation: `Debian13` is `debian-13`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/**
 * The closest names first: names that share a prefix, or differ in less than half of their letters. One that differs
 * only in case or punctuation is the only one.
 */
export const closest = (typed: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const same = names.filter((name) => plain(typed) !== "" && plain(name) === plain(typed))
  if (same.length > 0) return same
  const wanted = typed.toLowerCase()
  return names
    .map((name) => {
      const lower = name.toLowerCase()
      const begins = wanted !== "" && (lower.startsWith(wanted) || wanted.startsWith(lower))
      return { name, far: begins ? 0 : distance(wanted, lower) }
    })
    .filter(({ far, name }) => far < Math.max(wanted.length, name.length) / 2)
    .toSorted((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name)
}

/** Maximum names in a message: an account may have hundreds of instances. */
const NAMES = 10

/** `vps-s, vps-m`, or `a, b and 290 more`. */
export const shortList = (names: ReadonlyArray<string>): string => {
  const rest = names.length - NAMES
  return names.slice(0, NAMES).join(", ") + (rest > 0 ? ` and ${rest} more` : "")
}

/** `Did you mean vps-s or vps-m?`, or the first names when none is similar. */
export const didYouMean = (typed: string, names: ReadonlyArray<string>): string => {
  const close = closest(typed, names).slice(0, SUGGESTIONS)
  if (close.length === 0) return names.length === 0 ? "None exist." : `Available: ${shortList(names)}.`
  const last = close.at(-1)!
  return `Did you mean ${close.length === 1 ? last : `${close.slice(0, -1).join(", ")} or ${last}`}?`
}
