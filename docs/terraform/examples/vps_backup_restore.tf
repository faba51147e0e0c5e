resource "vps_instance" "web" {
  name = "web"
  plan = "vps-s"
}

data "vps_backups" "web" {
  instance_id = vps_instance.web.id
}

# Change the trigger to restore again.
resource "vps_backup_restore" "web" {
  instance_id     = vps_instance.web.id
  backup_id       = data.vps_backups.web.backups[0].id
  triggers        = ["1"]
  allow_data_loss = true
}
