# Manages an existing instance; nothing is charged. Pass its id: tofu apply -var instance_id=7
#
# tofu plan -generate-config-out=generated.tf writes the resource for an import block without one.
terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

provider "vps" {
  idempotency_scope = "adopted-${terraform.workspace}"
}

variable "instance_id" {
  type        = number
  description = "An instance of the account; the data source vps_instances lists them."
}

data "vps_instance" "old" {
  instance_id = var.instance_id
}

resource "vps_instance" "old" {
  name              = "old"
  plan              = data.vps_instance.old.plan
  adopt_instance_id = var.instance_id # its deletion policy is then "forget"
}

output "address" {
  value = vps_instance.old.ipv4
}
