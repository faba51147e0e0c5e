data "vps_account" "mine" {}

output "balance" {
  value = "${data.vps_account.mine.balance} ${data.vps_account.mine.currency}"
}
