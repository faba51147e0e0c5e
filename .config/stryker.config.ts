/** What `npm run mutation` mutates, and which tests have to notice: the rules that money and trust hang on. */

export interface Group {
  readonly name: string
  readonly mutate: ReadonlyArray<string>
  /** Run against each mutant. Only those that speak about these rules: whatever else notices would be luck. */
  readonly tests: ReadonlyArray<string>
}

export const GROUPS: ReadonlyArray<Group> = [
  {
    name: "money",
    mutate: [
      "service/domain/{Money,Vat,Proration,Coupon,Calendar}.ts",
      "service/ledger/*.ts",
      "service/billing/*.ts",
      "service/orders/{Quote,Coupon,PlaceOrder,PreviewOrder}.ts"
    ],
    tests: [
      "test/domain/{money,coupon,proration,calendar}.test.ts",
      "test/ledger/*.test.ts",
      // Not billing/history.test.ts: what its random histories notice is luck, and each takes seconds.
      "test/billing/{expiry,renewal,topUp,vat}.test.ts",
      "test/orders/*.test.ts"
    ]
  },
  {
    name: "states",
    mutate: ["service/domain/{InstanceMachine,InstanceStatus}.ts", "service/tasks/{Retry,Gate}.ts"],
    tests: ["test/domain/machine.test.ts", "test/tasks/{retry,gate}.test.ts"]
  },
  {
    name: "idempotency",
    mutate: ["service/idempotency/*.ts", "service/orders/Replay.ts"],
    tests: ["test/idempotency/*.test.ts", "test/orders/placeOrder.test.ts"]
  },
  {
    name: "auth",
    mutate: [
      "service/auth/*.ts",
      "service/Secret.ts",
      "service/http/Authorization.ts",
      "service/ratelimit/*.ts",
      "service/domain/{Gcra,SshKey}.ts",
      "sdk/contract/Scope.ts"
    ],
    tests: [
      "test/auth/*.test.ts",
      "test/contract/scope.test.ts",
      "test/domain/{gcra,sshKey}.test.ts",
      "test/http/{authorization,rateLimits}.test.ts",
      "test/ratelimit/*.test.ts"
    ]
  }
]

/** The least share of a group's mutants that its tests must notice, in percent. */
export const LEAST_PERCENT = 90

/** Working copies, reports: all in one ignored folder. */
export const FOLDER = ".stryker"

/** How `vitest.mutation.config.ts`, in Stryker's processes, learns which tests to run; a JSON list of patterns. */
export const TESTS = "VPS_MUTATION_TESTS"
