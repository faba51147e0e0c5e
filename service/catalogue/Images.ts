/** The images that can be installed on a plan, and the SSH keys that go with them. */
import * as Effect from "effect/Effect"
import { InvalidField } from "../domain/Errors.ts"
import { sshKeyProblem } from "../domain/SshKey.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import type { Image, Plan } from "../persistence/catalogue/Plan.ts"

/** The image of a slug. Fails with `InvalidField` if the plan's data center does not offer it. */
export const offeredImage = Effect.fnUntraced(function*({ dataCenterId }: Pick<Plan, "dataCenterId">, slug: string) {
  const catalogue = yield* Catalogue
  const image = yield* catalogue.image(dataCenterId, slug)
  if (image !== undefined) return image
  const offered = (yield* catalogue.images(dataCenterId)).map((one) => one.slug).join(", ")
  return yield* new InvalidField({
    field: "os",
    problem: `"${slug}" is not available for this plan; available: ${offered}`
  })
})

/** Fails with `InvalidField` if the key cannot be installed with the image. */
export const checkKey = Effect.fnUntraced(function*({ family }: Image, key: string | null | undefined) {
  if (key === null || key === undefined) return
  const problem = family === "windows" ? "cannot be installed on Windows" : sshKeyProblem(key)
  if (problem !== undefined) return yield* new InvalidField({ field: "ssh_pubkey", problem })
})
