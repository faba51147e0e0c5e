/** Guarantees of the types. `npm run check -- types` checks them. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type { Unwrap } from "@pulumi/pulumi"
import type * as Effect from "effect/Effect"
import type { ConfigError } from "effect/Config"
import type * as Layer from "effect/Layer"
import type * as Account from "#contract/Account"
import type * as Contract from "#contract/Instance"
import type * as Monitoring from "#contract/Monitoring"
import type * as Plans from "#contract/Services"
import * as Effects from "#sdk/effect"
import type * as Sdk from "#sdk/index"

/** The generated arrays can be sorted. */
type Mutable<T> = T extends string ? T
  : T extends ReadonlyArray<infer A> ? Array<Mutable<A>>
  : T extends object ? { readonly [K in keyof T]: Mutable<T[K]> }
  : T

type Instances = Sdk.Vps["instances"]

describe("types", () => {
  it("calls return the records of the contract", () => {
    expectTypeOf<Awaited<ReturnType<Instances["get"]>>>().toEqualTypeOf<Sdk.Instance>()
    expectTypeOf<Awaited<ReturnType<Instances["list"]>>>().toEqualTypeOf<Array<Sdk.Instance>>()
    expectTypeOf<Awaited<ReturnType<Instances["dryRun"]>>>().toEqualTypeOf<Sdk.DryRun>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["services"]["list"]>>>().toEqualTypeOf<Array<Sdk.PublicPlan>>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["power"]["stop"]>>>().toEqualTypeOf<Sdk.ActionResult>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["monitoring"]["tasks"]>>>().toEqualTypeOf<Sdk.TaskPage>()
    expectTypeOf<Awaited<ReturnType<Sdk.Vps["account"]["whoami"]>>["account_id"]>().toBeNumber()
    expectTypeOf<Sdk.Instance["ipv4"]>().toEqualTypeOf<string | null | undefined>()
  })

  it("the generated records are those of the contract", () => {
    expectTypeOf<Sdk.Instance>().toEqualTypeOf<Mutable<Contract.Instance>>()
    expectTypeOf<Sdk.Whoami>().toEqualTypeOf<Mutable<Account.Whoami>>()
    expectTypeOf<Sdk.LiveStatus>().toEqualTypeOf<Mutable<Monitoring.LiveStatus>>()
    expectTypeOf<Sdk.Metrics>().toEqualTypeOf<Mutable<Monitoring.Metrics>>()
    expectTypeOf<Sdk.PublicPlan>().toEqualTypeOf<Mutable<Plans.PublicPlan>>()
    expectTypeOf<Contract.CreateInstance>().toExtend<Sdk.CreateInstance>()
    expectTypeOf<Contract.Reinstall>().toExtend<Sdk.Reinstall>()
  })

  it("a status is any string: the set is open, and editors complete the known ones", () => {
    expectTypeOf<string>().toExtend<Sdk.Instance["status"]>()
    expectTypeOf<Sdk.Instance["status"]>().toExtend<string>()
    expectTypeOf<Extract<Sdk.Instance["status"], Sdk.InstanceStatusValue>>().toEqualTypeOf<Sdk.InstanceStatusValue>()
    // Pulumi unwraps outputs: a status that a program exports is the same there.
    expectTypeOf<Unwrap<Sdk.Instance["status"]>>().toEqualTypeOf<Sdk.Instance["status"]>()
    expectTypeOf<Unwrap<Sdk.Instance>["order"]["status"]>().toEqualTypeOf<Sdk.Instance["order"]["status"]>()
  })

  it("calls take the bodies of the contract", () => {
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
    expectTypeOf<Full>().toEqualTypeOf<Sdk.ApiResponse<Sdk.Instance>>()
    expectTypeOf<Full["response"]["idempotencyKey"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Full["response"]["headers"]>().toEqualTypeOf<Readonly<Record<string, string>>>()
  })

  it("the Effect client returns data, with the failures of each call in the type", () => {
    type Service = Effects.Vps["Service"]
    type Get = ReturnType<Service["instances"]["get"]>
    type Wait = ReturnType<Service["rescue"]["enterAndWait"]>
    expectTypeOf<Effect.Success<Get>>().toEqualTypeOf<Sdk.Instance>()
    expectTypeOf<Effect.Error<Get>>().toEqualTypeOf<Effects.CallFailure>()
    expectTypeOf<Effect.Services<Get>>().toBeNever()
    expectTypeOf<Effect.Success<Wait>>().toEqualTypeOf<Sdk.LiveStatus>()
    expectTypeOf<Effect.Error<Wait>>().toEqualTypeOf<Effects.WaitFailure>()
    expectTypeOf<Effect.Success<ReturnType<Service["withResponse"]["instances"]["get"]>>>().toEqualTypeOf<
      Sdk.ApiResponse<Sdk.Instance>
    >()
    expectTypeOf<Parameters<Service["instances"]["create"]>>().toEqualTypeOf<
      Parameters<Instances["create"]>
    >()
    expectTypeOf(Effects.Vps.layer).returns.toEqualTypeOf<Layer.Layer<Effects.Vps>>()
    expectTypeOf(Effects.Vps.layerConfig).returns.toEqualTypeOf<Layer.Layer<Effects.Vps, ConfigError>>()
  })

  it("the Effect client has the calls of the Promise client", () => {
    type Groups = Omit<Effects.Vps["Service"], "withResponse">
    expectTypeOf<keyof Groups>().toEqualTypeOf<Exclude<keyof Sdk.Vps, "close" | typeof Symbol.asyncDispose>>()
    expectTypeOf<keyof Groups["instances"]>().toEqualTypeOf<keyof Instances>()
    // A call that is missing in the client would be `never`.
    expectTypeOf<Groups["instances"][keyof Instances]>().toBeFunction()
    expectTypeOf<Groups["rescue"][keyof Sdk.Vps["rescue"]]>().toBeFunction()
  })

  it("waits, iterations and loggers have their types", () => {
    expectTypeOf<Awaited<ReturnType<Instances["waitUntilIdle"]>>>().toEqualTypeOf<Sdk.LiveStatus>()
    expectTypeOf<Awaited<ReturnType<Instances["waitUntil"]>>>().toEqualTypeOf<Sdk.Instance>()
    expectTypeOf<ReturnType<Sdk.Vps["tasks"]["iterate"]>>().toExtend<AsyncIterable<Sdk.Task>>()
    expectTypeOf<{ onProgress: (progress: Sdk.IdleProgress) => void }>().toExtend<
      NonNullable<Parameters<Instances["waitUntilIdle"]>[1]>
    >()
    // A wait for idle does not receive the whole record.
    expectTypeOf<Sdk.IdleProgress>().not.toExtend<Sdk.WaitProgress>()
    expectTypeOf<Console>().toExtend<Sdk.Logger>()
    expectTypeOf<{ decode: "strict" }>().toExtend<Sdk.ClientOptions>()
    // @ts-expect-error -- only two values are allowed
    expectTypeOf<{ decode: "lenient" }>().toExtend<Sdk.ClientOptions>()
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
