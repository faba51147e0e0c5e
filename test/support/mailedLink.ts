/** Reads the mails that the mail server of a test received. */
import { setTimeout } from "node:timers/promises"

interface Received {
  readonly to: ReadonlyArray<string>
  readonly content: string
}

/** Undoes quoted-printable (RFC 2045 §6.7). */
const decode = (content: string): string =>
  content.replaceAll("=\r\n", "").replaceAll(
    /=([0-9A-F]{2})/g,
    (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))
  )

const textOf = ({ content }: Received): string => decode(content)

/** The parts of a mail in ASCII. */
export const readMail = (content: string) => {
  const end = content.indexOf("\r\n\r\n")
  const head = content.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ")
  const header = (name: string): string => new RegExp(`^${name}: (.*)$`, "mi").exec(head)?.[1]?.trim() ?? ""
  const body = content.slice(end + 4)
  const isEncoded = header("Content-Transfer-Encoding") === "quoted-printable"
  return {
    id: header("Message-ID"),
    to: header("To"),
    subject: header("Subject"),
    text: (isEncoded ? decode(body) : body).replaceAll("\r\n", "\n")
  }
}

/** Takes the next mail to an address with a text in it; waits until it arrives. The test's own timeout bounds it. */
export const nextMail = async (mails: Array<Received>, to: string, text: string): Promise<string> => {
  const at = mails.findIndex((mail) => mail.to.includes(to) && textOf(mail).includes(text))
  if (at !== -1) return textOf(mails.splice(at, 1)[0]!)
  await setTimeout(20)
  return nextMail(mails, to, text)
}

/** The link to the panel in a mail. */
export const linkIn = (mail: string): string => /https?:\/\/\S+\/panel\/[a-z-]+#[\w-]+/.exec(mail)![0]
