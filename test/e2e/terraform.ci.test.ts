/** The built Terraform provider on the real `tofu` and `terraform`: promises, arguments, crashes. */
import { TERRAFORM } from "../engine/scenarios.ts"
import { ON_REAL_ENGINES } from "../engine/scenarios/terraform.ts"
import { testCrashesOnCommand, testScenariosOnCommand } from "../engine/terraform/terraformTests.ts"

/** The state of the real engine after a kill shows in these rows; `terraform.long.test.ts` plays all. */
const ROWS = new Set(["create, the provider alone is killed", "resize, with a refresh after the kill"])

/** Of these the two engines have code of their own; `terraform.long.test.ts` plays everything on both. */
const ON_TERRAFORM = [
  "a saved plan is killed after its purchase, and applied again: the same instance, one charge",
  "Ctrl-C during a wait: the id is in the state, and the next apply continues",
  "imports: by block with generated configuration, then by command; neither plans a change"
]

testScenariosOnCommand("tofu", { ...TERRAFORM.onTofu, ...ON_REAL_ENGINES })
testCrashesOnCommand("tofu", "changes", (name) => ROWS.has(name))
testScenariosOnCommand("terraform", Object.fromEntries(ON_TERRAFORM.map((name) => [name, ON_REAL_ENGINES[name]!])))
