/** The token of a mailed link. The part after `#` is never sent to a server, so it is in no log. */
export const linkToken = (): string | undefined => /^#([\w-]{20,})$/.exec(location.hash)?.[1]
