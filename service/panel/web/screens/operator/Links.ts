/** The addresses of the operators' screens. */

const PATH = "/panel/operator"

export const instanceHref = (id: number): string => `${PATH}/instances/${id}`

export const accountHref = (id: number): string => `${PATH}/accounts/${id}`

/** A list with its filters. */
export const listHref = (
  list: "accounts" | "audit" | "bookings" | "instances" | "tasks",
  filters: Readonly<Record<string, string>> = {}
): string => {
  const query = new URLSearchParams(filters).toString()
  return `${PATH}/${list}${query === "" ? "" : `?${query}`}`
}
