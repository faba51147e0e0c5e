/**
 * Sends mail to a mail server. A bundled service loads this module beside its bundle, if a mail server is configured,
 * so the interface has plain values only.
 */
import { createTransport } from "nodemailer"

export interface SmtpMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Smtp {
  /** Sends a mail, in one attempt. The message of the error contains nothing of its text. */
  readonly send: (mail: SmtpMail) => Promise<void>
}

interface Options {
  /** `smtp:` or `smtps:`, with user and password, and nodemailer's options in its query. */
  readonly url: string
  readonly from: string
  /** Timeout of each step of the SMTP session, in milliseconds. */
  readonly timeout: number
}

/** Omits the server's own message, which may repeat the mail. */
const reasonOf = (cause: unknown): string => {
  const { code, responseCode } = cause as { readonly code?: unknown; readonly responseCode?: unknown }
  if (typeof responseCode === "number") return `the mail server answered ${responseCode}`
  return typeof code === "string" ? `the mail server cannot be used (${code})` : "the mail could not be sent"
}

/** Opens a connection for each mail, because there are few. */
export const open = ({ from, timeout, url }: Options): Smtp => {
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // The text is complete: nothing may be read from a file or a URL.
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
