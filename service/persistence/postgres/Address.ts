/** Where a PostgreSQL database is: a URL, as every program of PostgreSQL takes it. */

/** Whether a database is named by such a URL, and not by the path of a file. */
export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//.test(database)

/** The same without what only its owner may know: for logs, messages and lists. */
export const withoutPassword = (url: string): string => {
  if (!URL.canParse(url)) return "postgres://(unreadable, not shown)"
  const shown = new URL(url)
  if (shown.password !== "") shown.password = "***"
  for (const word of ["password", "sslpassword"]) {
    if (shown.searchParams.has(word)) shown.searchParams.set(word, "***")
  }
  return shown.href
}

/** For messages: which database, where; as it is written. */
export const nameOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `The database "${pathname.slice(1)}" at ${host || "the local socket"}`
}
