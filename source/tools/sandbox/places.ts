import {wordsOf} from '../../core/names.ts';

/** Whether `path` is `folder`, or lies in it. */
export const isInside = (path: string, folder: string): boolean =>
	path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** Mounted read-only if they exist; links among them stay links. */
export const systemFolders: readonly string[] =
	process.platform === 'darwin'
		? [
				...wordsOf('/usr/bin /usr/lib /usr/libexec /usr/sbin /usr/share /bin /sbin'),
				'/Library/Developer/CommandLineTools',
				...['/usr/local', '/opt/homebrew'].flatMap(prefix =>
					['bin', 'Cellar', 'lib', 'opt', 'share'].map(name => `${prefix}/${name}`),
				),
				'/nix/store',
			]
		: wordsOf('/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /run/current-system/sw');
