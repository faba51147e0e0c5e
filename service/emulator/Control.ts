/** A control of the emulator, and the validation of its body with the errors of the API. */
import * as Effect from "effect/Effect"
import type { HttpServerError } from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { ValidationItem } from "@pulumi-vps/contract/Errors"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { bodyError, validationItems } from "../http/decoding/ValidationErrors.ts"
import type { EmulatorServices } from "./EmulatorRuntime.ts"

export type Request = HttpServerRequest.HttpServerRequest

export const json = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })

/** The body is invalid; `items` are the details of the 422. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", {
  items: Schema.Array(Schema.Any)
}) {}

/** Handles a request of a control; `name` is the parameter of its path. */
export type Control = (
  request: Request,
  name: string
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  InvalidBody | StorageUnavailable | HttpServerError,
  EmulatorServices
>

/** Controls by their path below `/_emulator` and method. */
export type Controls = Readonly<Record<string, Readonly<Record<string, Control>>>>

/** The error for a field that is required although its schema says optional. */
export const missingField = (field: string): InvalidBody =>
  new InvalidBody({ items: [{ loc: ["body", field], msg: "Field required", type: "missing" }] })

/** The fields that are decimals, whose type errors differ from those of integers. */
const DECIMALS = new Set(["wallet", "amount", "balance", "vat_rate", "probability"])

const asDecimal = (item: ValidationItem): ValidationItem =>
  item.type === "int_type" && DECIMALS.has(String(item.loc.at(-1)))
    ? { ...item, type: "float_type", msg: "Input should be a valid number" }
    : item

/** Decodes the body of a control. Fails with `InvalidBody`. */
export const decodeBody = Effect.fnUntraced(function*<S extends Schema.Codec<unknown, unknown>>(
  request: Request,
  schema: S
) {
  const received = yield* request.text
  const broken = bodyError(received)
  if (broken !== undefined) return yield* new InvalidBody({ items: [broken] })
  return yield* Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(JSON.parse(received))
    .pipe(Effect.mapError(({ issue }) => new InvalidBody({ items: validationItems("body", issue).map(asDecimal) })))
})
