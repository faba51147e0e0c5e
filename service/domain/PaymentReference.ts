/** The reference of a payment or a booking, which is booked once. */

/**
 * The form in which references are stored and compared. One that is pasted comes with spaces, line ends or another
 * case, and is the same payment.
 */
export const foldReference = (reference: string): string =>
  reference.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase()
