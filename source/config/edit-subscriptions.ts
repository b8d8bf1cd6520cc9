import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import type {JsonObject} from '../core/json.ts';
import type {HomePaths} from './config.ts';
import {editedSubscriptions} from './edited-text.ts';
import {repeatedKeysIn} from './json-source.ts';
import {parseSubscriptions} from './subscriptions.ts';

/**
 * Changes `webhook_subscriptions.json`: reads it, writes what `change` makes of its entries, while other writers wait.
 * Unknown keys stay. Returns the entries as written; `change` may return what it got, then nothing is written.
 *
 * @throws SvcError `subscriptions_broken` for a file that does not parse or holds a key twice, which is never overwritten; `file_too_large`, `lock_timeout`
 * @see manual/routes.md#dynamic-routes
 */
export async function editSubscriptions(
	paths: HomePaths,
	change: (entries: JsonObject) => JsonObject,
	{clock}: {readonly clock: Clock},
): Promise<JsonObject> {
	const written = editedSubscriptions(paths);
	return written.edit(
		text => {
			const entries = parseSubscriptions(text, written.name);
			const changed = change(entries);
			if (changed === entries) {
				return {value: entries};
			}

			refuseRepeated(text, written.name);
			return {value: changed, text: `${JSON.stringify(changed, null, 2)}\n`};
		},
		{clock},
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
