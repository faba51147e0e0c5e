data "vps_backups" "web" {
  instance_id = "1"
}

output "backups" {
  value = data.vps_backups.web.backups[*].created_at
}
