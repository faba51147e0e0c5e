/** From a schema's issues to the items of a 422: the wording clients of such APIs know (service.md §7). */
import type * as SchemaIssue from "effect/SchemaIssue"
import type { ValidationItem } from "#contract/Errors"
import { ErrorType } from "#contract/Primitives"
import { errorOffset } from "./JsonOffset.ts"

export type RequestPart = "path" | "query" | "header" | "body"

type Location = ReadonlyArray<string | number>

const item = (loc: Location, type: string, msg: string): ValidationItem => ({ loc, msg, type })

const WRONG_TYPE: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  String: ["string_type", "Input should be a valid string"],
  Number: ["int_type", "Input should be a valid integer"],
  Boolean: ["bool_type", "Input should be a valid boolean"]
}

/** A text in a path or query that decodes to another kind; a parameter that is repeated ends here too. */
const UNPARSABLE: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  Number: ["int_parsing", "Input should be a valid integer, unable to parse string as an integer"],
  Boolean: ["bool_parsing", "Input should be a valid boolean, unable to interpret input"]
}

interface Tagged {
  readonly _tag: string
  readonly types?: ReadonlyArray<Tagged>
}

/** The kind a nullable field wants. */
const wanted = (ast: Tagged): string => ast.types?.find((type) => type._tag !== "Null")?._tag ?? ast._tag

const wrongType = (loc: Location, ast: Tagged, decodesTo: string | undefined): ValidationItem => {
  const [type, msg] = (decodesTo === undefined ? undefined : UNPARSABLE[decodesTo])
    ?? WRONG_TYPE[wanted(ast)]
    ?? ["value_error", "Value error, this value is not allowed here"]
  return item(loc, type, msg)
}

const filtered = (loc: Location, issue: SchemaIssue.Filter): ValidationItem => {
  const annotations = issue.filter.annotations as Record<string, unknown> | undefined
  const type = annotations?.[ErrorType]
  // The one rule that is not ours is that a number is finite: JSON can write 1e400.
  return type === undefined
    ? item(loc, ...WRONG_TYPE["Number"]!)
    : item(loc, String(type), String(annotations?.["message"]))
}

/** One item per field: the first problem found with it. */
const walk = (issue: SchemaIssue.Issue, loc: Location, decodesTo?: string): ReadonlyArray<ValidationItem> => {
  switch (issue._tag) {
    case "Pointer":
      return walk(issue.issue, [...loc, ...issue.path.map((key) => typeof key === "number" ? key : String(key))])
    case "Encoding":
      return walk(issue.issue, loc, issue.ast._tag)
    case "Composite": {
      const each = issue.issues.map((one) => walk(one, loc, decodesTo))
      return issue.ast._tag === "Objects" ? each.flat() : each[0] ?? []
    }
    case "AnyOf":
      return issue.issues.length === 0
        ? [wrongType(loc, issue.ast as Tagged, decodesTo)]
        : walk(issue.issues[0]!, loc, decodesTo)
    case "MissingKey":
      return [item(loc, "missing", "Field required")]
    case "UnexpectedKey":
      return [item(loc, "extra_forbidden", "Extra inputs are not permitted")]
    case "Filter":
      return [filtered(loc, issue)]
    case "InvalidType":
      return [wrongType(loc, issue.ast as Tagged, decodesTo)]
    default:
      return [item(loc, "value_error", "Value error, this value is not allowed here")]
  }
}

/** The header's name as clients write it, not as Node lower-cases it. */
const HEADER_NAMES: Readonly<Record<string, string>> = { "idempotency-key": "Idempotency-Key" }

const named = (part: RequestPart) => (one: ValidationItem): ValidationItem =>
  part === "header" ? { ...one, loc: one.loc.map((key) => HEADER_NAMES[key] ?? key) } : one

/** The problems of one part of a request: declared fields in their order, then unknown properties. */
export const validationItems = (part: RequestPart, issue: SchemaIssue.Issue): ReadonlyArray<ValidationItem> => {
  const items = walk(issue, [part]).map(named(part))
  const unknown = items.filter(({ type }) => type === "extra_forbidden")
  return [...items.filter(({ type }) => type !== "extra_forbidden"), ...unknown]
}

const NOT_AN_OBJECT = "Input should be a valid dictionary or object to extract fields from"

/** The problem of a body that is no object at all, from its text; undefined when the text is a JSON object. */
export const bodyError = (text: string): ValidationItem | undefined => {
  if (text === "") return item(["body"], "missing", "Field required")
  try {
    const value: unknown = JSON.parse(text)
    if (value === null) return item(["body"], "missing", "Field required")
    return typeof value === "object" && !Array.isArray(value) ? undefined : notAnObject
  } catch {
    return item(["body", errorOffset(text)], "json_invalid", "JSON decode error")
  }
}

/** Also the answer to a content type that is not JSON. */
export const notAnObject: ValidationItem = item(["body"], "model_attributes_type", NOT_AN_OBJECT)

/** A field that is well formed but means nothing: `["body", "hostname"]`. */
export const invalidField = (field: string, problem: string): ValidationItem =>
  item(["body", field], "value_error", `Value error, ${field} ${problem}`)
