/** The code that `npm run mutation` mutates, and the tests that have to notice: rules of money and trust. */

export interface Part {
  readonly mutate: ReadonlyArray<string>
  /** Run against each mutant. Only those that speak about these rules: any other test would notice by luck. */
  readonly tests: ReadonlyArray<string>
}

export interface Group {
  readonly name: string
  /** Pure code apart from what needs a database or a server: its tests take milliseconds, and have to suffice. */
  readonly parts: ReadonlyArray<Part>
}

export const GROUPS: ReadonlyArray<Group> = [
  {
    name: "money",
    parts: [
      {
        mutate: ["service/domain/{Money,Vat,Coupon,Period,Proration,ClockDoubt,Memoize}.ts"],
        tests: ["test/domain/{money,values,clockDoubt}.test.ts"]
      },
      {
        mutate: [
          "service/domain/Explanation.ts",
          "service/ledger/*.ts",
          "service/billing/*.ts",
          "service/operations/Renew.ts"
        ],
        tests: ["test/ledger/*.test.ts", "test/billing/*.test.ts", "test/admin/accounts.test.ts"]
      },
      {
        mutate: ["service/orders/{Quote,PlaceOrder,PreviewOrder}.ts"],
        tests: ["test/orders/*.test.ts"]
      }
    ]
  },
  {
    name: "states",
    parts: [
      {
        mutate: ["service/domain/InstanceMachine.ts", "service/tasks/{Retry,Gate}.ts"],
        tests: ["test/domain/machine.test.ts", "test/tasks/{retry,gate}.test.ts"]
      }
    ]
  },
  {
    name: "idempotency",
    parts: [
      {
        mutate: ["service/idempotency/*.ts"],
        tests: ["test/idempotency/*.test.ts", "test/orders/{placeOrder,records}.test.ts"]
      }
    ]
  },
  {
    name: "auth",
    parts: [
      {
        mutate: [
          "service/auth/{ApiKeyToken,MissingSecrets}.ts",
          "service/config/Secret.ts",
          "service/ratelimit/Buckets.ts",
          "service/domain/{Gcra,SshKey}.ts",
          "sdk/contract/Scope.ts"
        ],
        tests: [
          "test/auth/{apiKeyToken,secrets}.test.ts",
          "test/contract/scope.test.ts",
          "test/domain/{gcra,values}.test.ts",
          "test/ratelimit/buckets.test.ts"
        ]
      },
      {
        mutate: ["service/auth/{Authentication,Keys}.ts"],
        tests: [
          "test/auth/{authentication,keyCache,keys}.test.ts",
          "test/http/authorization.test.ts",
          "test/security/accessMatrix.test.ts"
        ]
      },
      {
        mutate: [
          "service/http/{middleware/Authorization,decoding/RequestDecoder,handlers/ApiRoutes}.ts",
          "service/ratelimit/{CreateRateLimits,RequestRateLimits}.ts"
        ],
        tests: [
          "test/ratelimit/*.test.ts",
          "test/http/{authorization,rateLimits,bodies,validation,creates,checkOrder}.test.ts",
          "test/security/accessMatrix.test.ts"
        ]
      }
    ]
  },
  {
    name: "panel",
    parts: [
      {
        mutate: [
          "service/people/{AccountKeys,Invite,Links,Members,PasskeyDomain,PasskeyUse,SignIn,WebAuthn}.ts",
          "service/panel/http/Cookie.ts"
        ],
        tests: ["test/panel/{challenges,invitations,lifetimes,requests}.test.ts"]
      },
      {
        mutate: ["service/people/RefusedSignIns.ts", "service/panel/http/{Permission,Rates,Visitor}.ts"],
        tests: ["test/panel/{passkeys,refusedSignIns,requests,roles,session}.test.ts"]
      },
      {
        mutate: ["service/audit/*.ts"],
        tests: ["test/audit/*.test.ts"]
      }
    ]
  }
]

/** The least share of a group's mutants that its tests must notice, in percent. */
export const LEAST_PERCENT = 90

/** Working copies, reports: all in one ignored folder. */
export const FOLDER = ".stryker"

/** The variable with the tests that `vitest.mutation.config.ts` runs in Stryker; a JSON list of patterns. */
export const TESTS = "VPS_MUTATION_TESTS"
