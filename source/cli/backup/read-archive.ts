import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {codeOf, messageOf, SvcError} from '../../core/errors.ts';
import {isJsonObject, parsedJson} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {isMember, isStore, manifestName, maxFileBytes, maxArchiveMembers} from './members.ts';
import {blockBytes, type ArchiveMember, paddingOf, readHeader} from './tar-header.ts';

/** A member with the offset of its bytes. */
export type StoredMember = ArchiveMember & {readonly offset: number};

export type Archive = AsyncDisposable & {
	/** The version of svc that made it, escaped. */
	readonly version: string;
	/** The time it claims to have been made. */
	readonly madeAt: string;
	readonly members: readonly StoredMember[];
	/** Writes a member to a new file of mode 0600 or 0700, and syncs it. */
	extract(member: StoredMember, to: string): Promise<void>;
};

const maxManifestBytes = 64 * 1024;

const chunkBytes = 1024 * 1024;

const windowBytes = 64 * 1024;

/**
 * Opens a backup and checks all of it before use. Refuses the whole archive if it is truncated or modified, or contains a path that does not belong to a home, a
 * link, a path twice, or a file that is also a folder.
 *
 * @throws SvcError `backup_invalid`
 */
export async function openArchive(file: string): Promise<Archive> {
	const refuse = (reason: string) =>
		new SvcError('backup_invalid', `Cannot restore "${file}": ${reason}`);
	const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(
		(error: unknown) => {
			throw refuse(codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error));
		},
	);
	try {
		const [first, ...members] = await readMembers(handle, refuse);
		if (first?.path !== manifestName) {
			throw refuse('it is no backup that "svc backup" wrote');
		}

		const {version, at} = await readManifest(handle, first, refuse);
		return {
			version,
			madeAt: at,
			members,
			async extract(member, to) {
				await using target = await open(to, 'wx', member.executable ? 0o700 : 0o600);
				for await (const chunk of chunksOf(handle, member)) {
					await target.writeFile(chunk);
				}

				await target.sync();
			},
			[Symbol.asyncDispose]: async () => handle.close(),
		};
	} catch (error) {
		await handle.close();
		throw error;
	}
}

type Refuse = (reason: string) => SvcError;

async function readMembers(handle: FileHandle, refuse: Refuse): Promise<readonly StoredMember[]> {
	const {size, mode} = await handle.stat();
	if ((mode & constants.S_IFMT) !== constants.S_IFREG) {
		throw refuse('it is no file');
	}

	const headerAt = createHeaderReader(handle);
	const members = new Map<string, StoredMember>();
	for (let offset = 0; ;) {
		// The manifest comes first, and does not count.
		if (members.size > maxArchiveMembers + 1) {
			throw refuse(`it has more than ${maxArchiveMembers} files`);
		}

		// oxlint-disable-next-line no-await-in-loop -- one header after the other
		const header = await headerAt(offset);
		const member = header && readHeader(header);
		if (member === 'end') {
			refuseFileAsFolder(members, refuse);
			return [...members.values()];
		}

		if (!member) {
			throw refuse(`it is cut, changed or no backup (at byte ${offset})`);
		}

		offset += blockBytes;
		const {path, bytes} = member;
		const shown = escapeLine(path, 200);
		if (offset === blockBytes ? path !== manifestName : !isMember(path)) {
			throw refuse(
				members.size === 0
					? 'it is no backup that "svc backup" wrote'
					: `it holds "${shown}", which is no file of a home`,
			);
		}

		if (members.has(path)) {
			throw refuse(`it holds "${shown}" twice`);
		}

		if (bytes > (isStore(path) ? Infinity : maxFileBytes)) {
			throw refuse(`"${shown}" is larger than ${maxFileBytes / 1024 / 1024} MiB`);
		}

		members.set(path, {...member, offset});
		offset += bytes + paddingOf(bytes);
		if (offset > size) {
			throw refuse(`it is cut: "${shown}" is not whole`);
		}
	}
}

/** A path that is a file must not also be a folder. */
function refuseFileAsFolder(members: ReadonlyMap<string, StoredMember>, refuse: Refuse): void {
	for (const path of members.keys()) {
		for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
			const folder = path.slice(0, end);
			if (members.has(folder)) {
				const [file, inside] = [folder, path].map(name => escapeLine(name, 200));
				throw refuse(`it holds "${file}" as a file and as the folder of "${inside}"`);
			}
		}
	}
}

/** Reads blocks, with read-ahead: most files of a home are small, so the next header is already there. A result is valid until the next call. */
function createHeaderReader(handle: FileHandle) {
	const window = Buffer.alloc(windowBytes);
	let [start, end] = [0, 0];
	return async (offset: number): Promise<Buffer | undefined> => {
		if (offset < start || offset + blockBytes > end) {
			const {bytesRead} = await handle.read(window, 0, windowBytes, offset);
			[start, end] = [offset, offset + bytesRead];
		}

		const at = offset - start;
		return offset + blockBytes <= end ? window.subarray(at, at + blockBytes) : undefined;
	};
}

async function readManifest(
	handle: FileHandle,
	member: StoredMember,
	refuse: Refuse,
): Promise<{readonly version: string; readonly at: string}> {
	if (member.bytes > maxManifestBytes) {
		throw refuse('what it says of itself is too long');
	}

	let text = '';
	for await (const chunk of chunksOf(handle, member)) {
		text += chunk.toString();
	}

	const manifest = parsedJson(text);
	if (!isJsonObject(manifest) || manifest['format'] !== 1) {
		const version = isJsonObject(manifest) ? wordOf(manifest['version']) : '?';
		throw refuse(`it has another form (svc ${version} wrote it): restore it with that version`);
	}

	return {version: wordOf(manifest['version']), at: wordOf(manifest['at'])};
}

const wordOf = (value: unknown): string =>
	typeof value === 'string' ? escapeLine(value, 60) : '?';

async function* chunksOf(handle: FileHandle, {offset, bytes}: StoredMember) {
	for (let position = offset; position < offset + bytes;) {
		const length = Math.min(chunkBytes, offset + bytes - position);
		// oxlint-disable-next-line no-await-in-loop -- one chunk after the other
		const {bytesRead, buffer} = await handle.read(Buffer.alloc(length), 0, length, position);
		if (bytesRead === 0) {
			throw new SvcError('backup_invalid', 'Cannot restore: the archive became shorter');
		}

		yield buffer.subarray(0, bytesRead);
		position += bytesRead;
	}
}
