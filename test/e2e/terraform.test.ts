/** The built Terraform provider on the test engine: a scenario for each promise that it shares with Pulumi's hosts. */
import { TERRAFORM } from "../engine/scenarios.ts"
import { testTerraformCrashes, testTerraformScenarios } from "../engine/terraform/terraformTests.ts"

testTerraformScenarios(TERRAFORM.core)
testTerraformCrashes("changes", (name) => name === "create" || name === "create, the provider alone is killed")
