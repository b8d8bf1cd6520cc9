// @module-tag slow
import {EventEmitter} from 'node:events';
import {afterAll, describe, expect, test, vi} from 'vitest';
import {systemClock} from '../../source/core/clock.ts';
import {createDatabase, type Database} from '../../source/store/postgres/database.ts';
import {createNotes} from '../../source/store/postgres/notes.ts';
import {journalUnavailable} from '../../source/store/postgres/postgres-errors.ts';
import {migrate} from '../../source/store/postgres/schema.ts';
import type {StoreNote} from '../../source/store/shared-port.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';

const isOwn = process.env['SVC_TEST_POSTGRES'] === undefined;

describe.runIf(hasPostgres && isOwn)('notes of two members', async () => {
	const server = await (hasPostgres && isOwn ? startPostgres() : undefined);
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;
	const create = async () => {
		made += 1;
		return (await server?.create(`svc_notes_${made}`)) ?? '';
	};

	/** A member on a database, what it hears, and what it asks. */
	const join = async (
		url: string,
		owner: string,
		{
			clock = systemClock,
			change = own => own,
		}: {
			readonly clock?: typeof systemClock;
			readonly change?: (database: Database) => Partial<Database>;
		} = {},
	) => {
		const stack = new AsyncDisposableStack();
		const database = createDatabase({clock}, {url});
		stack.defer(() => database.close());
		await migrate(database);
		const notes = stack.use(
			createNotes({database: {...database, ...change(database)}, clock, owner}),
		);
		await notes.listening;
		const heard: StoreNote[] = [];
		notes.subscribe(note => {
			heard.push(note);
		});
		return {
			notes,
			heard,
			database,
			[Symbol.asyncDispose]: async () => stack.disposeAsync(),
		};
	};

	test('that could not be written are told once the database is there again, but for calls; of lost events that they are', async () => {
		const url = await create();
		let isAway = true;
		await using east = await join(url, 'east', {
			change: ({name, query}) => ({
				query: async (text, values) =>
					isAway && text.includes('insert')
						? Promise.reject(journalUnavailable(name, new Error('away')))
						: query(text, values),
			}),
		});
		await using west = await join(url, 'west');
		const lost = {from: 'east', input: null, node: 'the east', events: []};
		east.notes.publish({kind: 'run-cancelled', run: 1});
		east.notes.publish({kind: 'call', id: 'one', name: 'settle', ...lost});
		east.notes.publish({kind: 'events', seq: 1, ...lost});
		await vi.waitFor(() => {
			expect(east.heard).toHaveLength(3);
		});
		await new Promise(setImmediate);
		isAway = false;
		east.notes.publish({kind: 'run-cancelled', run: 2});
		await expect
			.poll(() => west.heard)
			.toEqual([
				{kind: 'missed'},
				{kind: 'run-cancelled', run: 1},
				{kind: 'run-cancelled', run: 2},
			]);
	});

	test('are heard after a crash of the database, which counts them from 1 again, and that some may be lost', async () => {
		const url = await create();
		await using east = await join(url, 'east');
		await using west = await join(url, 'west');
		const runsOf = (notes: readonly StoreNote[]) =>
			notes.flatMap(note => (note.kind === 'run-cancelled' ? [note.run] : []));
		const tell = (runs: readonly number[]) => {
			for (const run of runs) {
				east.notes.publish({kind: 'run-cancelled', run});
			}
		};
		tell([1, 2, 3, 4, 5]);
		await expect.poll(() => runsOf(west.heard)).toEqual([1, 2, 3, 4, 5]);
		await server?.kill('SIGQUIT');
		await server?.start();
		await expect.poll(() => west.heard, {timeout: 10_000}).toContainEqual({kind: 'missed'});
		tell([6, 7]);
		await expect.poll(() => runsOf(west.heard), {timeout: 10_000}).toEqual([1, 2, 3, 4, 5, 6, 7]);
	}, 30_000);

	test('are read once, and where they are found unannounced they are looked for as often as behind a pool', async () => {
		const url = await create();
		const clock = createFakeClock(Date.now());
		let read = 0;
		const client = Object.assign(new EventEmitter(), {query: async () => ({}), release() {}});
		await using west = await join(url, 'west', {
			clock,
			change: ({query}) => ({
				connect: async () => client as never,
				async query(text, values) {
					const rows = await query(text, values);
					read += text.includes('from note') ? rows.length : 0;
					return rows;
				},
			}),
		});
		const planned = clock.timersLeft;
		const write = async (run: number) =>
			west.database.run('insert into note (at, owner, data) values ($1, $2, $3)', [
				clock.now(),
				'east',
				JSON.stringify({kind: 'run-cancelled', run}),
			]);
		await write(1);
		client.emit('notification');
		await expect.poll(() => west.heard).toHaveLength(1);
		await write(2);
		// As woken, it looks every two seconds.
		for (let passed = 0; west.heard.length < 2 && passed < 4000; passed += 500) {
			clock.advance(500);
			// oxlint-disable-next-line no-await-in-loop -- the next look is planned when this one has ended
			await vi.waitFor(() => {
				expect(clock.timersLeft).toBe(planned);
			});
		}

		expect(west.heard).toHaveLength(2);
		for (const run of [3, 4]) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			await write(run);
			clock.advance(500);
			// oxlint-disable-next-line no-await-in-loop
			await expect.poll(() => west.heard).toHaveLength(run);
		}

		expect(read).toBe(4);
	});
});
