/**
 * Hands mail to a mail server. A bundled service loads this beside its bundle, and only when it has a mail server, so
 * nothing but plain values passes between the two.
 */
import { createTransport } from "nodemailer"

export interface SmtpMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Smtp {
  /** One try. Rejects with an error whose message names no content. */
  readonly send: (mail: SmtpMail) => Promise<void>
}

interface Options {
  /** `smtp:` or `smtps:`, with user and password, and options of nodemailer's in its query. */
  readonly url: string
  readonly from: string
  /** How long each step of a conversation may take, in milliseconds. */
  readonly timeout: number
}

/** The server's own words may repeat what it was given: its code says enough. */
const reasonOf = (cause: unknown): string => {
  const { code, responseCode } = cause as { readonly code?: unknown; readonly responseCode?: unknown }
  if (typeof responseCode === "number") return `the mail server answered ${responseCode}`
  return typeof code === "string" ? `the mail server cannot be used (${code})` : "the mail could not be sent"
}

/** Each mail has a connection of its own: there are few, and none is held open. */
export const open = ({ from, timeout, url }: Options): Smtp => {
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // Mail here is text that was made here: nothing in it may be read from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return {
    send: async (mail) => {
      try {
        await transport.sendMail({ ...mail, from, headers: { "Auto-Submitted": "auto-generated" } })
      } catch (cause) {
        throw new Error(reasonOf(cause), { cause })
      }
    }
  }
}
