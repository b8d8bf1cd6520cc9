#!/bin/bash
# The first process of a machine of its own: a group as systemd delegates one, and the program in it; then the program as a person, in none.
# The kernel is told NODE and PROGRAM.
exec > /dev/console 2>&1
mount -t proc proc /proc
# Not on /tmp, where the project itself may lie.
mount -t tmpfs -o mode=1777 tmpfs /mnt
mount -t sysfs sys /sys
mount -t cgroup2 cgroup /sys/fs/cgroup
echo '+memory +pids' > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/svc.service
export PATH=/usr/bin:/bin HOME=/ TMPDIR=/mnt
(
	echo "$BASHPID" > /sys/fs/cgroup/svc.service/cgroup.procs
	exec "$NODE" "$PROGRAM"
)
cd /
setpriv --reuid=65534 --regid=65534 --clear-groups "$NODE" "$PROGRAM"
/sbin/halt -f
