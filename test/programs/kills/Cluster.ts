/** The processes of the bank test: the service over one database, which can be killed and restarted. */
import type { CommandName, InputOf, ResultOf } from "#service/contract/operator/Commands"

export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

export type Query = (sql: string) => Promise<Rows>

export interface Cluster {
  readonly name: string
  /** Of each process, with `/api/v1`; a process that comes back has the same. */
  readonly urls: ReadonlyArray<string>
  /** Executes an operator's command, retrying until a process is up. Rejects when it is refused. */
  readonly command: <Name extends CommandName>(name: Name, input: InputOf<Name>) => Promise<ResultOf<Name>>
  /** Kills something by SIGKILL, something else each turn, and has it back when this ends; returns what it was. */
  readonly strike: (turn: number) => Promise<string>
  /** Runs SQL on the database, with the service out of the way where it has to be. */
  readonly apart: <A>(run: (query: Query) => Promise<A>) => Promise<A>
  /** Ends everything and removes it. */
  readonly close: () => Promise<void>
}

/** Repeats what fails because a process is down; `isFinal` tests for failures that are responses. */
export const untilDone = async <A>(run: () => Promise<A>, isFinal: (cause: unknown) => boolean): Promise<A> => {
  for (;;) {
    try {
      return await run()
    } catch (cause) {
      if (isFinal(cause)) throw cause
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
