/** The whole crash matrix and all scenarios: on the test engine with every kill, and on the real engines. */
import { TERRAFORM } from "../engine/scenarios.ts"
import { ON_REAL_ENGINES } from "../engine/scenarios/terraform.ts"
import { COMMANDS } from "../engine/terraform/Cli.ts"
import {
  testCrashesOnCommand,
  testScenariosOnCommand,
  testTerraformCrashes,
  testTerraformScenarios
} from "../engine/terraform/terraformTests.ts"

testTerraformScenarios(TERRAFORM.all)
testTerraformCrashes("every")
for (const command of COMMANDS) {
  testScenariosOnCommand(command, { ...TERRAFORM.all, ...ON_REAL_ENGINES })
  testCrashesOnCommand(command, "changes")
}
