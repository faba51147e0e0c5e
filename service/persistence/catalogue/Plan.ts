/** Plans, images and data centers, and the columns that store them. */
import type { Minor } from "../../domain/Money.ts"
import { columns, flag } from "../Columns.ts"

export interface Plan {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly price: Minor
  readonly currency: string
  readonly billingCycle: string
  readonly category: string
  /** JSON text of the plan's specs. */
  readonly specs: string | null
  readonly dataCenterId: number
  readonly isActive: boolean
  readonly outOfStock: boolean
  readonly autoDeploy: boolean
  readonly createdAt: number
}

export type ImageFamily = "linux" | "bsd" | "windows"

export interface Image {
  readonly osId: number
  readonly slug: string
  readonly label: string
  readonly version: string
  readonly icon: string | null
  readonly family: ImageFamily
}

export interface DataCenter {
  readonly id: number
  readonly label: string
}

/** Categories whose plans can be ordered here. */
export const ORDERABLE: ReadonlyArray<string> = ["vps", "dedicated"]

/** Virtual machines can be resized, and have snapshots and backups; dedicated ones cannot and have none. */
export const isVirtual = (category: string): boolean => category === "vps"

/** An image in a data center. */
export interface Offer {
  readonly dataCenterId: number
  readonly osId: number
  readonly isDefault: boolean
}

export const PLAN = columns<Plan>({
  id: "id",
  name: "name",
  slug: "slug",
  description: "description",
  price: "price",
  currency: "currency",
  billingCycle: "billing_cycle",
  category: "category",
  specs: "specs",
  dataCenterId: "data_center_id",
  isActive: flag("is_active"),
  outOfStock: flag("out_of_stock"),
  autoDeploy: flag("auto_deploy"),
  createdAt: "created_at"
})

export const IMAGE = columns<Image>({
  osId: "os_id",
  slug: "slug",
  label: "label",
  version: "version",
  icon: "icon",
  family: "family"
})

export const DATA_CENTER = columns<DataCenter>({ id: "id", label: "label" })

export const OFFER = columns<Offer>({
  dataCenterId: "data_center_id",
  osId: "os_id",
  isDefault: flag("is_default")
})
