# Instances of different sizes, and what they cost: tofu plan shows each charge and their sum
terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

provider "vps" {
  idempotency_scope    = "fleet-${terraform.workspace}"
  max_charge_per_apply = 60
}

locals {
  servers = {
    web-1 = "vps-s"
    web-2 = "vps-s"
    db    = "vps-m"
  }
}

resource "vps_instance" "server" {
  for_each = local.servers

  name            = each.key   # a new key is another purchase
  plan            = each.value # another plan is a resize
  os              = "debian-13"
  hostname        = "${each.key}.example.com"
  deletion_policy = "stop"
}

output "addresses" {
  value = { for name, server in vps_instance.server : name => server.ipv4 }
}

# Amounts in cents, because sums of decimals are not exact.
output "charge_cents" {
  value = sum([for server in vps_instance.server : server.charge_amount_minor])
}

output "renewal_cents" {
  value = sum([for server in vps_instance.server : server.renewal_price_minor])
}
