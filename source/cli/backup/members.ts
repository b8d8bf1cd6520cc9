import {namePattern} from '../../config/home-paths.ts';

/** The first file of an archive, which says that svc made it, with which version, from which profile and when. */
export const manifestName = 'svc-backup.json';

/** The journal of a home, which is copied as a snapshot. */
export const storeName = 'state.db';

/** The files of a home in a backup: those made by a person or a login, and those that cannot be recreated. @see manual/backup.md */
export const homeFiles: readonly string[] = [
	'config.yaml',
	'.env',
	'webhook_subscriptions.json',
	'keys.yaml',
	'mark.key',
	'tui-state.json',
	'cache/mcp_tool_pins.json',
];

/** The folders in a backup, with their whole contents. */
export const homeFolders: readonly string[] = ['scripts', 'skills', 'cron', 'mcp-tokens'];

const maxDepth = 32;

/** The most files in an archive, besides the manifest. */
export const maxArchiveMembers = 100_000;

/** The largest file other than a journal. */
export const maxFileBytes = 256 * 1024 * 1024;

/** Whether a member is the journal of the home or a profile; elsewhere a file of that name is ordinary. */
export const isStore = (path: string): boolean =>
	path === storeName || /^profiles\/[^/]+\/state\.db$/.test(path);

/** Whether a part of a path is neither `..` nor hidden. */
const isPlain = (part: string): boolean =>
	part !== '' && part !== '.' && part !== '..' && !/[\p{Cc}\\]/u.test(part);

/** Whether a path in an archive belongs to a backup, and stays within the home. */
export const isMember = (path: string): boolean => whyNoMember(path) === undefined;

/** Why a path does not belong to a backup; `undefined` if it does. */
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

/** The profiles to which an archive's members belong. */
export const profilesOf = (paths: readonly string[]): readonly string[] => [
	...new Set(
		paths.flatMap(path => {
			const [first, name] = path.split('/');
			return first === 'profiles' && name !== undefined ? [name] : [];
		}),
	),
];
