/** `vps-service admin` and `config` in the test's process: the program without the start of one for each command. */
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { program } from "#service/admin/cli/Program"
import { adminWith, type Ran } from "./command.ts"

const textOf = (calls: ReadonlyArray<ReadonlyArray<unknown>>, end = "") =>
  calls.map(([text]) => `${String(text)}${end}`).join("")

/** Runs one command. */
export const runProgram = async (args: ReadonlyArray<string>): Promise<Ran> => {
  const log = vi.spyOn(console, "log").mockReturnValue()
  const [out, error] = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockReturnValue(true))
  try {
    const code = await Effect.runPromise(program(args))
    // Help is logged, and results are written.
    const stdout = textOf(log.mock.calls, "\n") + textOf(out!.mock.calls)
    return { code, stdout, stderr: textOf(error!.mock.calls) }
  } finally {
    for (const spy of [log, out, error]) spy!.mockRestore()
  }
}

export const adminProgramOf = adminWith(runProgram)
