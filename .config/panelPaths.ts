/** The addresses of the panel's screens, with the instances and the accounts of a test. */
const TABS = ["overview", "graphs", "rescue", "snapshots", "backups", "network", "resize", "settings", "activity"]

export const CUSTOMER_PATHS = [
  "/panel",
  "/panel/instances",
  "/panel/order",
  ...TABS.map((tab) => `/panel/instances/1/${tab}`),
  "/panel/instances/999",
  "/panel/wallet",
  "/panel/keys",
  "/panel/people",
  "/panel/activity",
  "/panel/account",
  "/panel/mails",
  "/panel/profile",
  "/panel/emulator",
  "/panel/emulator-mails",
  "/panel/components",
  "/panel/nothing"
]

/** With an account and an instance of the seeded customer. */
export const OPERATOR_PATHS = [
  "/panel/operator",
  "/panel/operator/accounts",
  "/panel/operator/accounts/1",
  "/panel/operator/accounts/1/instances",
  "/panel/operator/accounts/1/money",
  "/panel/operator/accounts/1/people",
  "/panel/operator/accounts/1/keys",
  "/panel/operator/instances",
  "/panel/operator/instances/1",
  "/panel/operator/tasks",
  "/panel/operator/tasks?id=1",
  "/panel/operator/catalogue",
  "/panel/operator/announcements",
  "/panel/operator/hosts",
  "/panel/operator/audit",
  "/panel/operator/bookings"
]
