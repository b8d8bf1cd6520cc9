import {dirname} from 'node:path';
import {wordsOf} from '../../core/names.ts';
import {isInside, systemFolders} from './places.ts';
import type {Mount, PlanWorld} from './plan.ts';

/** The parts of `/etc` that programs read. Without `resolv.conf`: inside there are no DNS lookups. */
const systemFiles = wordsOf(`
	/etc/alternatives /etc/ld.so.cache /etc/ssl/certs /etc/ssl/openssl.cnf /etc/pki/tls/certs
	/etc/pki/tls/cert.pem /etc/pki/ca-trust/extracted /etc/localtime /etc/os-release /etc/nsswitch.conf
	/etc/protocols /etc/services /etc/fonts /etc/java-17-openjdk /etc/java-21-openjdk
`);

/** The system's folders and files, read-only, and a made-up account list. `isOpen`: leaves room for mounts below `/etc`. */
export function systemMounts(
	world: PlanWorld,
	{isOpen}: {readonly isOpen: boolean},
): readonly Mount[] {
	const etc = etcMounts(world);
	const folder = isOpen ? undefined : world.etcOf?.(etc);
	return [
		...folderMounts(world),
		...(folder === undefined ? etc : [{kind: 'read', from: folder, path: '/etc'} as const]),
	];
}

const folderMounts = (world: PlanWorld): readonly Mount[] =>
	systemFolders.flatMap((path): readonly Mount[] => {
		const link = dirname(path) === '/' ? world.linkOf(path) : undefined;
		const found = world.find(path);
		return link !== undefined
			? [{kind: 'link', to: link, path}]
			: found?.kind === 'folder'
				? [{kind: 'read', from: found.real, path}]
				: [];
	});

const etcMounts = (world: PlanWorld): readonly Mount[] => [
	...systemFiles.flatMap((path): readonly Mount[] => {
		const found = world.find(path);
		// A target that is visible anyway needs no mount.
		return found &&
			found.real !== path &&
			systemFolders.some(folder => isInside(found.real, folder))
			? [{kind: 'link', to: found.real, path}]
			: found?.kind === 'folder' || found?.kind === 'file'
				? [{kind: 'read', from: found.real, path}]
				: [];
	}),
	...accounts(world),
];

/** An account list with only the person and root. */
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
