resource "vps_instance" "web" {
  name = "web"
  plan = "vps-s"
}

resource "vps_snapshot" "clean" {
  instance_id = vps_instance.web.id
  name        = "clean"
}

# Change the trigger to restore again.
resource "vps_snapshot_restore" "clean" {
  instance_id     = vps_instance.web.id
  snapshot_id     = vps_snapshot.clean.snapshot_id
  triggers        = ["1"]
  allow_data_loss = true
}
