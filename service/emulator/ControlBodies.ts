/** The request bodies of the controls, validated with the errors of the API. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import type { ValidationItem } from "#contract/Errors"
import { PositiveInt, queryWord, text } from "#contract/Primitives"
import { SCOPES } from "#contract/Scope"
import { between, EMAIL_MAX, Money, Percent, Price, rule } from "../admin/InputSchemas.ts"
import { TREATMENTS } from "../domain/Vat.ts"
import { bodyError, validationItems } from "../http/decoding/ValidationErrors.ts"
import type { LimitValues } from "../config/Limits.ts"
import { DEPLOY_MODES, type DeployMode, type DeploySetting } from "../persistence/SimulatedMachines.ts"

/** The body is invalid; `items` are the details of the 422. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", {
  items: Schema.Array(Schema.Any)
}) {}

/** An integer within bounds. */
export const intBetween = (min: number, max: number) => Schema.Int.check(...between(min, max))

/** Longest simulated deployment in milliseconds, and most reads: one day. */
const DEPLOY_MAX = 24 * 60 * 60_000

const DeployValue = intBetween(0, DEPLOY_MAX)

const CurrencyCode = Schema.String.check(
  rule<string>("string_pattern_mismatch", "String should match pattern '^[A-Z]{3}$'", (code) => /^[A-Z]{3}$/.test(code))
)

export const DeployBody = Schema.Struct({ mode: queryWord(DEPLOY_MODES), value: Schema.optionalKey(DeployValue) })

/** The setting with its default value. */
export const deployOf = (
  { mode, value }: typeof DeployBody.Type,
  { EMULATOR_DEPLOY_MILLIS }: LimitValues
): DeploySetting => {
  const defaults: Readonly<Record<DeployMode, number>> = {
    instant: 0,
    after_ms: EMULATOR_DEPLOY_MILLIS,
    after_polls: 1
  }
  return { mode, value: mode === "instant" ? 0 : value ?? defaults[mode] }
}

/** Longest advance of the clock in milliseconds: ten years. */
const ADVANCE_MAX = 3_653 * 24 * 60 * 60_000

/** At least one of the fields is required. */
export const ClockBody = Schema.Struct({
  advance_ms: Schema.optionalKey(intBetween(0, ADVANCE_MAX)),
  freeze: Schema.optionalKey(Schema.Boolean)
})

/** The error for a field that is required although its schema says optional. */
export const missingField = (field: string): InvalidBody =>
  new InvalidBody({ items: [{ loc: ["body", field], msg: "Field required", type: "missing" }] })

export const AccountBody = Schema.Struct({
  email: text(3, EMAIL_MAX),
  wallet: Price,
  currency: Schema.optionalKey(CurrencyCode),
  vat_treatment: Schema.optionalKey(queryWord(TREATMENTS)),
  vat_rate: Schema.optionalKey(Percent)
})

const Moment = Schema.String.check(
  rule<string>(
    "datetime_parsing",
    "Input should be a valid datetime: ISO 8601 with a time zone",
    (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  )
)

export const KeyBody = Schema.Struct({
  account_id: Schema.optionalKey(PositiveInt),
  scopes: Schema.Array(queryWord(SCOPES)).check(
    rule<ReadonlyArray<string>>(
      "too_short",
      "List should have at least 1 item after validation, not 0",
      (scopes) => scopes.length > 0
    )
  ),
  expires_at: Schema.optionalKey(Schema.NullOr(Moment))
})

export const WalletBody = Schema.Struct({
  account_id: Schema.optionalKey(PositiveInt),
  amount: Money
})

export const BalanceBody = Schema.Struct({ account_id: Schema.optionalKey(PositiveInt), balance: Price })

/** The fields that are decimals, whose type errors differ from those of integers. */
const DECIMALS = new Set(["wallet", "amount", "balance", "vat_rate", "probability"])

const asDecimal = (item: ValidationItem): ValidationItem =>
  item.type === "int_type" && DECIMALS.has(String(item.loc.at(-1)))
    ? { ...item, type: "float_type", msg: "Input should be a valid number" }
    : item

/** Decodes the body of a control. Fails with `InvalidBody`. */
export const decodeBody = Effect.fnUntraced(function*<S extends Schema.Codec<unknown, unknown>>(
  request: HttpServerRequest.HttpServerRequest,
  schema: S
) {
  const received = yield* request.text
  const broken = bodyError(received)
  if (broken !== undefined) return yield* new InvalidBody({ items: [broken] })
  return yield* Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(JSON.parse(received))
    .pipe(Effect.mapError(({ issue }) => new InvalidBody({ items: validationItems("body", issue).map(asDecimal) })))
})
