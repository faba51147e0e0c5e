/** The roles of people in the panel: a customer uses accounts of which they are a member, an operator runs the host. */
export const ROLES = ["customer", "operator"] as const

export type Role = typeof ROLES[number]
