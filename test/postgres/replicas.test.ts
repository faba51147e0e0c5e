/** Three processes of the service on one database are one service. */
import { expect, it } from "vitest"
import { describePostgres } from "../support/postgresProject.ts"
import { ask, sownDatabase, startReplicas } from "../support/replicas.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describePostgres("three replicas on one PostgreSQL database", () => {
  it("answer creates with one key, spread over all of them, with one instance and one charge", async () => {
    const replicas = await startReplicas(3, await sownDatabase())
    const create = (number: number) =>
      ask(replicas[number % 3]!, "POST", "/instances", {
        body: { service_id: 1 },
        headers: { "idempotency-key": "one" }
      })
    const answers = await Promise.all(numbers(12).map(create))
    expect(answers.map(({ status }) => status)).toEqual(numbers(12).map(() => 201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") !== "true")).toHaveLength(1)
    expect((await ask(replicas[1]!, "GET", "/instances")).body).toHaveLength(1)
    await Promise.all(replicas.map(({ end }) => end()))
  })
})
