import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {copyToPostgres} from '../../source/store/migrate/copy-to-postgres.ts';
import {copyToSqlite} from '../../source/store/migrate/copy-to-sqlite.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import type {Store} from '../../source/store/port.ts';
import {openPostgresStore} from '../../source/store/postgres/open-postgres-store.ts';
import {createFakeClock, type FakeClock} from '../helpers/fake-clock.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {hasPostgres, startPostgres} from '../helpers/postgres.ts';
import {sampleKey} from './contract-keys.ts';
import {
	acceptGrouped,
	acceptRun,
	fireRun,
	groupedEntry,
	leaseOne,
	sampleAnswer,
	sampleDelivery,
	sampleEntry,
	sampleEntryOfTranscript,
	sampleJob,
	startMs,
	temporaryFolder,
} from './samples.ts';

const leaseMs = 60_000;
const chat = {platform: 'telegram', chat: '-100/1'};
const tool = {profile: 'default', server: 'github-tools', tool: 'create_issue'};

/** One of everything, and of runs one in each of several states. */
async function fill(store: Store): Promise<void> {
	const done = await acceptRun(store, sampleEntry({deliveryId: 'done', subject: 'Tidy up'}));
	const lease = await leaseOne(store, leaseMs);
	store.runs.append(lease, [
		sampleEntryOfTranscript('Thinking'),
		{at: startMs, kind: 'text', text: 'Grüße "quoted" {a,b} \\ '},
	]);
	await store.runs.markSideEffect(lease);
	await store.runs.answer(lease, sampleAnswer);
	await store.runs.settle(lease, {state: 'done'});
	await acceptRun(store, sampleEntry({deliveryId: 'failed'}));
	const failing = await leaseOne(store, leaseMs);
	await store.runs.settle(failing, {state: 'failed', error: 'No model'});
	await acceptRun(store, sampleEntry({deliveryId: 'again'}));
	const retried = await leaseOne(store, leaseMs);
	await store.runs.settle(retried, {state: 'retry', at: startMs + 60_000, error: 'Busy'});
	await acceptRun(store, sampleEntry({deliveryId: 'later'}, {dueAt: startMs + 600_000}));
	await acceptRun(store, sampleEntry({deliveryId: 'lost'}));
	await leaseOne(store, leaseMs);
	await store.intake.record({
		delivery: sampleDelivery({outcome: 'delivered', deliveryId: 'direct'}),
		claim: true,
	});
	await acceptGrouped(store, groupedEntry('acme/api#7'));
	await acceptGrouped(store, groupedEntry('acme/api#7'));
	const {group} = await acceptGrouped(store, groupedEntry('acme/api#8'));
	await store.groups.dispatch({id: group.id}, 'person');
	await store.jobs.plan(sampleJob, {nextAt: startMs + 3_600_000, basis: '0 * * * * UTC'});
	await fireRun(store);
	await store.conversations.receive({
		profile: 'default',
		platform: 'telegram',
		maxWaiting: 20,
		maxQueued: 1000,
		messages: [
			{
				id: '7',
				conversation: chat,
				user: '99',
				name: 'Ann',
				asks: {
					kind: 'turn',
					plan: {
						prompt: 'Hello',
						subject: 'Hello',
						target: {kind: 'telegram', extra: {chat_id: '-100/1'}},
						skills: [],
					},
				},
			},
		],
	});
	const {id: _, ...call} = makeToolApproval();
	const id = await store.approvals.add(call);
	await store.approvals.settle(
		{...call, id, decision: {outcome: 'allowed', at: startMs, by: 'cli (alice)', scope: 'always'}},
		{
			...tool,
			endpoint: 'e1',
			definition: 'd1',
			scope: 'always',
			createdAt: startMs,
			createdBy: 'cli (alice)',
			expiresAt: startMs + 10_000_000,
		},
	);
	await store.approvals.add(call);
	await store.keys.put(sampleKey(), startMs);
	await store.keys.put(sampleKey({id: 'key_two', name: 'ci', revokedAt: startMs + 5}), startMs);
	await store.keys.add(
		[{id: 'key_one', day: '2026-11-22', requests: 1, inputTokens: 10, outputTokens: 20}],
		new Map([['key_one', startMs]]),
	);
	await store.memos.put('loop', 'one', 'why');
	await store.memos.put('comment', 'one', [1]);
	await store.sessions.begin({id: 'ses_one', model: 'agent', createdAt: startMs});
	await store.sessions.append('ses_one', {
		at: startMs,
		model: 'small',
		title: 'Crème brûlée',
		messages: [
			{message: {role: 'user', content: 'Crème brûlée?'}, text: 'Crème brûlée?'},
			{message: {role: 'assistant', content: 'Yes'}, text: 'Yes', run: done},
		],
	});
}

/** What every reader says. */
async function everything(store: Store) {
	const runs = await store.runs.list({limit: 100});
	const deliveries = await store.journal.list({limit: 100});
	const sessions = await store.sessions.list({limit: 100});
	return {
		runs,
		storedRuns: await Promise.all(runs.map(async ({id}) => store.runs.get(id))),
		counts: await store.runs.counts(),
		kept: await store.runs.kept(),
		deliveries,
		storedDeliveries: (
			await Promise.all(deliveries.map(async ({id}) => store.journal.get(id)))
		).map(delivery => delivery && {...delivery, body: Buffer.from(delivery.body ?? '').toString()}),
		count: await store.journal.count(),
		holders: await Promise.all(
			['done', 'failed', 'later', 'direct'].map(async deliveryId =>
				store.intake.holderOf({profile: 'default', route: 'github', deliveryId}, 10_000_000),
			),
		),
		groups: await store.groups.list({limit: 100}),
		jobs: await store.jobs.list(),
		approvals: await store.approvals.settled({limit: 100}),
		rules: await store.approvals.rules(),
		lastAllowed: await store.approvals.lastAllowed(tool),
		keys: await store.keys.list(),
		uses: await store.keys.usesSince('2026-01-01'),
		totals: await store.keys.totals(),
		memos: [await store.memos.get('loop', 'one'), await store.memos.get('comment', 'one')],
		sessions,
		messages: await Promise.all(sessions.map(async ({id}) => store.sessions.messages(id))),
		found: (await store.sessions.search('creme', 10)).map(({session, role}) => ({
			id: session.id,
			role,
		})),
		writers: await store.conversations.writers(),
		conversations: await store.conversations.open('default', chat),
		lastId: store.lastId,
	};
}

describe.runIf(hasPostgres)('moving a store', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;
	const newDatabase = async () => {
		made += 1;
		return server?.create(`moved_${made}`) ?? '';
	};

	const silent = {onProgress() {}, async complete() {}};

	/** The clock of the database goes with that of the test. */
	const worldOf = (clock: FakeClock) => {
		const offset = clock.now() - clock.monotonic();
		return {clock, time: () => clock.monotonic() + offset};
	};

	const openPostgres = async (clock: FakeClock, url: string) =>
		openPostgresStore(worldOf(clock), {url, node: 'one', place: 'one'});

	const sample = async (clock: FakeClock) => {
		const folder = temporaryFolder();
		const file = join(folder.path, 'state.db');
		{
			await using store = await openSqliteStore({clock}, {file});
			await fill(store);
		}

		await using store = await openSqliteStore({clock}, {file});
		await store.takeOver();
		return {folder, file, says: await everything(store)};
	};

	test('there and back, every reader gives equal answers', async () => {
		const clock = createFakeClock(startMs);
		const {folder, file, says} = await sample(clock);
		using _ = folder;
		const url = await newDatabase();
		const counts = await copyToPostgres({...worldOf(clock), file, url}, silent);
		expect(counts.get('runs')).toBe(says.runs.length);
		{
			await using store = await openPostgres(clock, url);
			expect(await everything(store)).toEqual(says);
			// Numbers go on behind those that were given out.
			expect(await acceptRun(store, sampleEntry({deliveryId: 'next'}))).toBeGreaterThan(
				says.runs[0]?.id ?? 0,
			);
			await store.runs.cancel((await store.runs.list({limit: 1}))[0]?.id ?? 0);
		}

		const back = join(folder.path, 'back', 'state.db');
		await using store = await openPostgres(clock, url);
		const now = await everything(store);
		await expect(copyToSqlite({...worldOf(clock), file: back, url}, silent)).rejects.toMatchObject({
			code: 'store_in_use',
		});
		await store[Symbol.asyncDispose]();
		await copyToSqlite({...worldOf(clock), file: back, url}, silent);
		{
			await using moved = await openSqliteStore({clock}, {file: back});
			expect(await everything(moved)).toEqual(now);
			expect(await moved.intake.accept(sampleEntry({deliveryId: 'direct'}))).toMatchObject({
				kind: 'duplicate',
			});
		}

		await expect(copyToSqlite({...worldOf(clock), file: back, url}, silent)).rejects.toMatchObject({
			code: 'store_not_empty',
		});
	});

	test('a copy that broke off anywhere goes on where it was; any other target is refused', async () => {
		const clock = createFakeClock(startMs);
		const {folder, file, says} = await sample(clock);
		using _ = folder;
		const url = await newDatabase();
		for (let pages = 1; ; pages += 3) {
			let left = pages;
			// oxlint-disable-next-line no-await-in-loop -- one try after the other
			const broken = await copyToPostgres(
				{...worldOf(clock), file, url},
				{
					...silent,
					onProgress() {
						left -= 1;
						if (left === 0) {
							throw new Error('killed');
						}
					},
				},
			).then(
				() => false,
				() => true,
			);
			if (!broken) {
				break;
			}
		}

		{
			await using store = await openPostgres(clock, url);
			expect(await everything(store)).toEqual(says);
		}

		await expect(copyToPostgres({...worldOf(clock), file, url}, silent)).rejects.toMatchObject({
			code: 'store_not_empty',
		});
		const other = await newDatabase();
		await expect(
			copyToPostgres(
				{...worldOf(clock), file, url: other},
				{
					...silent,
					async complete() {
						throw new Error('killed');
					},
				},
			),
		).rejects.toThrow('killed');
		{
			await using store = await openSqliteStore({clock}, {file});
			await acceptRun(store, sampleEntry({deliveryId: 'since'}));
		}

		await expect(
			copyToPostgres({...worldOf(clock), file, url: other}, silent),
		).rejects.toMatchObject({
			code: 'store_not_empty',
			message: expect.stringContaining('changed since'),
		});
	});

	test('a copy to a file that broke off leaves no file and begins anew', async () => {
		const clock = createFakeClock(startMs);
		const {folder, file} = await sample(clock);
		using _ = folder;
		const url = await newDatabase();
		await copyToPostgres({...worldOf(clock), file, url}, silent);
		const back = join(folder.path, 'state-back.db');
		await expect(
			copyToSqlite(
				{...worldOf(clock), file: back, url},
				{
					...silent,
					onProgress() {
						throw new Error('killed');
					},
				},
			),
		).rejects.toThrow('killed');
		expect(existsSync(back)).toBe(false);
		await copyToSqlite({...worldOf(clock), file: back, url}, silent);
		expect(existsSync(back)).toBe(true);
	});
});
