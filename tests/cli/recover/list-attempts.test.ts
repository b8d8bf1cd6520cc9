import {expect, test} from 'vitest';
import {listAttempts} from '../../../source/cli/recover/attempts.ts';
import type {ForgeApi} from '../../../source/cli/recover/forge-api.ts';
import {findHook} from '../../../source/cli/recover/hooks.ts';

/** A code host that gives more in a page than it was asked for. */
const overflowing = (item: (index: number) => unknown): ForgeApi => ({
	get: async () => ({value: Array.from({length: 400_000}, (_, index) => item(index))}),
});

test('a page of more tries than were asked for is read as far as that, and the list counts as cut', async () => {
	const api = overflowing(index => ({
		id: index,
		guid: `event-${index}`,
		delivered_at: '2026-11-20T12:00:00Z',
		status_code: 500,
	}));
	const {attempts, complete} = await listAttempts(api, {repo: 'acme/api', hook: '1', since: 0});
	expect([attempts.length, complete]).toEqual([100, false]);
	expect(attempts.at(-1)?.id).toBe('99');
});

test('a page of more webhooks than were asked for is read as far as that', async () => {
	const place = {path: '/webhooks/gh', profile: 'default'};
	const hookAt = (wanted: number) =>
		overflowing(id => ({
			id,
			config: {url: `https://hooks.example/${id === wanted ? 'webhooks/gh' : 'else'}`},
		}));
	expect(await findHook(hookAt(99), 'acme/api', place)).toBe('99');
	await expect(findHook(hookAt(100), 'acme/api', place)).rejects.toMatchObject({
		code: 'hook_not_found',
	});
});
