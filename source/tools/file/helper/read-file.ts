import type {Dirent} from 'node:fs';
import {readdir, stat} from 'node:fs/promises';
import {countOf, quotedName} from '../../../core/names.ts';
import {type HelperAsk, lineFeed, maxReadBytes, maxReadLines, maxWholeBytes} from './contract.ts';
import {chunksOf, FileRefused, isBinary, openRegularFile, decodeText} from './open-file.ts';

/** Lines of a file, followed in brackets by their numbers unless they are all lines; for a folder, its names. */
export async function readFile({
	path,
	offset,
	limit,
}: Omit<Extract<HelperAsk, {readonly act: 'read'}>, 'act'>): Promise<string> {
	if ((await stat(path)).isDirectory()) {
		return listFolder(path);
	}

	await using handle = await openRegularFile(path);
	const lines = createLines(offset, Math.min(limit, maxReadLines));
	for await (const chunk of chunksOf(handle)) {
		lines.add(chunk);
		if (lines.isDone() && handle.size > maxWholeBytes) {
			return lines.text({isWhole: false});
		}
	}

	return lines.text({isWhole: true});
}

/** Collects the requested lines from chunks, as far as they fit. */
function createLines(offset: number, limit: number) {
	const kept: Buffer[] = [];
	let [line, bytes, allBytes] = [1, 0, 0];
	/** The size and number of the lines that fit completely. */
	let [wholeBytes, wholeLines] = [0, 0];
	let [isFull, endsInBreak] = [false, true];

	const isWanted = () => !isFull && line >= offset && line < offset + limit;

	const keep = (piece: Buffer, isEnd: boolean) => {
		if (isBinary(piece)) {
			throw new FileRefused('it is a binary file (it holds a NUL)');
		}

		const part = piece.subarray(0, maxReadBytes - bytes);
		kept.push(part);
		bytes += part.length;
		isFull = part.length < piece.length;
		if (!isFull && isEnd) {
			wholeBytes = bytes;
			wholeLines += 1;
		}
	};

	return {
		isDone: () => isFull || line >= offset + limit,
		add(chunk: Buffer) {
			allBytes += chunk.length;
			endsInBreak = chunk.at(-1) === lineFeed;
			for (let at = 0; at < chunk.length;) {
				const end = chunk.indexOf(lineFeed, at);
				const stop = end === -1 ? chunk.length : end + 1;
				if (isWanted()) {
					keep(chunk.subarray(at, stop), end !== -1);
				}

				line += end === -1 ? 0 : 1;
				at = stop;
			}
		},
		/** `isWhole`: whether the file was read to its end. */
		text({isWhole}: {readonly isWhole: boolean}): string {
			const total = endsInBreak ? line - 1 : line;
			if (isWhole && allBytes === 0) {
				return '[the file is empty]';
			}

			if (isWhole && offset > total) {
				throw new FileRefused(`it has ${total} lines, none at offset ${offset}`);
			}

			const isCut = isFull && wholeLines === 0;
			const all = Buffer.concat(kept);
			const text = decodeText(isFull && !isCut ? all.subarray(0, wholeBytes) : all);
			const last = isCut
				? offset
				: isFull
					? offset + wholeLines - 1
					: Math.min(total, offset + limit - 1);
			if (isWhole && !isFull && offset === 1 && last === total) {
				return text;
			}

			const of = isWhole ? ` of ${total}` : '';
			const cut = isCut ? `; the line is longer than ${maxReadBytes} bytes and is cut` : '';
			const next = isWhole && last === total ? '' : `; the next begin with offset ${last + 1}`;
			return `${text}${text.endsWith('\n') ? '' : '\n'}[lines ${offset} to ${last}${of}${cut}${next}]`;
		},
	};
}

const signOf = (entry: Dirent) => (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : '');

async function listFolder(path: string): Promise<string> {
	const entries = await readdir(path, {withFileTypes: true});
	const names = entries.map(entry => quotedName(entry.name) + signOf(entry)).toSorted();
	const more = names.length - maxReadLines;
	return [
		`[a folder with ${countOf(names.length, 'entry', 'entries')}]`,
		...names.slice(0, maxReadLines),
		...(more > 0 ? [`[… ${more} more]`] : []),
	].join('\n');
}
