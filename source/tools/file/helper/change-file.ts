import {createHash, hash, randomBytes} from 'node:crypto';
import {access, constants, lstat, mkdir, open, realpath, rename, rm, stat} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {codeOf} from '../../../core/errors.ts';
import {unifiedDiff} from '../../../core/unified-diff.ts';
import {
	type ChangePreview,
	type FileChange,
	lineFeed,
	maxContentBytes,
	maxWholeBytes,
} from './contract.ts';
import {
	chunksOf,
	FileRefused,
	isBinary,
	openRegularFile,
	readWhole,
	decodeText,
} from './open-file.ts';

/** The current state of a file to change. */
type Found = {
	/** The file's path with all links resolved; for a new file, where it will be created. */
	readonly real: string;
	/** Absent if the file does not exist, or is too large to be read whole. */
	readonly content?: Buffer;
	readonly size?: number;
	/** Permission bits; absent for a new file. */
	readonly mode?: number;
	readonly basis: string;
};

/** The effect of a change. Throws if the change is impossible, so that nobody is asked to approve it. @throws FileRefused, and whatever the file system refuses */
export async function previewChange(change: FileChange): Promise<ChangePreview> {
	const found = await find(change);
	const {real, basis} = found;
	await mustBeWritable(dirname(real));
	const lines = change.kind === 'edit' ? editLines(change, found) : writeLines(change, found);
	return {real, basis, now: nowWords(found), ...(lines && isReadable(lines) && {lines})};
}

/**
 * Makes a change by atomically replacing the file: readers never see half of it. Creates missing folders.
 *
 * @throws FileRefused, also where the file is not the one that `basis` names
 */
export async function makeChange(change: FileChange, basis?: string): Promise<string> {
	const found = await find(change);
	if (basis !== undefined && found.basis !== basis) {
		throw new FileRefused(
			'it is not what a person was shown any more: read it again, and ask for the change anew',
		);
	}

	const content =
		change.kind === 'write' ? Buffer.from(change.content) : edited(change, found.content);
	await replace(found, content, async () => (await find(change)).basis === found.basis);
	return change.kind === 'edit'
		? 'edited'
		: found.mode === undefined
			? `written: a new file of ${content.length} bytes`
			: `written: ${content.length} bytes in place of ${found.size}`;
}

async function find(change: FileChange): Promise<Found> {
	const path = resolve(change.path);
	const real = await placeOf(path);
	const stats = await unlessAbsent(stat(real));
	if (!stats) {
		if (change.kind === 'edit') {
			throw new FileRefused('it is not there, or not among what is inside of the sandbox');
		}

		return {real, basis: basisOf(real, 'nothing')};
	}

	const {size} = stats;
	const mode = stats.mode & 0o777;
	if (change.kind === 'edit' || size <= maxContentBytes) {
		const content = await readWhole(real, maxWholeBytes);
		return {real, content, size, mode, basis: basisOf(real, hash('sha256', content))};
	}

	await using handle = await openRegularFile(real);
	const digest = createHash('sha256');
	for await (const chunk of chunksOf(handle)) {
		digest.update(chunk);
	}

	return {real, size, mode, basis: basisOf(real, digest.digest('hex'))};
}

const basisOf = (real: string, digest: string): string =>
	hash('sha256', JSON.stringify([real, digest]));

/** `undefined` if the file does not exist. */
const unlessAbsent = async <Seen>(look: Promise<Seen>): Promise<Seen | undefined> =>
	look.catch((error: unknown) => {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	});

/** The target of a path, following links; if it does not exist yet, the nearest existing folder above it is resolved. */
async function placeOf(path: string): Promise<string> {
	const real = await unlessAbsent(realpath(path));
	if (real !== undefined) {
		return real;
	}

	if (await lstat(path).catch(() => undefined)) {
		throw new FileRefused('it is a link that leads to nothing inside of the sandbox');
	}

	return join(await placeOf(dirname(path)), basename(path));
}

/** Checks the folder of the change, or the nearest existing one above: since the file is replaced, its folder must be writable. */
async function mustBeWritable(folder: string): Promise<void> {
	try {
		await access(folder, constants.W_OK | constants.X_OK);
	} catch (error) {
		if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) {
			throw error;
		}

		await mustBeWritable(dirname(folder));
	}
}

/** The position of `old_text`. @throws FileRefused unless it stands there exactly once */
function placeIn(content: Buffer, oldText: string): number {
	if (isBinary(content)) {
		throw new FileRefused('it is a binary file (it holds a NUL)');
	}

	const old = Buffer.from(oldText);
	const first = content.indexOf(old);
	if (first === -1) {
		throw new FileRefused(
			`old_text: not found${content.includes('\r\n') && oldText.includes('\n') ? '; lines of this file end with CR LF' : ''}`,
		);
	}

	let times = 0;
	for (let at = first; at !== -1; at = content.indexOf(old, at + 1)) {
		times += 1;
	}

	if (times > 1) {
		throw new FileRefused(
			`old_text: ${times} times; give more of what stands around the one that is meant`,
		);
	}

	return first;
}

type Edit = Extract<FileChange, {readonly kind: 'edit'}>;

/** Edits bytes, so that the rest of the file stays unchanged. */
function edited({oldText, newText}: Edit, content: Buffer = Buffer.alloc(0)): Buffer {
	const at = placeIn(content, oldText);
	return Buffer.concat([
		content.subarray(0, at),
		Buffer.from(newText),
		content.subarray(at + Buffer.byteLength(oldText)),
	]);
}

/** How many lines around a change are shown. */
const context = 3;

/** Compares only the lines around the change, so that the file's size does not matter. */
function editLines(edit: Edit, {content = Buffer.alloc(0)}: Found): readonly string[] | undefined {
	const at = placeIn(content, edit.oldText);
	const end = at + Buffer.byteLength(edit.oldText);
	const lineStart = (before: number): number =>
		before === 0 ? 0 : content.lastIndexOf(lineFeed, before - 1) + 1;
	let from = lineStart(at);
	for (let lines = 0; lines < context && from > 0; lines += 1) {
		from = lineStart(from - 1);
	}

	let to = end;
	for (let lines = 0; lines <= context && to < content.length; lines += 1) {
		const next = content.indexOf(lineFeed, to);
		to = next === -1 ? content.length : next + 1;
	}

	if (to - from > maxCompared) {
		return undefined;
	}

	const grown = Buffer.byteLength(edit.newText) - (end - at);
	const after = edited(edit, content).subarray(from, to + grown);
	return compared(content.subarray(from, to), after, 1 + countLines(content.subarray(0, from)));
}

const countLines = (bytes: Buffer): number => {
	let lines = 0;
	for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
		lines += 1;
	}

	return lines;
};

const writeLines = (
	{content}: Extract<FileChange, {readonly kind: 'write'}>,
	{content: before = Buffer.alloc(0)}: Found,
): readonly string[] | undefined =>
	before.length + content.length > maxCompared
		? undefined
		: compared(isBinary(before) ? Buffer.alloc(0) : before, Buffer.from(content));

/** Larger texts are not compared, in bytes and lines. */
const maxCompared = 500_000;
const maxComparedLines = 20_000;

const compared = (before: Buffer, after: Buffer, from = 1): readonly string[] | undefined =>
	countLines(before) + countLines(after) > maxComparedLines
		? undefined
		: unifiedDiff(withEnd(decodeText(before)), withEnd(decodeText(after)), from);

/** Makes a last line without line break differ from the same line with one. */
const withEnd = (text: string): string =>
	text === '' || text.endsWith('\n') ? text : `${text}\n\\ No newline at end of file\n`;

const maxDiffLines = 2000;
const maxDiffLength = 60_000;

/** Whether the diff is short enough to show to a person completely. */
const isReadable = (lines: readonly string[]): boolean =>
	lines.length <= maxDiffLines &&
	lines.reduce((sum, line) => sum + line.length + 1, 0) <= maxDiffLength;

const nowWords = ({content, size, mode}: Found): string =>
	size === undefined || mode === undefined
		? 'nothing: a new file'
		: `${content && isBinary(content) ? 'a binary file of ' : ''}${size} bytes, mode ${mode.toString(8).padStart(4, '0')}`;

async function replace(
	{real, mode}: Found,
	content: Buffer,
	isUnchanged: () => Promise<boolean>,
): Promise<void> {
	await makeFolder(dirname(real));
	const temporary = join(dirname(real), `.svc-${randomBytes(8).toString('hex')}`);
	try {
		{
			await using handle = await open(temporary, 'wx', mode ?? 0o666);
			await handle.writeFile(content);
			if (mode !== undefined) {
				await handle.chmod(mode);
			}

			await handle.sync();
		}

		if (!(await isUnchanged())) {
			throw new FileRefused('it was changed meanwhile by something else');
		}

		await rename(temporary, real);
	} catch (error) {
		await rm(temporary, {force: true}).catch(() => {});
		throw error;
	}
}

/** Creates a folder with its parents. Node's recursive `mkdir` never returns where the kernel forbids creating folders, as below /proc. */
async function makeFolder(folder: string): Promise<void> {
	try {
		await mkdir(folder);
	} catch (error) {
		const code = codeOf(error);
		if (code === 'ENOENT' && dirname(folder) !== folder) {
			await makeFolder(dirname(folder));
			await mkdir(folder);
		} else if (code !== 'EEXIST') {
			throw error;
		}
	}
}
