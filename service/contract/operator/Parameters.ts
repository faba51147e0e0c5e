/** Inputs that several commands have, with their texts. */
import { Id, Name, Rows } from "../Fields.ts"
import { argument, flag, optional } from "./Define.ts"

export const account = () => argument(Id, "account", "The account's id")
export const instance = () => argument(Id, "instance", "The instance's id")
export const limit = () => flag(Rows, "Maximum number of rows, 1 to 1000", { initial: 100 })

/** The readers of a reason are said with it. */
export const reason = (readers: string) => flag(Name, `The reason, ${readers}`)

/** For a command that lists the newest first. */
export const before = (rows: string, field = "id") =>
  optional(Id, `Only ${rows} before this ${field}, for the next page`)
