import * as Schema from "effect/Schema"

/** The command was not executed. `message` says why, and how to fix it. */
export class CommandRejected extends Schema.TaggedError<CommandRejected>()("CommandRejected", {
  message: Schema.String
}) {}

export const reject = (message: string) => new CommandRejected({ message })

/** An unknown id, for a thing that has a command `<thing>s list`. */
export const notFound = (thing: "account" | "instance" | "key" | "plan" | "task", id: number) =>
  reject(`${thing[0]!.toUpperCase()}${thing.slice(1)} ${id} not found. Run "${thing}s list" to see all ${thing}s.`)
