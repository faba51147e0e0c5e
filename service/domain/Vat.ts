/** The value-added tax (VAT) in prices and charges. */
import type { Treatment } from "../contract/Words.ts"
import { fraction, type Minor, toAmount } from "./Money.ts"

/** Rates are basis points: 1900 is 19 %. */
export type BasisPoints = number

/** 100 % in basis points. */
const WHOLE = 10_000

/** The seller's home rate, which catalog prices include: 19 %. */
export const HOME_RATE: BasisPoints = 1900

export interface CustomerVat {
  readonly treatment: Treatment
  /** The customer's own rate; applies to domestic and oss only. */
  readonly rate: BasisPoints
}

export interface Price {
  readonly gross: Minor
  readonly net: Minor
  readonly vat: Minor
  readonly rate: BasisPoints
  readonly treatment: Treatment
  /** The amount that the wallet pays. */
  readonly charge: Minor
  /** The amount in the customer's price list. */
  readonly display: Minor
}

/** VAT contained in a gross amount, rounded half up. */
const vatWithin = (gross: Minor, rate: BasisPoints): Minor => fraction(gross, rate, WHOLE + rate)

/** The amount that the wallet pays, and the VAT in it. */
export type Charge = Pick<Price, "charge" | "vat">

/** A charge with its VAT: only domestic and oss customers pay VAT. */
export const chargeOf = (amount: Minor, { rate, treatment }: CustomerVat): Charge => ({
  charge: amount,
  vat: treatment === "domestic" || treatment === "oss" ? vatWithin(amount, rate) : 0
})

/** Domestic and oss customers pay the gross price; all others the net computed with the home rate. */
export const price = (gross: Minor, customer: CustomerVat): Price => {
  const { treatment } = customer
  if (treatment === "domestic" || treatment === "oss") {
    const vat = vatWithin(gross, customer.rate)
    return { gross, net: gross - vat, vat, rate: customer.rate, treatment, charge: gross, display: gross }
  }
  const net = gross - vatWithin(gross, HOME_RATE)
  return { gross, net, vat: 0, rate: 0, treatment, charge: net, display: net }
}

/** As the API returns it; `vat_rate` is in percent. */
export const toPricing = (of: Price) => ({
  gross: toAmount(of.gross),
  net: toAmount(of.net),
  vat_rate: of.rate / 100,
  vat_amount: toAmount(of.vat),
  treatment: of.treatment,
  charge_amount: toAmount(of.charge),
  display_amount: toAmount(of.display)
})
