import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {withFileLock} from '../core/file-lock.ts';
import type {JsonObject} from '../core/json.ts';
import {refusePlantedFolder} from '../core/planted-file.ts';
import type {HomePaths} from './config.ts';
import {repeatedKeysIn} from './json-source.ts';
import {readTextFile, refuseTooLarge} from './read-text-file.ts';
import {maxSubscriptionsBytes, parseSubscriptions} from './subscriptions.ts';
import {writePrivateFile} from './write-private-file.ts';

const lockWaitMs = 10_000;

/**
 * Changes `webhook_subscriptions.json`: reads it, writes what `change` makes of its entries, while every other process that does the same waits.
 * Keys that nobody knows stay. Returns the entries as written; `change` may return what it got, then nothing is written.
 *
 * @throws SvcError `subscriptions_broken` for a file that does not parse or holds a key twice, which is never overwritten; `file_too_large`, `lock_timeout`
 * @see manual/routes.md#dynamic-routes
 */
export async function editSubscriptions(
	paths: HomePaths,
	change: (entries: JsonObject) => JsonObject,
	{clock}: {readonly clock: Clock},
): Promise<JsonObject> {
	refusePlantedFolder(paths.run);
	mkdirSync(paths.run, {recursive: true, mode: 0o700});
	return withFileLock(
		join(paths.run, 'subscriptions.lock'),
		async () => {
			const text = readTextFile(paths.subscriptions, maxSubscriptionsBytes) ?? '';
			const entries = parseSubscriptions(text, paths.subscriptions);
			const changed = change(entries);
			if (changed !== entries) {
				refuseRepeated(text, paths.subscriptions);
				const written = `${JSON.stringify(changed, null, 2)}\n`;
				refuseTooLarge(paths.subscriptions, written, maxSubscriptionsBytes);
				await writePrivateFile(paths.subscriptions, written);
			}

			return changed;
		},
		{waitMs: lockWaitMs, clock},
	);
}

/** Written again, the file would have lost one of the two. */
function refuseRepeated(text: string, path: string): void {
	const [repeated] = repeatedKeysIn(text);
	if (repeated) {
		throw new SvcError(
			'subscriptions_broken',
			`Cannot write "${path}": ${JSON.stringify(repeated.join('.'))} stands twice; remove one of them`,
		);
	}
}
