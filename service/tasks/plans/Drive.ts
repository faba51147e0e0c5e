/** The virtual drive. In doubt whether the drive was changed, it is set back to what our record says. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Instances } from "../../persistence/Instances.ts"
import { Isos } from "../../persistence/Isos.ts"
import { type Operation, Rejected } from "../../provisioning/Driver.ts"
import {
  type CompensatingTask,
  DEFAULT_BUDGET,
  nothingToRecord,
  PAID_BUDGET,
  type Saga,
  type TaskContext
} from "../../operations/Saga.ts"

const Params = Schema.fromJsonString(Schema.Struct({
  /** What is to be in the drive; null is nothing. */
  iso_id: Schema.NullOr(Schema.Int),
  /** What was in it before. */
  previous_id: Schema.NullOr(Schema.Int),
  /** This already sets something back. */
  undo: Schema.optionalKey(Schema.Boolean)
}))

const operationFor = Effect.fnUntraced(function*(isoId: number | null) {
  if (isoId === null) return { type: "iso_unmount" } satisfies Operation
  const iso = yield* (yield* Isos).find(isoId)
  if (iso === undefined) return yield* new Rejected({ reason: "the ISO is gone" })
  return { type: "iso_mount", iso: iso.fileName } satisfies Operation
})

const undoOf = ({ iso_id: isoId, previous_id: previous }: typeof Params.Type): CompensatingTask => ({
  type: previous === null ? "iso_unmount" : "iso_mount",
  params: JSON.stringify({ iso_id: previous, previous_id: isoId, undo: true }),
  after: "doubt"
})

export const drive = ({ instance, task }: TaskContext): Saga => {
  const params = Schema.decodeEffect(Params)(task.params)
  const known = Schema.decodeOption(Params)(task.params)
  const isUndo = Option.exists(known, ({ undo }) => undo === true)
  return {
    retry: isUndo ? PAID_BUDGET : DEFAULT_BUDGET,
    steps: Effect.flatMap(params, ({ iso_id: isoId }) => Effect.map(operationFor(isoId), (operation) => [operation])),
    complete: Effect.fnUntraced(function*() {
      const { iso_id: isoId } = yield* Effect.orDie(params)
      yield* (yield* Instances).setIso(instance.id, isoId)
    }),
    fail: nothingToRecord,
    compensation: isUndo ? null : Option.match(known, { onNone: () => null, onSome: undoOf })
  }
}
