import * as Schema from "effect/Schema"

/** The command was not executed. `message` says why, and how to fix it. */
export class CommandRejected extends Schema.TaggedError<CommandRejected>()("CommandRejected", {
  message: Schema.String,
  /** True if the input is malformed in any state of the service: the command line exits with another code then. */
  isUsage: Schema.Boolean
}) {}

export const reject = (message: string) => new CommandRejected({ message, isUsage: false })

export const rejectUsage = (message: string) => new CommandRejected({ message, isUsage: true })

/** An unknown id, for a thing that has a command `<thing>s list`. */
export const notFound = (thing: "account" | "instance" | "key" | "plan" | "task", id: number) =>
  reject(`${thing[0]!.toUpperCase()}${thing.slice(1)} ${id} not found. Run "${thing}s list" to see all ${thing}s.`)
