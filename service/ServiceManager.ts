/** The service manager that started this process: systemd, for a unit of `Type=notify`. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { execFile } from "node:child_process"

/** Node.js has no datagram sockets of files, so systemd's own program sends the message. */
const PROGRAM = "systemd-notify"

/** Milliseconds that the program may take: systemd answers at once. */
const PATIENCE_MILLIS = 10_000

/** Says that the service takes requests: `systemctl start` returns, and units that are ordered after this one start. */
export const notifyReady = Effect.gen(function*() {
  const socket = yield* Config.option(Config.String("NOTIFY_SOCKET"))
  if (Option.isNone(socket)) return
  yield* Effect.callback<void, Error>((resume) => {
    const child = execFile(
      PROGRAM,
      ["--ready"],
      { timeout: PATIENCE_MILLIS },
      (error) => resume(error === null ? Effect.void : Effect.fail(error))
    )
    return Effect.sync(() => void child.kill())
  })
}).pipe(
  Effect.catch((error) =>
    Effect.logError(
      `systemd has no message that the service is ready: ${error.message}. Install ${PROGRAM}, or set Type=exec in `
        + "the unit."
    )
  )
)
