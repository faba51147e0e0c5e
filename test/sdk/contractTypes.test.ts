/** The types of the SDK's endpoints are those of the contract. `npm run check -- types` checks them. */
import { describe, expectTypeOf, it } from "@effect/vitest"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Account } from "#contract/Account"
import type { Backups } from "#contract/Backups"
import type { Instances } from "#contract/Instances"
import type { Isos } from "#contract/Isos"
import type { Monitoring } from "#contract/Monitoring"
import type { Power } from "#contract/Power"
import type { Rescue } from "#contract/Rescue"
import type { Services } from "#contract/Services"
import type { Snapshots } from "#contract/Snapshots"
import type { Endpoint } from "#sdk/client/calls/Endpoint"
import type { endpoints, SnakeCase } from "#sdk/client/calls/Endpoints"

interface Contract {
  readonly account: typeof Account
  readonly services: typeof Services
  readonly instances: typeof Instances
  readonly monitoring: typeof Monitoring
  readonly power: typeof Power
  readonly snapshots: typeof Snapshots
  readonly backups: typeof Backups
  readonly isos: typeof Isos
  readonly rescue: typeof Rescue
}

type Groups = typeof endpoints
type InContract<Group extends keyof Groups, Name> = HttpApiEndpoint.WithIdentifier<
  HttpApiGroup.Endpoints<Contract[Group]>,
  Name extends "dryRun" ? "create" : SnakeCase<Name & string>
>
type Success<E> = HttpApiEndpoint.Success<E> extends { readonly Type: infer Data } ? Data : never
/** An endpoint without a body has a payload of `unknown`. */
type Body<E> = HttpApiEndpoint.Payload<E> extends { readonly Type: infer Data } ? unknown extends Data ? never : Data
  : never

type Args<Group extends keyof Groups, Name extends keyof Groups[Group]> = Groups[Group][Name] extends
  Endpoint<infer S> ? Parameters<S>[number] : never
type Data<Group extends keyof Groups, Name extends keyof Groups[Group]> = Groups[Group][Name] extends Endpoint<infer S>
  ? ReturnType<S>
  : never

/** The calls whose data is not a response of the contract. */
type WrongData = {
  [Group in keyof Groups]: {
    [Name in keyof Groups[Group]]: [Data<Group, Name>] extends [Success<InContract<Group, Name>>] ? never
      : `${Group}.${Name & string}`
  }[keyof Groups[Group]]
}[keyof Groups]

/** The calls that do not take the body of the contract. */
type WrongBody = {
  [Group in keyof Groups]: {
    [Name in keyof Groups[Group]]: [Body<InContract<Group, Name>>] extends [Args<Group, Name>] ? never
      : `${Group}.${Name & string}`
  }[keyof Groups[Group]]
}[keyof Groups]

describe("the types of the endpoints", () => {
  it("return the records of the contract", () => {
    expectTypeOf<WrongData>().toBeNever()
    expectTypeOf<Success<InContract<"power", "stop">>>().toHaveProperty("task_id")
  })

  it("take the bodies of the contract", () => {
    expectTypeOf<WrongBody>().toBeNever()
    expectTypeOf<Body<InContract<"instances", "resize">>>().toEqualTypeOf<{ readonly service_id: number }>()
  })
})
