data "vps_instances" "all" {}

output "addresses" {
  value = { for instance in data.vps_instances.all.instances : instance.id => instance.ipv4 }
}
