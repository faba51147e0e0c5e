/** The built Terraform provider on the real `tofu` and `terraform`: promises, arguments, crashes. */
import { TERRAFORM } from "../engine/scenarios.ts"
import { ON_REAL_ENGINES } from "../engine/scenarios/terraform.ts"
import {
  testCrashesOnCommand,
  testScenariosOnCommand,
  testTerraformCrashes
} from "../engine/terraform/terraformTests.ts"

/** The state of the real engine after a kill shows in this row; `terraform.long.test.ts` plays all. */
const ROWS = new Set(["create, the provider alone is killed"])

/** Ways to ask for a replacement that differ from the ones that remain in one word of the command. */
const LATER = new Set([
  "a taint keeps the instance and what is attached",
  "-replace keeps the instance and what is attached",
  "-replace of a saved plan keeps the instance and what is attached"
])
const onTofu = Object.entries(ON_REAL_ENGINES).filter(([name]) => !LATER.has(name))

/** Of these the two engines have code of their own; `terraform.long.test.ts` plays everything on both. */
const ON_TERRAFORM = [
  "a saved plan is killed after its purchase, and applied again: the same instance, one charge",
  "Ctrl-C during a wait: the id is in the state, and the next apply continues",
  "an import by a block with generated configuration, or by command, plans no change"
]

testScenariosOnCommand("tofu", { ...TERRAFORM.onTofu, ...Object.fromEntries(onTofu) })
testTerraformCrashes("changes", (name) => name === "create")
testCrashesOnCommand("tofu", "changes", (name) => ROWS.has(name))
testScenariosOnCommand("terraform", Object.fromEntries(ON_TERRAFORM.map((name) => [name, ON_REAL_ENGINES[name]!])))
