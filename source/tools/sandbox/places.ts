/** Whether `path` is `folder`, or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
	path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** Read-only, where they are there; links among them stay links. */
export const systemFolders: readonly string[] =
	process.platform === 'darwin'
		? [
				'/usr/bin',
				'/usr/lib',
				'/usr/libexec',
				'/usr/sbin',
				'/usr/share',
				'/bin',
				'/sbin',
				'/Library/Developer/CommandLineTools',
				...['/usr/local', '/opt/homebrew'].flatMap(prefix =>
					['bin', 'Cellar', 'lib', 'opt', 'share'].map(name => `${prefix}/${name}`),
				),
				'/nix/store',
			]
		: [
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

/** Kept by the system for what runs now: sockets, processes, devices. They are made anew inside or are not there. */
export const ownPlaces: readonly string[] = ['/proc', '/sys', '/dev', '/run', '/var/run', '/boot'];

/** Folders of the system of which single parts may be listed, never the whole. */
export const neverWhole: readonly string[] = [
	'/',
	'/dev/shm',
	'/tmp',
	'/var',
	'/var/tmp',
	'/home',
	'/Library',
	'/private',
	'/private/tmp',
	'/private/var',
	'/private/var/tmp',
	'/System',
	'/Users',
	'/Volumes',
];
