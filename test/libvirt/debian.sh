#!/bin/bash
# Builds a Debian 12 guest in DIR from Debian packages: debian.qcow2 boots by BIOS, with cloud-init, SSH server, and
# guest agent, as Debian's own cloud images do. Nothing is mounted outside of a namespace, and no loop device is used.
# Needs: debootstrap syslinux syslinux-common mtools dosfstools e2fsprogs qemu-utils
set -euo pipefail
export PATH=$PATH:/sbin:/usr/sbin LC_ALL=C
out=$(mkdir -p "${1:?}" && readlink -f "$1"); work=$out/work; root=$work/root
if [ -z "${IN_NAMESPACE:-}" ]; then IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$out"; fi
mkdir -p "$work"; cd "$work"
mirror=$(apt-get indextargets 'Created-By: Packages' 'Codename: bookworm' --format '$(REPO_URI)' | head -1)

# What Debian's image "genericcloud" has, as far as it matters here.
packages=linux-image-cloud-amd64,initramfs-tools,systemd-sysv,dbus,udev,netplan.io,iproute2,openssh-server,cloud-init
packages+=,cloud-guest-utils,fdisk,e2fsprogs,qemu-guest-agent
packages+=,python3-cffi-backend # cloud-init needs it under a virtual name, which debootstrap does not follow
mkdir -p "$root/etc/dpkg/dpkg.cfg.d"
printf 'force-unsafe-io\npath-exclude=/usr/share/%s/*\n' doc man locale > "$root/etc/dpkg/dpkg.cfg.d/small"
debootstrap --variant=minbase --include="$packages" bookworm "$root" "$mirror" > debootstrap.log
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

# Only the drivers of the root file system, and of the drive that cloud-init looks for: a small initial file system loads
# fast under emulation.
echo MODULES=list > "$root/etc/initramfs-tools/conf.d/modules"
printf '%s\n' virtio_pci virtio_blk ext4 virtio_scsi sr_mod > "$root/etc/initramfs-tools/modules"
mount -t proc proc "$root/proc"
chroot "$root" update-initramfs -u > initramfs.log
umount "$root/proc"
echo '/dev/vda2 / ext4 errors=remount-ro 0 1' > "$root/etc/fstab"
echo 'locale: false' > "$root/etc/cloud/cloud.cfg.d/10-no-locales.cfg"
rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/hostname"; : > "$root/etc/machine-id"

# A FAT partition with the boot loader, and the root file system behind it, which can grow.
boot=48; system=900; sectors=2048
rm -f disk.raw; truncate -s $((1 + boot + system))M disk.raw
rm -f boot.raw; mkfs.fat -n BOOT -C boot.raw $((boot * 1024)) > /dev/null; syslinux -i boot.raw
cp "$root"/boot/vmlinuz-* vmlinuz; cp "$root"/boot/initrd.img-* initrd.img; rm -f "$root"/boot/*
printf 'DEFAULT l\nPROMPT 0\nTIMEOUT 1\nLABEL l\n KERNEL vmlinuz\n INITRD initrd.img\n APPEND %s\n' \
  "root=/dev/vda2 ro console=tty0 console=ttyS0 net.ifnames=0 quiet" > syslinux.cfg
mcopy -i boot.raw vmlinuz initrd.img syslinux.cfg ::
rm -f root.raw; mke2fs -q -t ext4 -L root -d "$root" root.raw ${system}M
copy() { dd if="$1" of=disk.raw bs=1M seek="$2" conv=notrunc,sparse status=none; }
copy boot.raw 1; copy root.raw $((1 + boot))
# The partition table: boot flag, type, first sector, sectors.
number() { for shift in 0 8 16 24; do printf "\\x$(printf %02x $(($1 >> shift & 255)))"; done; }
partition() { printf "$1\\0\\0\\0$2\\0\\0\\0"; number $(($3 * sectors)); number $(($4 * sectors)); }
dd if=/usr/lib/syslinux/mbr/mbr.bin of=disk.raw conv=notrunc status=none
{ printf 'VPS0\0\0'; partition '\x80' '\x0c' 1 $boot; partition '\0' '\x83' $((1 + boot)) $system; } |
  dd of=disk.raw bs=1 seek=440 conv=notrunc status=none
printf '\x55\xaa' | dd of=disk.raw bs=1 seek=510 conv=notrunc status=none
qemu-img convert -O qcow2 disk.raw "$out/debian.qcow2"
cd "$out"; rm -rf "$work"; ls -l "$out"
