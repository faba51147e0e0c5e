/** Placeholders: SQLite's `?` and `?2` are PostgreSQL's `$1` and `$2`. */

/** Texts, quoted names and comments, in which a question mark is literal; and the placeholders. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** Numbered as in SQLite: a bare `?` follows the highest number so far. */
export const numbered = (sql: string): string => {
  let highest = 0
  return sql.replace(TOKENS, (token, number: string | undefined) => {
    if (number === undefined) return token
    const place = number === "" ? highest + 1 : Number(number)
    highest = Math.max(highest, place)
    return `$${place}`
  })
}
