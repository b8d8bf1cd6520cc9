import {type Duplex, Readable} from 'node:stream';
import {
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
} from 'node:zlib';
import {PageRefused} from './judge-url.ts';

const maxBytes = 5_000_000;

const decoders: Readonly<Record<string, () => Duplex>> = {
	gzip: () => createGunzip({finishFlush: constants.Z_SYNC_FLUSH}),
	'x-gzip': () => createGunzip({finishFlush: constants.Z_SYNC_FLUSH}),
	deflate: () => createInflate({finishFlush: constants.Z_SYNC_FLUSH}),
	br: () => createBrotliDecompress({finishFlush: constants.BROTLI_OPERATION_FLUSH}),
	// The window size that HTTP allows. @see RFC 9659 §3
	zstd: () => createZstdDecompress({params: {[constants.ZSTD_d_windowLogMax]: 23}}),
};

/**
 * Reads at most 5 MB of a body, counted both as received and as decompressed. `cut`: why the body is incomplete.
 *
 * @throws PageRefused for an encoding that is not known; the reason of `signal`
 */
export async function readPageBody(
	body: NodeJS.ReadableStream & {destroy(error?: Error): unknown},
	encoding: string,
	signal: AbortSignal,
): Promise<{readonly body: Buffer; readonly cut: string | undefined}> {
	const name = encoding.trim().toLowerCase();
	const make = decoders[name];
	if (name !== '' && name !== 'identity' && make === undefined) {
		body.destroy();
		throw new PageRefused(
			`the page has an encoding that cannot be read; ${Object.keys(decoders).join(', ')} can`,
		);
	}

	const decoder = make?.();
	const parts: Buffer[] = [];
	let received = 0;
	let decoded = 0;
	let cut: string | undefined;
	const tooLong = 'it is longer than 5 MB';
	const counted = async function* () {
		try {
			for await (const chunk of body) {
				const bytes = Buffer.from(chunk);
				received += bytes.length;
				if (received > maxBytes) {
					cut = tooLong;
					yield bytes.subarray(0, bytes.length - (received - maxBytes));
					return;
				}

				yield bytes;
			}
		} catch {
			cut ??= 'the connection broke off';
		}
	};
	const source = Readable.from(counted());
	if (decoder) {
		// The error also ends the loop below.
		decoder.on('error', () => {});
		source.pipe(decoder);
	}

	const onAbort = () => {
		body.destroy();
		decoder?.destroy(new Error('aborted'));
	};
	signal.addEventListener('abort', onAbort, {once: true});
	try {
		for await (const chunk of decoder ?? source) {
			const bytes: Buffer = chunk;
			const room = maxBytes - decoded;
			parts.push(bytes.subarray(0, room));
			decoded += bytes.length;
			if (decoded > maxBytes) {
				cut = tooLong;
				break;
			}
		}
	} catch {
		cut ??= 'it is not encoded as it says';
	} finally {
		signal.removeEventListener('abort', onAbort);
		source.destroy();
		body.destroy();
		decoder?.destroy();
	}

	signal.throwIfAborted();
	return {body: Buffer.concat(parts), cut};
}
