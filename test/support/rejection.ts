/** The error of a promise that must be rejected. */
import { assert } from "vitest"

export const rejection = async (promise: Promise<unknown> | undefined): Promise<Error> => {
  const outcome = await Promise.resolve(promise).then((value) => ({ value }), (error: unknown) => ({ error }))
  return "error" in outcome
    ? outcome.error as Error
    : assert.fail(`It was resolved with ${JSON.stringify(outcome.value)}.`)
}
