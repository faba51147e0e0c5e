/** The commands for operators' notes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { Instances } from "../../persistence/Instances.ts"
import { type Note, Notes } from "../../persistence/Notes.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { notFound, reject } from "../Input.ts"
import { addFacts, CurrentActor, type UseCases } from "../UseCases.ts"
import { findAccount } from "./Accounts.ts"

const toRecord = ({ accountId, author, createdAt, id, instanceId, text }: Note) => ({
  id,
  account_id: accountId,
  instance_id: instanceId,
  text,
  author,
  created_at: toTimestamp(createdAt)
})

/** The account of the instance, or the one in the input. */
const accountOf = Effect.fnUntraced(function*({ account_id: given, instance_id: instanceId }: InputOf<"notes.add">) {
  if (instanceId === undefined) {
    if (given === undefined) return yield* reject("Give an account or an instance.")
    return (yield* findAccount(given)).id
  }
  const instance = yield* (yield* Instances).find(instanceId)
  if (instance === undefined) return yield* notFound("instance", instanceId)
  const { accountId } = instance
  if (given === undefined || given === accountId) return accountId
  return yield* reject(`Instance ${instanceId} is of account ${accountId}, not of ${given}.`)
})

const addNote = Effect.fnUntraced(function*(input: InputOf<"notes.add">) {
  const createdAt = yield* Clock.currentTimeMillis
  const { name: author } = yield* CurrentActor
  const notes = yield* Notes
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const accountId = yield* accountOf(input)
    const note = { accountId, instanceId: input.instance_id ?? null, text: input.text, author, createdAt }
    const id = yield* notes.add(note)
    yield* addFacts({ account_id: accountId, note_id: id })
    return toRecord({ ...note, id })
  }))
})

const listNotes = Effect.fnUntraced(function*({ account_id, before, instance_id, limit }: InputOf<"notes.list">) {
  const filter = { accountId: account_id ?? null, instanceId: instance_id ?? null, before: before ?? null }
  return (yield* (yield* Notes).list(filter, limit)).map(toRecord)
})

const deleteNote = Effect.fnUntraced(function*({ id }: InputOf<"notes.delete">) {
  const notes = yield* Notes
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const note = yield* notes.find(id)
    if (note === undefined) return yield* notFound("note", id)
    yield* notes.delete(id)
    yield* addFacts({ account_id: note.accountId, instance_id: note.instanceId })
    return { id, deleted: true as const }
  }))
})

export const NOTES_USE_CASES = {
  "notes.add": addNote,
  "notes.list": listNotes,
  "notes.delete": deleteNote
} satisfies UseCases
