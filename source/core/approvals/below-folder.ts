import {lstat, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../errors.ts';

const maxPathLength = 1024;
const maxSteps = 64;

/** Controls, marks that nothing is drawn for, halves of characters, and the backslash, which is a slash to some. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\\]/u;

/** What a server that decodes its arguments would read as a dot, a slash, a backslash, a NUL or another `%`; also one that takes longer forms of them. */
const encoded = /%(?:2[ef5]|5c|00|c[01]|e0%80|f0%80|u00)/i;

/** Absolute, with single slashes and without steps that name nothing; `undefined` for what two programs may read differently. */
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

/** File systems and servers may take one of these for the other. */
const forms = [undefined, 'NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Whether `text` names something below `folder` (as `folderOf` gives it) however it is normalised; not the folder itself. Looks at nothing but the text. */
export const isBelowByName = (text: string, folder: string): boolean =>
	forms.every(form => {
		const path = plainPath(form ? text.normalize(form) : text);
		return path?.startsWith(`${form ? folder.normalize(form) : folder}/`) === true;
	});

/**
 * Where `path` (absolute, with single slashes: a slash at its end would follow a link) leads to on this machine, links followed; of what is not there yet, where it would be made. `undefined` when that cannot be told: a link that
 * leads to nothing, a loop, a folder that may not be read.
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

/** What leads nowhere is there all the same: whoever writes to it makes what it leads to. */
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
	/** Where it led to when somebody agreed to it: a link that takes its place later leads somewhere else. */
	readonly real: string;
};

/** Whether `text` is a path below the folder: by its name, and by where it leads to on this machine. No folder of `closed` (absolute) is ever meant. */
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

/** Whether a text is written as a folder is: `~/notes/`, `/srv/data/`. A URL is none. */
export const isWrittenAsFolder = (text: string): boolean =>
	text.endsWith('/') && !text.includes('://');

/** The folder that is written like that, absolute and without the slash at its end; or what is wrong with it. */
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
