# An instance with its PTR record and a snapshot: tofu plan, tofu apply
terraform {
  required_providers {
    vps = { source = "pulumi-vps/vps" }
  }
}

provider "vps" {
  idempotency_scope    = "example-${terraform.workspace}" # two workspaces never share an instance
  max_charge_per_apply = 20
}

resource "vps_instance" "web" {
  name            = "web"
  plan            = "vps-s"
  os              = "debian-13"
  hostname        = "web.example.com"
  deletion_policy = "stop" # destroy powers it off: the API cannot end a contract
}

resource "vps_reverse_dns" "web" {
  instance_id = vps_instance.web.id
  ip          = vps_instance.web.ipv4
  ptr         = vps_instance.web.hostname
}

resource "vps_snapshot" "as_installed" {
  instance_id = vps_instance.web.id
  name        = "as-installed"
}

output "address" {
  value = vps_instance.web.ipv4
}

output "paid_until" {
  value = vps_instance.web.expires_at
}
