/** A real mail server in this process. */
import * as Effect from "effect/Effect"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

const refusal = () => Object.assign(new Error("No mail for you"), { responseCode: 550 })

interface Received {
  readonly user: string | undefined
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly content: string
}

/** A mail server with the account `user:word`; can refuse every mail with 550, because of its sender or recipient. */
export const mailServer = (refuses?: "sender" | "recipient") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const mails: Array<Received> = []
      const tried = { count: 0 }
      const server = new SMTPServer({
        allowInsecureAuth: true,
        disabledCommands: ["STARTTLS"],
        onAuth: ({ password, username }, _, done) =>
          password === "word" ? done(null, { user: username ?? "" }) : done(new Error("Invalid credentials")),
        onMailFrom: (_, __, done) => {
          tried.count++
          done(refuses === "sender" ? refusal() : undefined)
        },
        onRcptTo: (_, __, done) => done(refuses === "recipient" ? refusal() : undefined),
        onData: (stream, { envelope, user }, done) => {
          let content = ""
          stream.on("data", (chunk) => content += chunk).on("end", () => {
            const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
            mails.push({ user, from, to: envelope.rcptTo.map(({ address }) => address), content })
            done()
          })
        }
      })
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
      const { port } = server.server.address() as AddressInfo
      return { server, mails, tried, url: `smtp://user:word@127.0.0.1:${port}` }
    }),
    ({ server }) => Effect.promise(() => new Promise<void>((resolve) => server.close(resolve)))
  )
