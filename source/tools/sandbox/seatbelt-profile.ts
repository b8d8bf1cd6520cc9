import {dirname, join} from 'node:path';
import {wordsOf} from '../../core/names.ts';
import type {insidePorts} from './egress.ts';
import {isInside} from './places.ts';
import type {SandboxPlan} from './plan.ts';

/** Replaces the root and network namespaces, which macOS lacks. */
export type SeatbeltScratch = {
	/** Absolute, without links: contains the sandbox's home, `/tmp` and `/run/svc`. Removed at its end. */
	readonly folder: string;
	/** Loopback ports of this machine in place of `insidePorts`. */
	readonly ports: Readonly<Record<keyof typeof insidePorts, number>>;
};

/** Read by every program: the loader, locales, user names. */
const alwaysRead = wordsOf(`
	/System/Library /System/Cryptexes /System/Volumes/Preboot/Cryptexes /private/etc/hosts
	/private/etc/passwd /private/etc/group /private/etc/ssl /private/var/db/dyld
	/private/var/db/timezone /private/var/select
`);

/** Services that a shell needs: user names, notifications, the log. Not the keychain, the pasteboard or launch services. */
const services = wordsOf(`
	com.apple.system.opendirectoryd.libinfo com.apple.system.opendirectoryd.membership
	com.apple.system.notification_center com.apple.system.logger
`);

/** Only values of the machine: sysctl could also read arguments and environments of other processes. */
const kernelNames = wordsOf(`
	kern.argmax kern.hostname kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion
	kern.osrelease kern.ostype kern.osversion kern.secure_kernel kern.usrstack64 kern.version
	sysctl.proc_cputype vm.loadavg
`);

/**
 * The profile for a plan. The last matching rule applies, so the order is: listed paths, protected paths, listed paths within those.
 *
 * @throws TypeError for a path with a control character
 */
export function seatbeltProfile(
	{mounts, sockets, secrets}: Pick<SandboxPlan, 'mounts' | 'secrets' | 'sockets'>,
	{folder, ports}: SeatbeltScratch,
): string {
	const listed = (kind: 'read' | 'write') =>
		mounts.flatMap(mount => (mount.kind === kind ? [mount.from] : []));
	const covered = mounts.flatMap(({kind, path}) => (kind === 'cover' ? [path] : []));
	const denied = [...new Set([...covered, ...secrets])];
	const isOwn = (path: string) => denied.some(secret => isInside(path, secret));
	const [reads, writes] = [listed('read'), listed('write')];
	const seen = [...alwaysRead, ...reads, ...writes, folder];
	const loopback =
		sockets.length === 0 ? [] : Object.values(ports).map(port => `"localhost:${port}"`);
	return [
		'(version 1)',
		'(deny default)',
		rule('allow process-fork'),
		rule('allow process-exec', subpaths([...reads, ...writes, folder])),
		rule('allow process-info*', ['(target self)', '(target children)']),
		rule('allow signal', ['(target self)', '(target pgrp)', '(target children)']),
		rule(
			'allow mach-lookup',
			services.map(name => `(global-name "${name}")`),
		),
		rule('allow sysctl-read', [
			...kernelNames.map(name => `(sysctl-name "${name}")`),
			'(sysctl-name-prefix "hw.")',
			'(sysctl-name-prefix "machdep.cpu.")',
		]),
		rule('allow file-read* file-write-data', literals(['/dev/null', '/dev/zero'])),
		rule('allow file-read*', [
			...literals(['/', '/dev/random', '/dev/urandom']),
			'(subpath "/dev/fd")',
		]),
		rule(
			'allow file-read-metadata',
			literals([...new Set(['/private/tmp', '/tmp', '/var', '/etc', ...seen.flatMap(ancestors)])]),
		),
		rule('allow file-read* file-map-executable', subpaths(seen)),
		rule('allow file-write*', subpaths([...writes, folder])),
		rule('deny file-write*', subpaths([join(folder, 'run')])),
		rule('deny file-read* file-write* process-exec', subpaths(denied)),
		rule(
			'allow file-read* file-map-executable process-exec',
			subpaths([...reads, ...writes].filter(isOwn)),
		),
		rule('allow file-write*', subpaths(writes.filter(isOwn))),
		// Outside of the sandbox, anybody who starts such a file would run it as the gateway's user.
		rule('deny file-write-setugid'),
		// Connections among its own processes; to others only through the forwarder.
		rule('allow network*', subpaths([folder])),
		rule('allow network-outbound', literals(sockets.map(({outside}) => outside))),
		rule(
			'allow network-bind network-inbound',
			loopback.map(place => `(local ip ${place})`),
		),
		rule(
			'allow network-outbound',
			loopback.map(place => `(remote ip ${place})`),
		),
	]
		.filter(line => line !== '')
		.join('\n');
}

const subpaths = (paths: readonly string[]) => paths.map(path => `(subpath ${quoted(path)})`);

const literals = (paths: readonly string[]) => paths.map(path => `(literal ${quoted(path)})`);

/** Empty for an empty list of filters, because a rule without filters applies to everything. */
const rule = (head: string, filters?: readonly string[]): string =>
	filters?.length === 0 ? '' : `(${[head, ...(filters ?? [])].join(' ')})`;

function quoted(path: string): string {
	// oxlint-disable-next-line no-control-regex -- that is what it looks for
	if (/[\0-\x1f\x7f]/.test(path)) {
		throw new TypeError(
			`${JSON.stringify(path)} has a control character, which no profile of macOS can name`,
		);
	}

	return `"${path.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

const ancestors = (path: string): readonly string[] => {
	const above = dirname(path);
	return above === path ? [] : [above, ...ancestors(above)];
};
