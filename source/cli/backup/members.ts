import {namePattern} from '../../config/home-paths.ts';

/** The first file of an archive; it says that svc made the archive, with which version, from which profile and when. */
export const manifestName = 'svc-backup.json';

/** The journal of a home, which is not copied as it lies there. */
export const storeName = 'state.db';

/** The files of a home that a backup has: what a person or a login made, and what cannot be made again. @see manual/backup.md */
export const homeFiles: readonly string[] = [
	'config.yaml',
	'.env',
	'webhook_subscriptions.json',
	'keys.yaml',
	'mark.key',
	'tui-state.json',
	'cache/mcp_tool_pins.json',
];

/** The folders, with everything in them. */
export const homeFolders: readonly string[] = ['scripts', 'skills', 'cron', 'mcp-tokens'];

const maxDepth = 32;

/** Files in one archive, beside its first. */
export const maxArchiveMembers = 100_000;

/** Of a file that is no journal. */
export const maxFileBytes = 256 * 1024 * 1024;

/** Whether a member is the journal of the home or of a profile; a file of that name in a folder is like any other. */
export const isStore = (path: string): boolean =>
	path === storeName || /^profiles\/[^/]+\/state\.db$/.test(path);

/** One part of a path: no way up, nothing hidden in it. */
const isPlain = (part: string): boolean =>
	part !== '' && part !== '.' && part !== '..' && !/[\p{Cc}\\]/u.test(part);

/** Whether a path of an archive names something that a backup has, and nothing outside of the home. */
export const isMember = (path: string): boolean => whyNoMember(path) === undefined;

/** Why a path is none of a backup; `undefined` when it is one. */
export function whyNoMember(path: string): string | undefined {
	const parts = path.split('/');
	if (parts.length > maxDepth) {
		return `its path has more than ${maxDepth} parts`;
	}

	if (!parts.every(isPlain)) {
		return 'its path has a backslash or a control character';
	}

	const [first = '', name = '', ...rest] = parts;
	const own = first === 'profiles' && namePattern.test(name) ? rest : parts;
	const isOne =
		own.join('/') === storeName ||
		homeFiles.includes(own.join('/')) ||
		(own.length > 1 && homeFolders.includes(own[0] ?? ''));
	return isOne ? undefined : 'it is no file that a backup has';
}

/** The profiles that the members of an archive are of. */
export const profilesOf = (paths: readonly string[]): readonly string[] => [
	...new Set(
		paths.flatMap(path => {
			const [first, name] = path.split('/');
			return first === 'profiles' && name !== undefined ? [name] : [];
		}),
	),
];
