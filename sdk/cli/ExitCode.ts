/** What the shell hears. Printed by `vps --help`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  funds: 5,
  late: 124,
  interrupted: 130
} as const
export type ExitCode = typeof EXIT[keyof typeof EXIT]

/** Each code with its meaning, for help. */
export const EXIT_CODES: ReadonlyArray<readonly [ExitCode, string]> = [
  [EXIT.done, "Done"],
  [EXIT.failed, "The service refused or failed, or could not be reached"],
  [EXIT.usage, "Wrong usage, or not confirmed; nothing was done"],
  [EXIT.notFound, "No such instance, plan, snapshot, ... in this account"],
  [EXIT.auth, "Not logged in, or the API key is invalid or lacks a scope"],
  [EXIT.funds, "The wallet does not cover the charge; nothing was charged"],
  [EXIT.late, "A wait took longer than its --timeout"],
  [EXIT.interrupted, "Interrupted (Ctrl-C)"]
]
