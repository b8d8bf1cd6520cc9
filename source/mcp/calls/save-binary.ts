import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdir, readdir, rm, rmdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {writePrivateFile} from '../../config/text-files.ts';
import {codeOf} from '../../core/errors.ts';

const maxFileBytes = 10 * 1024 * 1024;
const maxFolderBytes = 100 * 1024 * 1024;
const maxFiles = 5000;

/** Only types that no program executes when opened; all others are saved as `bin`. */
const extensions: Readonly<Record<string, string | undefined>> = {
	'image/png': 'png',
	'image/jpeg': 'jpg',
	'image/gif': 'gif',
	'image/webp': 'webp',
	'image/bmp': 'bmp',
	'image/tiff': 'tiff',
	'audio/mpeg': 'mp3',
	'audio/mp4': 'm4a',
	'audio/ogg': 'ogg',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'audio/flac': 'flac',
	'application/pdf': 'pdf',
	'application/json': 'json',
	'application/zip': 'zip',
	'application/gzip': 'gz',
	'text/plain': 'txt',
	'text/csv': 'csv',
};

export type SavedBinary =
	| {readonly path: string; readonly bytes: number}
	| {readonly refused: string};

/**
 * Writes base64 data from a server to `mcp/run-7/<hash>.png` (`mcp/try/` without a run) below `cacheDir`: mode 0600, at most 10 MB. The same bytes yield the same
 * file. Rejects as the file system does.
 *
 * @see manual/tool-servers.md#states: binary to the cache directory, named
 */
export async function saveBinary(
	{data, mimeType = ''}: {readonly data: string; readonly mimeType?: string | undefined},
	{cacheDir, runId}: {readonly cacheDir: string; readonly runId?: number | undefined},
): Promise<SavedBinary> {
	if (data.length > (maxFileBytes / 3) * 4 + 4) {
		return {refused: 'larger than 10 MB, not kept'};
	}

	const bytes = Buffer.from(data, 'base64');
	const root = join(cacheDir, 'mcp');
	const folder = join(root, runId === undefined ? 'try' : `run-${runId}`);
	const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
	const extension = Object.hasOwn(extensions, type) ? extensions[type] : undefined;
	const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
	const path = join(folder, `${hash}.${extension ?? 'bin'}`);
	if (!existsSync(path)) {
		await makeFolder(root);
		await makeFolder(folder);
		await writePrivateFile(path, bytes);
	}

	return {path, bytes: bytes.length};
}

/** Not Node's recursive `mkdir`: it loops forever where the file system answers ENOENT to the creation itself, as below /proc. */
async function makeFolder(path: string): Promise<void> {
	try {
		await mkdir(path, {mode: 0o700});
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') {
			throw error;
		}
	}
}

/** Removes the oldest saved files until at most 100 MB and 5,000 files are left. Rejects as the file system does. */
export async function pruneBinaries(cacheDir: string): Promise<void> {
	const root = join(cacheDir, 'mcp');
	const folders = await readdir(root, {withFileTypes: true});
	const found = await Promise.all(
		folders.filter(entry => entry.isDirectory()).map(async ({name}) => filesOf(join(root, name))),
	);
	let bytes = 0;
	const old = found
		.flat()
		.toSorted((a, b) => b.changedAt - a.changedAt)
		.filter(({size}, index) => {
			bytes += size;
			return bytes > maxFolderBytes || index >= maxFiles;
		});
	await Promise.all(old.map(async ({path}) => rm(path, {force: true})));
	const emptied = new Set(old.map(({folder}) => folder));
	// Fails, as intended, for a folder that is not empty.
	await Promise.allSettled([...emptied].map(async folder => rmdir(folder)));
}

type SavedFile = {
	readonly folder: string;
	readonly path: string;
	readonly size: number;
	readonly changedAt: number;
};

async function filesOf(folder: string): Promise<readonly SavedFile[]> {
	const names = await readdir(folder);
	const facts = await Promise.allSettled(names.map(async name => stat(join(folder, name))));
	return facts.flatMap((fact, index) =>
		fact.status === 'fulfilled' && fact.value.isFile()
			? [
					{
						folder,
						path: join(folder, names[index] ?? ''),
						size: fact.value.size,
						changedAt: fact.value.mtimeMs,
					},
				]
			: [],
	);
}
