/** Converts schema issues to the items of a 422, in FastAPI's wording, which many clients parse. */
import type * as SchemaIssue from "effect/SchemaIssue"
import type { ValidationItem } from "@pulumi-vps/contract/Errors"
import { ErrorType } from "@pulumi-vps/contract/Primitives"
import { redactKeys } from "../../auth/ApiKeyToken.ts"
import { errorOffset } from "./JsonOffset.ts"

export type RequestPart = "path" | "query" | "header" | "body"

type Location = ReadonlyArray<string | number>

const item = (loc: Location, type: string, msg: string): ValidationItem => ({ loc, msg, type })

const TYPE_ERRORS: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  String: ["string_type", "Input should be a valid string"],
  Number: ["int_type", "Input should be a valid integer"],
  Boolean: ["bool_type", "Input should be a valid boolean"]
}

/** Text in a path or query that does not decode to the expected type, including repeated parameters. */
const PARSING_ERRORS: Readonly<Record<string, readonly [type: string, msg: string]>> = {
  Number: ["int_parsing", "Input should be a valid integer, unable to parse string as an integer"],
  Boolean: ["bool_parsing", "Input should be a valid boolean, unable to interpret input"]
}

interface Tagged {
  readonly _tag: string
  readonly types?: ReadonlyArray<Tagged>
}

/** The expected type of a nullable field. */
const expectedType = (ast: Tagged): string => ast.types?.find((type) => type._tag !== "Null")?._tag ?? ast._tag

const typeError = (loc: Location, ast: Tagged, decodesTo: string | undefined): ValidationItem => {
  const [type, msg] = (decodesTo === undefined ? undefined : PARSING_ERRORS[decodesTo])
    ?? TYPE_ERRORS[expectedType(ast)]
    ?? ["value_error", "Value error, this value is not allowed here"]
  return item(loc, type, msg)
}

/** A property or a query parameter that the endpoint does not have. An API key in the place of its name is redacted. */
export const unknownField = (loc: Location): ValidationItem =>
  item(
    loc.map((key) => typeof key === "string" ? redactKeys(key) : key),
    "extra_forbidden",
    "Extra inputs are not permitted"
  )

/** A key that a JSON object has twice. */
export const duplicateField = (path: Location): ValidationItem =>
  item(
    ["body", ...path.map((key) => typeof key === "string" ? redactKeys(key) : key)],
    "value_error",
    "Value error, this field occurs more than once"
  )

const filterError = (loc: Location, issue: SchemaIssue.Filter): ValidationItem => {
  const annotations = issue.filter.annotations as Record<string, unknown> | undefined
  const type = annotations?.[ErrorType]
  // The only filter that is not the contract's own requires a finite number: JSON allows 1e400.
  return type === undefined
    ? item(loc, ...TYPE_ERRORS["Number"]!)
    : item(loc, String(type), String(annotations?.["message"]))
}

/** One item per field: its first error. */
const collect = (issue: SchemaIssue.Issue, loc: Location, decodesTo?: string): ReadonlyArray<ValidationItem> => {
  switch (issue._tag) {
    case "Pointer":
      return collect(issue.issue, [...loc, ...issue.path.map((key) => typeof key === "number" ? key : String(key))])
    case "Encoding":
      return collect(issue.issue, loc, issue.ast._tag)
    case "Composite": {
      const each = issue.issues.map((one) => collect(one, loc, decodesTo))
      return issue.ast._tag === "Objects" ? each.flat() : each[0] ?? []
    }
    case "AnyOf":
      return issue.issues.length === 0
        ? [typeError(loc, issue.ast as Tagged, decodesTo)]
        : collect(issue.issues[0]!, loc, decodesTo)
    case "MissingKey":
      return [item(loc, "missing", "Field required")]
    case "UnexpectedKey":
      return [unknownField(loc)]
    case "Filter":
      return [filterError(loc, issue)]
    case "InvalidType":
      return [typeError(loc, issue.ast as Tagged, decodesTo)]
    default:
      return [item(loc, "value_error", "Value error, this value is not allowed here")]
  }
}

/** Header names in their usual spelling; Node lower-cases them. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  "idempotency-key": "Idempotency-Key",
  "vps-max-charge": "VPS-Max-Charge"
}

const withHeaderName = (part: RequestPart) => (one: ValidationItem): ValidationItem =>
  part === "header" ? { ...one, loc: one.loc.map((key) => HEADER_NAMES[key] ?? key) } : one

/** The errors in one part of a request: declared fields in their order, then unknown properties. */
export const validationItems = (part: RequestPart, issue: SchemaIssue.Issue): ReadonlyArray<ValidationItem> => {
  const items = collect(issue, [part]).map(withHeaderName(part))
  const unknown = items.filter(({ type }) => type === "extra_forbidden")
  return [...items.filter(({ type }) => type !== "extra_forbidden"), ...unknown]
}

const NOT_AN_OBJECT = "Input should be a valid dictionary or object to extract fields from"

/** The error in a body that is not a JSON object, from its text; undefined if it is one. */
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

/** Also sent for a content type other than JSON. */
export const notAnObject: ValidationItem = item(["body"], "model_attributes_type", NOT_AN_OBJECT)

/** A well-formed field with an invalid value, at `["body", field]`. */
export const invalidField = (field: string, problem: string): ValidationItem =>
  item(["body", field], "value_error", `Value error, ${field} ${problem}`)
