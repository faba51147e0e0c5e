/** The service manager that started this process: systemd, for a unit of `Type=notify`. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { execFile } from "node:child_process"

/** Node.js has no datagram sockets of files, so systemd's own program sends the message. */
const PROGRAM = "systemd-notify"

/** Milliseconds that the program may take: systemd answers at once. */
const PATIENCE_MILLIS = 10_000

/** Sends messages to systemd; none without it. */
const notify = (...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const socket = yield* Config.option(Config.String("NOTIFY_SOCKET"))
    if (Option.isNone(socket)) return
    yield* Effect.callback<void, Error>((resume) => {
      const child = execFile(
        PROGRAM,
        messages,
        { timeout: PATIENCE_MILLIS },
        (error) => resume(error === null ? Effect.void : Effect.fail(error))
      )
      return Effect.sync(() => void child.kill())
    })
  }).pipe(
    Effect.catch((error) =>
      Effect.logError(
        `systemd has no message of the state of the service: ${error.message}. Install ${PROGRAM}, or set Type=exec `
          + "in the unit."
      )
    )
  )

/** Says that the service takes requests: `systemctl start` returns, and units that are ordered after this one start. */
export const notifyReady = notify("--ready", "--status=Ready.")

/** Says in `systemctl status` why the service is not ready yet. */
export const notifyWaiting = (reason: string) => notify(`--status=Waiting: ${reason}`)
