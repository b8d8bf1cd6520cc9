import {attemptsIn, type Attempt} from './attempts.ts';
import {type ForgeApi, pageSize} from './forge-api.ts';
import type {RecoveryFacts} from './report.ts';

/** 3,000 tries. */
const maxPages = 30;

/**
 * The tries of a webhook since a moment, newest first. `complete` is false when there were more than are looked at.
 *
 * @throws SvcError `forge_*`
 */
export async function listAttempts(
	api: ForgeApi,
	{repo, hook, since}: Pick<RecoveryFacts, 'hook' | 'repo' | 'since'>,
): Promise<{readonly attempts: readonly Attempt[]; readonly complete: boolean}> {
	const attempts: Attempt[] = [];
	let cursor: string | undefined;
	for (let count = 0; count < maxPages; count++) {
		// oxlint-disable-next-line no-await-in-loop -- each page names the next
		const {value, next} = await api.get(`repos/${repo}/hooks/${hook}/deliveries`, {
			per_page: `${pageSize}`,
			cursor,
		});
		const entries: readonly unknown[] = Array.isArray(value) ? value : [];
		const page = attemptsIn(entries.slice(0, pageSize));
		const wanted = page.filter(({at}) => at >= since);
		attempts.push(...wanted);
		if (entries.length > pageSize) {
			return {attempts, complete: false};
		}

		cursor = next?.cursor;
		if (cursor === undefined || wanted.length < page.length || page.length === 0) {
			return {attempts, complete: true};
		}
	}

	return {attempts, complete: false};
}
