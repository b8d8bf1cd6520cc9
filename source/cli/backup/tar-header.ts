import {SvcError} from '../../core/errors.ts';

/** A file in an archive. */
export type ArchiveMember = {
	/** Relative, with `/` as separator. */
	readonly path: string;
	readonly bytes: number;
	/** Whether its owner may execute it. */
	readonly executable: boolean;
	/** Milliseconds since 1970. */
	readonly modifiedAt: number;
};

/** An archive consists of blocks of this size; each file is padded with zeros to full blocks. */
export const blockBytes = 512;

const maxNameBytes = 100;
const maxPrefixBytes = 155;
/** The largest size in eleven octal digits. */
const maxSizeBytes = 8 ** 11 - 1;

const at = {mode: 100, size: 124, time: 136, checksum: 148, type: 156, magic: 257, prefix: 345};

const checksumBytes = 8;

/** How many zeros follow a file of this size. */
export const paddingOf = (bytes: number): number =>
	(blockBytes - (bytes % blockBytes)) % blockBytes;

/** Whether a path fits into a header, in the name field or split at a `/`. */
export const fitsHeader = (path: string): boolean => cutPath(path) !== undefined;

/**
 * A file's header in POSIX `ustar` format, so that any `tar` can list the archive. Own code, because neither Node nor any package of svc supports archives.
 *
 * @throws SvcError `backup_failed` for a path or a file that is too long
 * @see IEEE Std 1003.1, pax, "ustar Interchange Format"
 */
export function tarHeaderOf({path, bytes, executable, modifiedAt}: ArchiveMember): Buffer {
	const cut = cutPath(path);
	if (!cut || bytes > maxSizeBytes) {
		throw new SvcError('backup_failed', `Cannot put "${path}" into an archive: it is too long`);
	}

	const header = Buffer.alloc(blockBytes);
	header.write(cut.name, 0);
	header.write(cut.prefix, at.prefix);
	header.write(octal(executable ? 0o700 : 0o600, 7), at.mode);
	// No owner: files belong to the user who restores them.
	header.write(octal(0, 7), at.mode + 8);
	header.write(octal(0, 7), at.mode + 16);
	header.write(octal(bytes, 11), at.size);
	header.write(octal(Math.max(0, Math.trunc(modifiedAt / 1000)), 11), at.time);
	header.write('0', at.type);
	header.write('ustar\u{0}00', at.magic, 'latin1');
	header.write(`${octal(checksumOf(header), 6)}\u{0} `, at.checksum, 'latin1');
	return header;
}

/** Parses a header; `end` for a block of zeros; `undefined` for anything but a regular file. The caller checks the path. */
export function readHeader(header: Buffer): ArchiveMember | 'end' | undefined {
	if (header.every(byte => byte === 0)) {
		return 'end';
	}

	const text = (from: number, length: number) => {
		const field = header.subarray(from, from + length);
		const end = field.indexOf(0);
		return field.toString('utf8', 0, end === -1 ? length : end);
	};
	const number = (from: number, length: number) => {
		const digits = text(from, length).trim();
		return /^[0-7]{1,11}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
	};
	const [bytes, mode, time] = [number(at.size, 12), number(at.mode, 8), number(at.time, 12)];
	const isRegular =
		text(at.magic, 6) === 'ustar' &&
		header[at.type] === 0x30 &&
		number(at.checksum, 8) === checksumOf(header);
	if (!isRegular || bytes === undefined || mode === undefined || time === undefined) {
		return undefined;
	}

	const prefix = text(at.prefix, maxPrefixBytes);
	const name = text(0, maxNameBytes);
	return {
		path: prefix === '' ? name : `${prefix}/${name}`,
		bytes,
		executable: (mode & 0o100) !== 0,
		modifiedAt: time * 1000,
	};
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** The checksum: the sum of all bytes, its own counted as blanks. A loop for speed: an archive may have a hundred thousand headers. */
function checksumOf(header: Buffer): number {
	let sum = checksumBytes * 0x20;
	for (let index = 0; index < blockBytes; index++) {
		const isOwn = index >= at.checksum && index < at.checksum + checksumBytes;
		sum += isOwn ? 0 : (header[index] ?? 0);
	}

	return sum;
}

function cutPath(path: string): {readonly name: string; readonly prefix: string} | undefined {
	if (Buffer.byteLength(path) <= maxNameBytes) {
		return {name: path, prefix: ''};
	}

	for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
		const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
		if (Buffer.byteLength(name) <= maxNameBytes && Buffer.byteLength(prefix) <= maxPrefixBytes) {
			return {name, prefix};
		}
	}

	return undefined;
}
