import {randomBytes} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {writePrivateFile} from '../config/text-files.ts';
import {createAuthorshipMark, type AuthorshipMark} from '../core/authorship-mark.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

const keyPattern = /^([0-9a-f]{64})\s*$/;

const keyBytes = 32;

/**
 * The mark of a home, by the key in its file (64 hex digits), which is made when it is not there or holds no key: 0600. What an earlier key signed is then not known again, and `log` says so. Where the file
 * can be neither read nor written, the key is one of this process alone, with a warning: nothing else depends on it. Never rejects.
 */
export async function openOwnMark(
	file: string,
	{log}: {readonly log: Pick<Logger, 'warn'>},
): Promise<AuthorshipMark> {
	const fresh = randomBytes(keyBytes);
	try {
		const written = await textOf(file);
		const [, known] = keyPattern.exec(written ?? '') ?? [];
		if (known !== undefined) {
			return createAuthorshipMark(Buffer.from(known, 'hex'));
		}

		if (written !== undefined) {
			log.warn(
				`"${file}" holds no key and gets a new one: comments that were posted before are events like any other`,
			);
		}

		await writePrivateFile(file, `${fresh.toString('hex')}\n`);
	} catch (error) {
		log.warn(
			`Cannot use "${file}" (${messageOf(error)}): comments are known again only until this process ends; make it a file that you may read and write, or remove it`,
		);
	}

	return createAuthorshipMark(fresh);
}

/** `undefined`: there is none. */
async function textOf(file: string): Promise<string | undefined> {
	try {
		return await readFile(file, 'latin1');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}
