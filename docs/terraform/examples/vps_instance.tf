resource "vps_instance" "web" {
  name            = "web"
  plan            = "vps-s"
  os              = "debian-13"
  hostname        = "web.example.com"
  max_charge      = 10     # the plan fails if the charge is higher
  deletion_policy = "stop" # destroy powers it off: the API cannot end a contract
}

output "address" {
  value = vps_instance.web.ipv4
}

output "paid_until" {
  value = vps_instance.web.expires_at
}
