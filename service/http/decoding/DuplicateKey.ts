/**
 * Finds a key that occurs twice in an object of a JSON text. Parsers use the last one, and proxies or logs may use the
 * first: they would differ in which plan is bought, or which password is set.
 */

/** Strings, and the characters that give them a meaning. The text is valid JSON. */
const TOKEN = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]/g

type Path = ReadonlyArray<string | number>

interface Level {
  /** The keys so far; undefined in a list. */
  readonly keys: Set<string> | undefined
  /** The key or the index of the current value. */
  at: string | number
  /** True where a string is a key. */
  isKeyNext: boolean
}

/** The path of the first one; undefined if there is none. */
export const findDuplicateKey = (json: string): Path | undefined => {
  const open: Array<Level> = []
  for (const [token] of json.matchAll(TOKEN)) {
    const level = open.at(-1)
    if (token === "{") open.push({ keys: new Set(), at: "", isKeyNext: true })
    else if (token === "[") open.push({ keys: undefined, at: 0, isKeyNext: false })
    else if (token === "}" || token === "]") open.pop()
    else if (level === undefined || token === ":") continue
    else if (token === ",") {
      level.isKeyNext = level.keys !== undefined
      if (typeof level.at === "number") level.at++
    } else if (level.keys !== undefined && level.isKeyNext) {
      // Escapes are another way to write the same key.
      level.at = JSON.parse(token) as string
      level.isKeyNext = false
      if (level.keys.has(level.at)) return open.map(({ at }) => at)
      level.keys.add(level.at)
    }
  }
  return undefined
}
