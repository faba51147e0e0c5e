/** The problem with a field in plain words. The API has those of a validator: "Input should be ...", "Value error". */

/** Sentences of which no part names the problem. */
const SENTENCES: Readonly<Record<string, string>> = {
  "Field required": "is required",
  "Extra inputs are not permitted": "is not a field of this request"
}

/** `Input should be a number` becomes `should be a number`. */
const SUBJECT = /^(?:Decimal input|Input|String|List) should /

/** The part about parsing is of no use to a person. */
const PARSING = /, (?:unable to parse|unable to interpret|got a number) /

/** `Value error, os "x" is not available` becomes `"x" is not available`. */
const withoutField = (text: string, field: string): string =>
  text.startsWith(`${field} `) ? text.slice(field.length + 1) : text

/** The message of an issue about a field. */
export const plainProblem = (message: string, field: string): string =>
  SENTENCES[message] ?? withoutField(
    message.replace(/^Value error, /, "").replace(SUBJECT, "should ").split(PARSING, 1)[0]!
      .replace("a valid integer", "a whole number"),
    field
  )
