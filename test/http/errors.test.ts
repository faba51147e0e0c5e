/** Each reason of the domain, as the wire shows it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Domain from "#service/domain/Errors"
import { toErrorResponse, type UseCaseError } from "#service/http/Errors"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const ROWS: ReadonlyArray<readonly [UseCaseError, status: number, says: string]> = [
  [new Domain.InstanceNotFound({ instanceId: 7 }), 404, "Instance not found."],
  [new Domain.PlanNotFound({ planId: 7, outOfStock: false }), 404, "Plan 7 does not exist or is no longer sold"],
  [new Domain.PlanNotFound({ planId: 7, outOfStock: true }), 404, "Plan 7 is out of stock"],
  [new Domain.PlanNotOrderable({ planId: 7, category: "hosting" }), 400, "category hosting"],
  [new Domain.CurrencyMismatch({ plan: "EUR", wallet: "USD" }), 400, "the wallet holds USD. Choose a plan in USD"],
  [new Domain.CouponRejected({ problem: "No such coupon." }), 400, "No such coupon."],
  [
    new Domain.InsufficientFunds({ accountId: 1, charge: 999, wallet: 1, currency: "EUR" }),
    402,
    "holds 0.01 EUR, but this costs 9.99 EUR"
  ],
  [
    new Domain.InsufficientFunds({ accountId: 1, charge: 990, wallet: 500, currency: "EUR" }),
    402,
    "holds 5.00 EUR, but this costs 9.90 EUR"
  ],
  [new Domain.InstanceBusy({ taskType: "start" }), 409, "busy with another task (start); retry shortly."],
  [new Domain.AwaitsApproval(), 409, "The instance waits for the host's approval."],
  ...[
    ["failed", {}, "is failed. Its deployment failed and was refunded. Order a new instance."],
    ["pending", {}, "is pending. Wait until it is deployed."],
    ["rescue", {}, "is rescue. Leave rescue mode first: DELETE /instances/{id}/rescue."],
    ["suspended", { reason: "Abuse." }, "is suspended. The reason of its suspension: Abuse."],
    ["expired", { renewableUntil: 0 }, "is expired. Top up the wallet before 1970-01-01T00:00:00.000Z to renew it."],
    ["expired", {}, "Its automatic renewal is off: ask support to turn it on, and top up the wallet."],
    ["expired", { terminating: true }, "Its deletion has begun and cannot be undone. Order a new instance."]
  ].map(([status, facts, says]) =>
    [
      new Domain.InvalidState({
        operation: "start",
        status: status as string,
        reason: null,
        renewableUntil: null,
        terminating: false,
        ...facts as object
      }),
      409,
      says as string
    ] as const
  ),
  [new Domain.OtherCategory({ planId: 5, category: "dedicated" }), 400, "Plan 5 has category dedicated. Choose one"],
  [new Domain.CreateInProgress(), 409, "still in progress. Retry shortly"],
  [new Domain.NotForCategory({ category: "dedicated" }), 400, "This is a dedicated instance"],
  [new Domain.OtherDataCenter({ planId: 4 }), 400, "Plan 4 is in another data center"],
  [new Domain.CurrentPlan({ planId: 2 }), 409, "The instance is already on plan 2"],
  [new Domain.PartNotFound({ part: "ISO", id: 9 }), 404, "ISO not found."],
  [new Domain.NotRestorable({ part: "Backup", id: 3, status: "creating" }), 409, "Backup 3 is creating"],
  [new Domain.SnapshotQuotaReached({ quota: 3 }), 409, "Snapshot limit reached (3). Delete one first"],
  [
    new Domain.UpstreamFailed({ operation: "set_rdns", reason: "refused", outcome: "unchanged" }),
    502,
    "could not complete set_rdns: refused. Nothing was changed."
  ],
  [
    new Domain.UpstreamFailed({ operation: "set_rdns", reason: "timed out", outcome: "unknown" }),
    502,
    "did not confirm set_rdns: timed out. The outcome is unknown. Repeat the request."
  ],
  [
    new Domain.UpstreamFailed({ operation: "reset_password", reason: "timed out", outcome: "unknown" }),
    502,
    "The outcome is unknown. The old password may be invalid: repeat the request to get a new one."
  ],
  [new Domain.StorageUnavailable({ message: "The disk is full." }), 503, "The disk is full. No changes were saved"],
  [
    new Domain.StorageUnavailable({ message: "The answer was lost.", inDoubt: true }),
    504,
    "The outcome is unknown"
  ]
]

/** In seconds, of those that do not stay refused. */
const RETRY_AFTER: Readonly<Partial<Record<UseCaseError["_tag"], string>>> = {
  InstanceBusy: String(DEFAULT_LIMITS.BUSY_RETRY_AFTER_SECONDS),
  CreateInProgress: "1",
  StorageUnavailable: String(DEFAULT_LIMITS.DATABASE_RETRY_AFTER_SECONDS)
}

const shown = (refusal: UseCaseError) =>
  Effect.promise(async () => {
    const response = HttpServerResponse.toWeb(toErrorResponse(refusal, DEFAULT_LIMITS))
    return { status: response.status, headers: response.headers, body: (await response.json()) as { detail: unknown } }
  })

describe("error responses", () => {
  it.effect.each(ROWS)("%o is %i: %s", ([refusal, status, says]) =>
    Effect.gen(function*() {
      const answer = yield* shown(refusal)
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(Object.keys(answer.body), ["detail"])
      assert.include(String(answer.body.detail), says)
    }))

  it.effect("only temporary errors have Retry-After: busy, a key in use, no database", () =>
    Effect.gen(function*() {
      for (const [refusal] of ROWS) {
        const { headers } = yield* shown(refusal)
        const expected = "inDoubt" in refusal ? null : RETRY_AFTER[refusal._tag] ?? null
        assert.strictEqual(headers.get("retry-after"), expected, refusal._tag)
      }
    }))

  it.effect("an invalid field is a 422 item at that field", () =>
    Effect.gen(function*() {
      const { body, status } = yield* shown(new Domain.InvalidField({ field: "os", problem: "is not offered" }))
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.detail, [
        { loc: ["body", "os"], msg: "Value error, os is not offered", type: "value_error" }
      ])
    }))
})
