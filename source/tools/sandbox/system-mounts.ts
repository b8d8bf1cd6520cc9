import {dirname} from 'node:path';
import type {Mount, PlanWorld} from './plan.ts';

/** Read-only, where they are there; links among them stay links. */
export const systemFolders: readonly string[] = [
	'/usr',
	'/bin',
	'/sbin',
	'/lib',
	'/lib32',
	'/lib64',
	'/libx32',
	'/nix/store',
	'/run/current-system/sw',
];

/** What programs read of `/etc`. Names of hosts are not looked up inside: without `resolv.conf`. */
const systemFiles: readonly string[] = [
	'/etc/alternatives',
	'/etc/ld.so.cache',
	'/etc/ld.so.conf',
	'/etc/ld.so.conf.d',
	'/etc/ssl/certs',
	'/etc/ssl/openssl.cnf',
	'/etc/pki/tls/certs',
	'/etc/pki/tls/cert.pem',
	'/etc/pki/ca-trust/extracted',
	'/etc/ca-certificates',
	'/etc/localtime',
	'/etc/timezone',
	'/etc/os-release',
	'/etc/debian_version',
	'/etc/nsswitch.conf',
	'/etc/protocols',
	'/etc/services',
	'/etc/mime.types',
	'/etc/inputrc',
	'/etc/terminfo',
	'/etc/perl',
	'/etc/python3',
	'/etc/java-17-openjdk',
	'/etc/java-21-openjdk',
	'/etc/fonts',
	'/etc/magic',
];

/** The system's folders and files, read-only, and accounts of our own. */
export const systemMounts = (world: PlanWorld): readonly Mount[] => [
	...systemFolders.flatMap((path): readonly Mount[] => {
		const link = dirname(path) === '/' ? world.linkOf(path) : undefined;
		const found = world.find(path);
		return link !== undefined
			? [{kind: 'link', to: link, path}]
			: found?.kind === 'folder'
				? [{kind: 'read', from: found.real, path}]
				: [];
	}),
	...systemFiles.flatMap((path): readonly Mount[] => {
		const found = world.find(path);
		return found?.kind === 'folder' || found?.kind === 'file'
			? [{kind: 'read', from: found.real, path}]
			: [];
	}),
	...accounts(world),
];

/** The person and root, without the names of others. */
function accounts({uid, gid, userHome}: PlanWorld): readonly Mount[] {
	const home = userHome.replaceAll(/[:\n]/g, '_');
	const [root, person] = [
		`root:x:0:0::${uid === 0 ? home : '/'}:/bin/bash\n`,
		`user:x:${uid}:${gid}::${home}:/bin/bash\n`,
	];
	return [
		{kind: 'text', path: '/etc/passwd', text: uid === 0 ? root : root + person},
		{
			kind: 'text',
			path: '/etc/group',
			text: gid === 0 ? 'root:x:0:\n' : `root:x:0:\nuser:x:${gid}:\n`,
		},
		{kind: 'text', path: '/etc/hosts', text: '127.0.0.1 localhost sandbox\n::1 localhost\n'},
	];
}
