import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import {maxSessionBytes} from '../../source/store/rules.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createSqliteHome} from './sqlite-home.ts';

const startMs = Date.parse('2026-11-23T12:00:00Z');
const dayMs = 86_400_000;

test('of more sessions than all together may be, the retention takes those that were used longest ago, and no more', async () => {
	await using home = await createSqliteHome();
	await using store = await home.open(createFakeClock(startMs));
	const ids = ['ses_a', 'ses_b', 'ses_c', 'ses_d'];
	for (const [index, id] of ids.entries()) {
		const at = startMs + index;
		await store.sessions.begin({id, model: 'small', createdAt: at});
		await store.sessions.append(id, {
			at,
			model: 'small',
			title: id,
			messages: [{message: {role: 'user', content: id}, text: id}],
		});
	}

	const rest = async () => (await store.sessions.list({limit: 10})).map(({id}) => id);
	const purge = async () =>
		store.journal.purge({bodyMs: dayMs, bodyBytes: 2 ** 30, rowMs: 30 * dayMs});
	// So much of it need not be on this disk.
	const weigh = (bytes: number) => {
		using database = new DatabaseSync(home.file);
		database.prepare('update session set bytes = ?').run(bytes);
	};

	weigh(maxSessionBytes / 4);
	await purge();
	expect(await rest()).toEqual(ids.toReversed());
	weigh(maxSessionBytes / 2);
	await purge();
	expect(await rest()).toEqual(['ses_d', 'ses_c']);
	expect(await store.sessions.search('ses_a', 10)).toEqual([]);
});
