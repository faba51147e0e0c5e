/** The kit's plain types are those that the service defines as schemas: the compiler compares them. */
import type { CatalogueDocument } from "#service/contract/operator/Catalogue"
import { type CommandName, CONTRACT, type InputOf, type ResultOf } from "#service/contract/operator/Commands"
import type { DeployMode, JournalKind, Treatment } from "#service/contract/Words"
import type { OperationType } from "#service/provisioning/Driver"
import type { OperationName } from "#sdk/client/calls/Endpoints"
import type * as Kit from "#sdk/testing/OperatorCommands"
import { assert, describe, it } from "vitest"

/** True if each type may stand for the other. */
type Same<Left, Right> = [Left, Right] extends [Right, Left] ? true : false

type Different = {
  [Name in CommandName]: Same<InputOf<Name>, Kit.InputOf<Name>> extends true
    ? Same<ResultOf<Name>, Kit.ResultOf<Name>> extends true ? never : Name
    : Name
}[CommandName]

const SAME: readonly [
  Same<CommandName, Kit.CommandName>,
  Same<Different, never>,
  Same<CatalogueDocument, Kit.CatalogueDocument>,
  Same<DeployMode, Kit.DeployMode>,
  Same<JournalKind, Kit.JournalKind>,
  Same<OperationName, Kit.OperationName>,
  Same<OperationType, Kit.OperationType>,
  Same<Treatment, Kit.Treatment>
] = [true, true, true, true, true, true, true, true]

describe("the types of the testing kit", () => {
  it("are those of the service, for every command", () => {
    assert.isTrue(SAME.every((one) => one))
    assert.isAbove(Object.keys(CONTRACT).length, 0)
  })
  it("reject an input that a command does not take", () => {
    // @ts-expect-error the field is `id`
    const input: Kit.InputOf<"instances.suspend"> = { idd: 1, reason: "abuse" }
    assert.isDefined(input)
  })
})
