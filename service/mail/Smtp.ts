/**
 * Sends mail to a mail server. A bundled service loads this module beside its bundle, if a mail server is configured,
 * so the interface has plain values only.
 */
import { hash } from "node:crypto"
import { createTransport } from "nodemailer"

export interface SmtpMail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** The same text for each attempt to send it; undefined if there are no others. */
  readonly id: string | undefined
}

/** Its message contains nothing of the mail's text. */
export interface SmtpError extends Error {
  /** The server permanently refuses the recipient's address. */
  readonly isRefused: boolean
}

export interface Smtp {
  /** Sends a mail, in one attempt. Fails with `SmtpError`. */
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

/** Replies to RCPT that begin with 5 are about the address; those to other commands are about the server's settings. */
const isRefused = (cause: unknown): boolean => {
  const { command, responseCode } = cause as { readonly command?: unknown; readonly responseCode?: unknown }
  return command === "RCPT TO" && typeof responseCode === "number" && responseCode >= 500
}

/** A mail with a known id is taken for one that came before, so the id has to differ between hosts. */
const messageId = (id: string, from: string, to: string): string => {
  const domain = /@([a-z\d.-]+)/i.exec(from)?.[1] ?? "localhost"
  return `<${hash("sha256", JSON.stringify([id, from, to]), "hex").slice(0, 40)}@${domain}>`
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
    send: async ({ id, ...mail }) => {
      const message = id === undefined ? {} : { messageId: messageId(id, from, mail.to) }
      try {
        await transport.sendMail({ ...mail, ...message, from, headers: { "Auto-Submitted": "auto-generated" } })
      } catch (cause) {
        throw Object.assign(new Error(reasonOf(cause), { cause }), { isRefused: isRefused(cause) })
      }
    }
  }
}
