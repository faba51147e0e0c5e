/** The mailer of the settings: the log, unless a mail server is configured. */
import type { Values } from "../config/Config.ts"
import * as LogMailer from "./LogMailer.ts"
import * as SmtpMailer from "./SmtpMailer.ts"

export const layer = ({ mailFrom, smtpUrl }: Pick<Values, "mailFrom" | "smtpUrl">) =>
  smtpUrl === "" ? LogMailer.layer : SmtpMailer.layer({ url: smtpUrl, from: mailFrom })
