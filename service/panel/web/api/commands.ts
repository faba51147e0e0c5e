/** The operators' commands, with the types of their contract: the schemas stay out of the page. */
import type { InputOf, PanelCommand, ResultOf } from "../../../contract/operator/Commands.ts"
import { send } from "./calls.ts"
import { type Query, refresh, useQuery, withInput } from "./query.ts"

export type { InputOf, PanelCommand, ResultOf, RowOf } from "../../../contract/operator/Commands.ts"

/** Rows that a list shows at most; the search finds the rest. */
export const ROWS = 1000

/** A command without required fields can be called without input. */
export type CommandInput<Name extends PanelCommand> = Record<never, never> extends InputOf<Name> ?
  [input?: InputOf<Name>]
  : [input: InputOf<Name>]

export const useCommand = <Name extends PanelCommand>(name: Name, ...[input = {}]: CommandInput<Name>) =>
  useQuery(withInput(`/operator/commands/${name}`, input)) as Query<ResultOf<Name>>

/** Executes a command, and then reads the operators' lists again: most commands change several lists. */
export const execute = async <Name extends PanelCommand>(name: Name, ...[input = {}]: CommandInput<Name>) => {
  const body = input as Readonly<Record<string, unknown>>
  const result = await send("POST /operator/commands/:name", { params: { name }, body })
  refresh("/operator")
  return result as ResultOf<Name>
}

/** A function that executes a command and reports a text as success. */
export const act = <Name extends PanelCommand>(name: Name, input: InputOf<Name>, text: string) => async () => {
  await execute(name, ...[input] as unknown as CommandInput<Name>)
  return text
}
