data "vps_snapshots" "web" {
  instance_id = "1"
}

output "snapshots" {
  value = data.vps_snapshots.web.snapshots[*].name
}
