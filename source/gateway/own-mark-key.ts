import {randomBytes} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {writePrivateFile} from '../config/write-private-file.ts';
import {codeOf} from '../core/errors.ts';
import {createOwnMark, type OwnMark} from '../core/own-mark.ts';

const keyPattern = /^([0-9a-f]{64})\s*$/;

/**
 * The mark of a home, by the key in its file, which is made when it is not there or holds no key: 0600. What an earlier key signed is then not known again.
 *
 * @throws SvcError `file_planted`, and what Node throws
 */
export async function openOwnMark(file: string): Promise<OwnMark> {
	const written = await readFile(file, 'latin1').catch((error: unknown) => {
		if (codeOf(error) === 'ENOENT') {
			return '';
		}

		throw error;
	});
	const [, known] = keyPattern.exec(written) ?? [];
	if (known !== undefined) {
		return createOwnMark(Buffer.from(known, 'hex'));
	}

	const key = randomBytes(32);
	await writePrivateFile(file, `${key.toString('hex')}\n`);
	return createOwnMark(key);
}
