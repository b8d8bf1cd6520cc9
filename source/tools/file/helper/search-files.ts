import {readdir, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {systemClock} from '../../../core/clock.ts';
import {compileLinear, type LinearRegex} from '../../../core/linear-regex.ts';
import {quotedPath} from '../../../core/names.ts';
import {type HelperAsk, maxHits} from './contract.ts';
import {FileRefused, isBinary, readWhole, decodeText} from './open-file.ts';

const maxFileBytes = 5_000_000;

/** The most UTF-16 units of a line in an answer. */
const maxLineLength = 300;

/** Shorter than a call's time limit, so that the hits reach the model. */
const maxMs = 20_000;

/** Folders with others' files; searched only if the path leads into one. */
const left = new Set(['.git', 'node_modules']);

/** Lines of files that match, as `path:line: text`; at most 200. Does not follow links; skips files above 5 MB and binary ones. */
export async function searchFiles({
	path,
	pattern,
	glob,
}: Omit<Extract<HelperAsk, {readonly act: 'search'}>, 'act'>): Promise<string> {
	const regex = compileLinear(pattern);
	const isMeant = glob === undefined ? () => true : globMatcher(glob);
	const until = systemClock.monotonic() + maxMs;
	const hits: string[] = [];
	let [files, skipped] = [0, 0];
	let isLate = false;

	const searchFile = async (file: string) => {
		try {
			const bytes = await readWhole(file, maxFileBytes);
			if (isBinary(bytes)) {
				skipped += 1;
				return;
			}

			files += 1;
			for (const [index, line] of decodeText(bytes).split('\n').entries()) {
				isLate ||= systemClock.monotonic() > until;
				if (isLate || hits.length >= maxHits) {
					return;
				}

				if (regex.test(line)) {
					hits.push(`${quotedPath(file)}:${index + 1}: ${aroundMatch(line, regex)}`);
				}
			}
		} catch {
			// The file is too large, unreadable, or was removed meanwhile.
			skipped += 1;
		}
	};

	const searchFolder = async (folder: string, below: string): Promise<void> => {
		const entries = await readdir(folder, {withFileTypes: true}).catch(() => []);
		for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
			if (isLate || hits.length >= maxHits) {
				return;
			}

			const name = join(below, entry.name);
			if (entry.isDirectory() && !left.has(entry.name)) {
				// oxlint-disable-next-line no-await-in-loop -- in the order of their names
				await searchFolder(join(folder, entry.name), name);
			} else if (entry.isFile() && isMeant(name)) {
				// oxlint-disable-next-line no-await-in-loop -- in the order of their names
				await searchFile(join(folder, entry.name));
			}

			isLate ||= systemClock.monotonic() > until;
		}
	};

	if ((await stat(path)).isDirectory()) {
		await searchFolder(path, '');
	} else {
		await searchFile(path);
	}

	const end = isLate
		? `stopped after ${maxMs / 1000} s`
		: hits.length >= maxHits
			? `stopped at ${maxHits} lines`
			: '';
	const facts = [
		`lines that match: ${hits.length}, in files that were searched: ${files}`,
		...(skipped > 0 ? [`${skipped} left out: binary, above 5 MB or not to be read`] : []),
		...(end === '' ? [] : [`${end}: search a part, or a narrower pattern`]),
	];
	return [...hits, `[${facts.join('; ')}]`].join('\n');
}

/** The line, or of a long line the part around the match. */
function aroundMatch(line: string, regex: LinearRegex): string {
	if (line.length <= maxLineLength) {
		return line;
	}

	// Bisection: the match ends where the shortest matching prefix does.
	let [least, most] = [0, line.length];
	while (least < most) {
		const middle = Math.floor((least + most) / 2);
		if (regex.test(line.slice(0, middle))) {
			most = middle;
		} else {
			least = middle + 1;
		}
	}

	const end = Math.min(line.length, Math.max(maxLineLength, least + 50));
	const start = Math.max(0, end - maxLineLength);
	return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
}

/** `*` and `?` match within a folder, `**` across folders, `{a,b}` either. A glob without slash matches the last name of a path. @throws FileRefused */
function globMatcher(glob: string): (path: string) => boolean {
	if (glob.length > 500 || (glob.match(/[*{]/g)?.length ?? 0) > 20) {
		throw new FileRefused('the glob is too long');
	}

	const source = glob.replaceAll(
		/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[^]/g,
		part =>
			parts[part] ??
			(part.length > 1
				? `(?:${part.slice(1, -1).split(',').map(escaped).join('|')})`
				: escaped(part)),
	);
	const regex = compileLinear(`(?s)^(?:${source})$`);
	return glob.includes('/') ? path => regex.test(path) : path => regex.test(basename(path));
}

const parts: Readonly<Record<string, string>> = {
	'**/': '(?:.*/)?',
	'**': '.*',
	'*': '[^/]*',
	'?': '[^/]',
};

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
