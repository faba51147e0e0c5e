/** What SQLite writes as `?` and `?2`, PostgreSQL writes as `$1` and `$2`. */

/** Texts, quoted names and comments, in which a question mark is one; and the places for values. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** As SQLite counts: a bare `?` is the place after the highest so far. */
export const numbered = (sql: string): string => {
  let highest = 0
  return sql.replace(TOKENS, (token, number: string | undefined) => {
    if (number === undefined) return token
    const place = number === "" ? highest + 1 : Number(number)
    highest = Math.max(highest, place)
    return `$${place}`
  })
}
