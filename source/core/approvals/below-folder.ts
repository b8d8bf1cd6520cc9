import {lstat, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../errors.ts';

const maxPathLength = 1024;
const maxSteps = 64;

/** Characters that are refused in paths: controls, invisible characters, lone surrogates, and the backslash, which some programs read as a slash. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\\]/u;

/** Percent-encodings (also overlong ones) of a dot, a slash, a backslash, NUL or `%`. Refused in paths, since a server may decode its arguments. */
const encoded = /%(?:2[ef5]|5c|00|c[01]|e0%80|f0%80|u00)/i;

/** Normalises an absolute path; `undefined` for a path that programs may interpret differently. */
function plainPath(text: string): string | undefined {
	if (!text.startsWith('/') || text.startsWith('//') || text.length > maxPathLength) {
		return undefined;
	}

	if (odd.test(text) || encoded.test(text)) {
		return undefined;
	}

	const steps = text.split('/').filter(step => step !== '' && step !== '.');
	return steps.includes('..') || steps.length > maxSteps ? undefined : `/${steps.join('/')}`;
}

/** Unicode normalisations: file systems and servers may equate paths that differ only in them. */
const forms = [undefined, 'NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Whether `text` is, in every Unicode normalisation, a path below `folder` (as from `folderOf`), not the folder itself. Compares only the texts. */
export const isBelowByName = (text: string, folder: string): boolean =>
	forms.every(form => {
		const path = plainPath(form ? text.normalize(form) : text);
		return path?.startsWith(`${form ? folder.normalize(form) : folder}/`) === true;
	});

/**
 * The real path of `path` on this machine; for a missing file the path where it would be created. `undefined` if it cannot be determined: for a dangling link, a loop, or an
 * unreadable folder. `path`: absolute, without repeated slashes or one at its end, which would follow a link.
 */
export async function realPathOf(path: string): Promise<string | undefined> {
	const missing: string[] = [];
	for (let at = path; ; at = dirname(at)) {
		try {
			// oxlint-disable-next-line no-await-in-loop -- a step up after the other
			return join(await realpath(at), ...missing);
		} catch (error) {
			// oxlint-disable-next-line no-await-in-loop -- see above
			if (codeOf(error) !== 'ENOENT' || !(await isAbsent(at))) {
				return undefined;
			}
		}

		missing.unshift(basename(at));
	}
}

/** Whether nothing exists at the path. A dangling link exists: a write to it creates its target. */
async function isAbsent(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return false;
	} catch (error) {
		return codeOf(error) === 'ENOENT';
	}
}

/** A folder that paths are compared with. */
export type Folder = {
	/** Absolute, without a slash at its end. */
	readonly below: string;
	/** Its real path when it was approved, to detect a link that is put in its place later. */
	readonly real: string;
};

/** Whether `text` is a path below the folder, by name and by real path on this machine. Paths in the folders `closed` (absolute) are always refused. */
export async function isBelowFolder(
	text: string,
	{below, real}: Folder,
	closed: readonly string[],
): Promise<boolean> {
	const path = plainPath(text);
	if (path === undefined || !isBelowByName(text, below) || (await realPathOf(below)) !== real) {
		return false;
	}

	const target = await realPathOf(path);
	if (target?.startsWith(`${real}/`) !== true) {
		return false;
	}

	const places = await Promise.all(
		closed.map(async folder => (await realPathOf(folder)) ?? folder),
	);
	return places.every(place => target !== place && !target.startsWith(`${place}/`));
}

/** Whether a text denotes a folder by a slash at its end: `~/notes/`, `/srv/data/`; not a URL. */
export const isWrittenAsFolder = (text: string): boolean =>
	text.endsWith('/') && !text.includes('://');

/** Converts such a text to an absolute path without a slash at its end, or returns the problem with it. */
export function folderOf(
	written: string,
	userHome: string,
): {readonly folder: string} | {readonly problem: string} {
	// The home of some containers is "/".
	const text = written.startsWith('~/')
		? `${userHome.replace(/\/+$/, '')}/${written.slice(2)}`
		: written;
	const folder = plainPath(text);
	if (folder === undefined) {
		return {
			problem: 'must begin with "/" or "~/", and hold neither "..", "\\" nor what cannot be seen',
		};
	}

	return folder === '/' ? {problem: 'is every file there is: name a folder below "/"'} : {folder};
}
