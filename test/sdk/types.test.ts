/** What the types promise; `npm run typecheck` is what runs these. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as Effect from "effect/Effect"
import type { Core } from "#sdk/client/Core"
import type * as Sdk from "#sdk/index"

type Instances = Sdk.Vps["instances"]

describe("types", () => {
  it("calls answer the records of the contract, on the wire's names", () => {
    expectTypeOf<Awaited<ReturnType<Instances["get"]>>>().toEqualTypeOf<Sdk.Instance>()
    expectTypeOf<Awaited<ReturnType<Instances["list"]>>>().toEqualTypeOf<ReadonlyArray<Sdk.Instance>>()
    expectTypeOf<Awaited<ReturnType<Instances["dryRun"]>>>().toEqualTypeOf<Sdk.DryRun>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["services"]["list"]>>>().toEqualTypeOf<ReadonlyArray<Sdk.PublicPlan>>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["power"]["stop"]>>>().toEqualTypeOf<Sdk.ActionResult>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["monitoring"]["tasks"]>>>().toEqualTypeOf<Sdk.TaskPage>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["account"]["whoami"]>>["account_id"]>().toBeNumber()
    expectTypeOf<Sdk.Instance["ipv4"]>().toEqualTypeOf<string | null | undefined>()
  })

  it("a status is any string: the set is open", () => {
    expectTypeOf<Sdk.Instance["status"]>().toEqualTypeOf<string>()
  })

  it("calls take what the contract takes", () => {
    expectTypeOf<Instances["create"]>().parameter(0).toEqualTypeOf<Sdk.CreateInstance>()
    expectTypeOf<Instances["get"]>().parameter(0).toBeNumber()
    expectTypeOf<{ idempotencyKey: string }>().toExtend<Sdk.CreateOptions>()
    // @ts-expect-error -- a create without a plan buys nothing
    expectTypeOf<Parameters<Instances["create"]>[0]>().toExtend<{ service_id: string }>()
    expectTypeOf<{ apiKey: string | undefined; baseUrl: undefined }>().toExtend<Sdk.ClientOptions>()
    expectTypeOf<{ apiKey: () => Promise<string> }>().toExtend<Sdk.ClientOptions>()
  })

  it("withResponse adds the response", () => {
    type Full = Awaited<ReturnType<ReturnType<Instances["create"]>["withResponse"]>>
    expectTypeOf<Full>().toEqualTypeOf<Sdk.Answer<Sdk.Instance>>()
    expectTypeOf<Full["response"]["idempotencyKey"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Full["response"]["headers"]>().toEqualTypeOf<Readonly<Record<string, string>>>()
  })

  it("the core names every failure, and needs nothing", () => {
    type Wait = ReturnType<Core["instances"]["createAndWait"]>
    type Get = ReturnType<Core["instances"]["get"]>
    expectTypeOf<Effect.Services<Get>>().toBeNever()
    expectTypeOf<Extract<Effect.Error<Get>, { _tag: "NotFoundError" }>>().toEqualTypeOf<Sdk.NotFoundError>()
    expectTypeOf<Extract<Effect.Error<Get>, { _tag: "WaitTimeoutError" }>>().toBeNever()
    expectTypeOf<Extract<Effect.Error<Wait>, { _tag: "WaitTimeoutError" }>>().toEqualTypeOf<Sdk.WaitTimeoutError>()
    expectTypeOf<Effect.Error<Wait>>().toExtend<Sdk.VpsError>()
  })

  it("errors differ by their tags", () => {
    expectTypeOf<Sdk.NotFoundError["_tag"]>().toEqualTypeOf<"NotFoundError">()
    expectTypeOf<Extract<Sdk.AnyApiError, { _tag: "ValidationError" }>["issues"]>().toEqualTypeOf<
      ReadonlyArray<Sdk.ValidationIssue>
    >()
    expectTypeOf<Sdk.AnyApiError["status"]>().toBeNumber()
    expectTypeOf<Sdk.ForbiddenError["missingScope"]>().toEqualTypeOf<string | undefined>()
  })
})
