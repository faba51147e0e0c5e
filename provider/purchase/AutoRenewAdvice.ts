/** Advice to turn the automatic renewal on or off, where the customer can do it. A part of a sentence. */
export const autoRenewAdvice = (to: "on" | "off", id: number, panel: string | undefined): string =>
  panel === undefined ? `ask the host to turn ${to} auto_renew` : `turn ${to} auto_renew at ${panel}/instances/${id}`
