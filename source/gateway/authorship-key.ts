import {randomBytes} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {writePrivateFile} from '../config/text-files.ts';
import {createAuthorshipMark, type AuthorshipMark} from '../core/authorship-mark.ts';
import {codeOf, messageOf} from '../core/errors.ts';
import type {Logger} from '../core/log.ts';

const keyPattern = /^([0-9a-f]{64})\s*$/;

const keyBytes = 32;

/**
 * The authorship mark of a home. Its key (64 hex digits, mode 0600) is created in `file` if it is missing or invalid: marks signed with an earlier key are then no longer
 * recognised, and `log` says so. If the file can be neither read nor written, a key for this process alone is used, with a warning: nothing else depends on it. Never rejects.
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

/** `undefined` when the file does not exist. */
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
