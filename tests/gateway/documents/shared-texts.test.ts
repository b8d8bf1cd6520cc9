import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, describe, expect, test, vi} from 'vitest';
import type {HomePaths} from '../../../source/config/config.ts';
import {homePaths, ensureHome} from '../../../source/config/home-paths.ts';
import {loadConfig} from '../../../source/config/load-config.ts';
import {buildRouteTable} from '../../../source/config/route-table.ts';
import {
	removeSubscription,
	setSubscriptionPaused,
	editSubscriptions,
	createSubscriptionsReader,
} from '../../../source/config/subscriptions.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {createLogger, silentLogger} from '../../../source/core/log.ts';
import {createDocumentMirror} from '../../../source/gateway/documents/document-mirror.ts';
import {openSharedDocuments} from '../../../source/gateway/documents/open-shared.ts';
import {changeStoreKey, examineSecrets} from '../../../source/gateway/documents/strongbox.ts';
import {addJob, editJob, removeJob, setJobPaused} from '../../../source/schedule/edit-jobs.ts';
import {createJobsReader} from '../../../source/schedule/job-file.ts';
import type {DocumentChange} from '../../../source/store/document-port.ts';
import {openDocuments} from '../../../source/store/postgres/open-documents.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {hasPostgres, startPostgres} from '../../helpers/postgres.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

const clock = systemClock;

const key = 'a key of at least sixteen characters';

describe.runIf(hasPostgres)('what members share in place of files', async () => {
	const server = hasPostgres ? await startPostgres() : undefined;
	afterAll(() => server?.[Symbol.asyncDispose]());
	let made = 0;
	const newDatabase = async () => {
		made += 1;
		return server?.create(`documents_${made}`) ?? '';
	};

	/** A gateway's side of the database, with a home of its own. */
	const openMember = async (
		url: string,
		{
			storeKey,
			files = {},
		}: {readonly storeKey?: string; readonly files?: Record<string, string>} = {},
	) => {
		const stack = new AsyncDisposableStack();
		const home = stack.use(
			await temporaryHome({
				'config.yaml': 'platforms: {webhook: {enabled: true, port: 0, host: 127.0.0.1}}',
				...files,
			}),
		);
		const paths = homePaths({environment: {SVC_HOME: home.path}});
		ensureHome(paths);
		const store = stack.use(await openDocuments({clock}, {url}));
		const log: string[] = [];
		const shared = stack.use(
			openSharedDocuments(
				{
					clock,
					paths,
					log: createLogger({clock, redact: text => text, write: ({message}) => log.push(message)}),
				},
				{name: store.name},
			),
		);
		await shared.follow(store, {storeKey});
		const reader = createSubscriptionsReader({paths: shared.paths, clock, log: silentLogger});
		return {
			...shared,
			store,
			home,
			log,
			entries: () => reader.current().entries,
			routes: () => {
				const loaded = loadConfig({paths: shared.paths, environment: {}});
				if (!loaded.ok) {
					throw new Error('the configuration is good');
				}

				return buildRouteTable(loaded.config, reader.current());
			},
			jobs: createJobsReader({paths: shared.paths, clock, log: silentLogger}),
			[Symbol.asyncDispose]: () => stack.disposeAsync(),
		};
	};

	const put = async (paths: HomePaths, name: string, entry: Record<string, string>) =>
		editSubscriptions(paths, entries => ({...entries, [name]: entry}), {clock});

	test('a subscription that one member writes is seen by another within a second', async () => {
		const url = await newDatabase();
		await using one = await openMember(url);
		await using other = await openMember(url);
		await put(one.paths, 'crm', {secret: 'whisper-whisper', prompt: 'Hello'});

		expect(one.entries()).toEqual({crm: {secret: 'whisper-whisper', prompt: 'Hello'}});
		await vi.waitFor(() => {
			expect(other.entries()).toEqual(one.entries());
		});
		await setSubscriptionPaused(other.paths, 'crm', {paused: true, clock});
		await vi.waitFor(() => {
			expect(one.entries()).toMatchObject({crm: {enabled: false}});
		});
		await removeSubscription(one.paths, 'crm', {clock});
		await vi.waitFor(() => {
			expect(other.entries()).toEqual({});
		});
		expect(existsSync(one.home.file('webhook_subscriptions.json'))).toBe(false);
	});

	test('of forty changes at two members at once none is lost', async () => {
		const url = await newDatabase();
		await using one = await openMember(url);
		await using other = await openMember(url);
		await Promise.all(
			[one, other].flatMap(({paths}, member) =>
				Array.from({length: 20}, async (_, index) =>
					put(paths, `r${member}-${index}`, {prompt: `${index}`}),
				),
			),
		);
		await vi.waitFor(() => {
			expect(Object.keys(one.entries())).toHaveLength(40);
			expect(other.entries()).toEqual(one.entries());
		});
	});

	test('an edit that was made of an older entry is refused in the words of the file', async () => {
		const url = await newDatabase();
		await using one = await openMember(url);
		await using other = await openMember(url);
		await put(one.paths, 'crm', {prompt: 'one'});
		await expect(removeSubscription(other.paths, 'none', {clock})).rejects.toMatchObject({
			code: 'subscription_not_found',
		});
		await removeSubscription(other.paths, 'crm', {clock});

		await expect(
			setSubscriptionPaused(one.paths, 'crm', {paused: true, clock}),
		).rejects.toMatchObject({
			code: 'subscription_not_found',
			message: expect.stringContaining('(subscriptions)'),
		});
	});

	test('jobs are added, changed, paused and removed by whichever member', async () => {
		const url = await newDatabase();
		await using one = await openMember(url);
		await using other = await openMember(url);
		const settings = {name: 'report', schedule: '0 9 * * *', prompt: 'Report'};
		const {id} = await addJob(one.paths, settings, {clock});
		await expect(addJob(other.paths, settings, {clock})).rejects.toMatchObject({
			code: 'job_refused',
		});
		await editJob(other.paths, {reference: 'report', changes: {prompt: 'More'}}, {clock});
		await setJobPaused(one.paths, {reference: id, paused: true}, {clock});
		await vi.waitFor(() => {
			expect(other.jobs.current()).toMatchObject({
				complete: true,
				entries: [{ok: true, job: {id, prompt: 'More', paused: true}}],
			});
		});
		await removeJob(other.paths, id, {clock});

		expect(other.jobs.current()).toEqual({complete: true, entries: []});
	});

	test('files are imported and set aside, also one that appears later; what is there already stays', async () => {
		const url = await newDatabase();
		const jobs = {
			jobs: [{id: 'job_aaaaaaaa', name: 'a', schedule: '0 9 * * *', prompt: 'A'}, 'broken'],
		};
		await using one = await openMember(url, {
			files: {
				'webhook_subscriptions.json': JSON.stringify({b: {prompt: 'first'}, a: {prompt: 'second'}}),
				'cron/jobs.json': JSON.stringify(jobs),
			},
		});
		await using other = await openMember(url, {
			files: {
				'webhook_subscriptions.json': JSON.stringify({b: {prompt: 'other'}, c: {prompt: 'third'}}),
			},
		});
		await one.importFiles(() => [one.paths]);
		await other.importFiles(() => [other.paths]);

		expect(Object.entries(other.entries()).map(([name, entry]) => [name, entry])).toEqual([
			['b', {prompt: 'first'}],
			['a', {prompt: 'second'}],
			['c', {prompt: 'third'}],
		]);
		expect(other.log.filter(line => line.includes('stays as it is'))).toHaveLength(1);
		expect(one.jobs.current().entries.map(({job}) => job.id)).toEqual(['job_aaaaaaaa', '#2']);
		expect(existsSync(one.home.file('webhook_subscriptions.json'))).toBe(false);
		expect(existsSync(one.home.file('webhook_subscriptions.json.imported'))).toBe(true);
		expect(existsSync(one.home.file('cron/jobs.json.imported'))).toBe(true);

		writeFileSync(one.home.file('webhook_subscriptions.json'), '{"late": {"prompt": "later"}');
		await one.importFiles(() => [one.paths]);
		expect(one.log.at(-1)).toContain('Cannot import');
		writeFileSync(one.home.file('webhook_subscriptions.json'), '{"late": {"prompt": "later"}}');
		await vi.waitFor(() => {
			expect(other.entries()).toHaveProperty('late');
		}, 4000);
		await vi.waitFor(() => {
			expect(existsSync(one.home.file('webhook_subscriptions.json.imported-2'))).toBe(true);
		});
	});

	test('secrets are encrypted with the key; a wrong one takes out their routes alone and overwrites nothing', async () => {
		const url = await newDatabase();
		await using one = await openMember(url, {storeKey: key});
		await put(one.paths, 'crm', {secret: 'whisper-whisper', prompt: 'Hello'});
		await put(one.paths, 'open', {secret: '${CRM_SECRET}', prompt: 'Hello'});
		const rows = JSON.stringify(await one.store.documents.list('subscription'));
		expect(rows).not.toContain('whisper');
		expect(rows).toContain('svc-sealed:1:');
		expect(one.entries()).toMatchObject({crm: {secret: 'whisper-whisper'}});
		expect(await examineSecrets(one.store.documents, key)).toEqual({plain: 0, locked: 0});

		for (const storeKey of ['another key of enough characters', undefined]) {
			// oxlint-disable-next-line no-await-in-loop -- one member after the other
			await using wrong = await openMember(url, storeKey === undefined ? {} : {storeKey});
			const table = wrong.routes();
			expect(table.skipped.find(({name}) => name === 'crm')).toMatchObject({
				kind: 'invalid',
				reason: expect.stringContaining('gateway.store_key'),
			});
			expect(table.skipped.find(({name}) => name === 'open')?.reason).not.toContain('store_key');
			expect(wrong.log.join('\n')).toContain('gateway.store_key');
			expect(await examineSecrets(wrong.store.documents, storeKey)).toEqual({plain: 0, locked: 1});
			await expect(put(wrong.paths, 'crm', {secret: 'another-secret'})).rejects.toMatchObject({
				code: 'store_key_wrong',
			});
			await expect(put(wrong.paths, 'new', {secret: 'another-secret'})).rejects.toMatchObject({
				code: 'store_key_wrong',
			});
			await setSubscriptionPaused(wrong.paths, 'crm', {paused: true, clock});
			await setSubscriptionPaused(wrong.paths, 'crm', {paused: false, clock});
		}

		await vi.waitFor(() => {
			expect(one.entries()).toEqual({
				crm: {secret: 'whisper-whisper', prompt: 'Hello'},
				open: {secret: '${CRM_SECRET}', prompt: 'Hello'},
			});
		});
	});

	test('what a member without the key wrote before it saw the lock is encrypted by one that has it', async () => {
		const url = await newDatabase();
		await using one = await openMember(url, {storeKey: key});
		const data = {order: 1, entry: {secret: 'whisper-whisper', prompt: 'Hello'}};
		await one.store.documents.put({kind: 'subscription', profile: 'default', name: 'late', data});
		await vi.waitFor(async () => {
			expect(await examineSecrets(one.store.documents, key)).toEqual({plain: 0, locked: 0});
		}, 4000);
		expect(one.entries()).toMatchObject({late: {secret: 'whisper-whisper'}});
	});

	test('a change of the key is not passed by after a look that failed, and nothing is written with the old one meanwhile', async () => {
		const url = await newDatabase();
		await using one = await openMember(url, {storeKey: key});
		await put(one.paths, 'crm', {secret: 'whisper-whisper', prompt: 'Hello'});
		const {documents} = one.store;
		let failures = 0;
		const get: typeof documents.get = async of => {
			failures -= 1;
			if (failures >= 0) {
				throw new Error('the connection was cut');
			}

			return documents.get(of);
		};
		await using mirror = createDocumentMirror({
			clock: createFakeClock(),
			name: 'the database',
			storeKey: () => key,
		});
		const told: string[] = [];
		mirror.subscribe(changes => told.push(changes.map(({kind}) => kind).join()));
		const events = {subscribe: () => () => {}};
		await mirror.follow({documents: {...documents, get}, leases: one.store.leases, events});
		expect(mirror.strongbox?.state).toBe('open');
		told.splice(0);

		await changeStoreKey(documents, {from: key, to: 'another key of enough characters'});
		failures = 1;
		await expect(mirror.refresh()).rejects.toThrow('the connection was cut');
		const write = async () =>
			mirror.put(
				{kind: 'subscription', profile: 'default', name: 'new'},
				{entry: {secret: 'mumble'}},
				0,
			);
		await expect(write()).rejects.toMatchObject({code: 'journal_unavailable'});
		expect(told).toEqual([]);
		await mirror.refresh();
		expect(mirror.strongbox?.state).toBe('locked');
		expect(told).toEqual(['subscription,lock']);
		await expect(write()).rejects.toMatchObject({code: 'store_key_wrong'});
	});

	test('logins are shared with a key, one member at a time', async () => {
		const url = await newDatabase();
		await using one = await openMember(url, {
			storeKey: key,
			files: {'mcp-tokens/crm.json': '{"access_token":"t"}'},
		});
		await using other = await openMember(url, {storeKey: key});
		await using without = await openMember(url);
		await one.importFiles(() => [one.paths]);
		const [a, b] = [one.paths.shared?.logins, other.paths.shared?.logins];
		expect(without.paths.shared?.logins).toBeUndefined();
		expect(JSON.stringify(await one.store.documents.list('token'))).not.toContain('access_token');
		await vi.waitFor(() => {
			expect(b?.read('crm.json')).toBe('{"access_token":"t"}');
		});
		expect(readFileSync(join(one.home.path, 'mcp-tokens/crm.json.imported'), 'utf8')).toContain(
			'access_token',
		);
		const order: string[] = [];
		await Promise.all(
			[a, b].map(async logins =>
				logins?.exclusively('crm', async () => {
					order.push(`begins with ${logins.read('crm.json')}`);
					await logins.replace('crm.json', '{"access_token":"u"}');
					order.push('ends');
				}),
			),
		);
		expect(order).toEqual([
			'begins with {"access_token":"t"}',
			'ends',
			'begins with {"access_token":"u"}',
			'ends',
		]);
	});
});

test('changes of a page are told although the next page could not be read at first', async () => {
	const all = Array.from({length: 1001}, (_, index): DocumentChange => ({
		kind: 'job',
		profile: 'default',
		name: `job-${index}`,
		version: index + 1,
		data: {},
	}));
	let failures = 1;
	await using mirror = createDocumentMirror({
		clock: createFakeClock(),
		name: 'the database',
		storeKey: () => undefined,
	});
	const told: DocumentChange[] = [];
	mirror.subscribe(changes => told.push(...changes));
	await mirror.follow({
		documents: {
			get: async () => undefined,
			list: async () => [],
			put: async () => 0,
			remove: async () => false,
			async changedSince(version) {
				if (version > 0 && failures > 0) {
					failures -= 1;
					throw new Error('the connection was cut');
				}

				return all.filter(change => change.version > version).slice(0, 1000);
			},
		},
		leases: () => ({take: async () => undefined}),
		events: {subscribe: () => () => {}},
	});
	expect(told).toEqual([]);
	await mirror.refresh();
	expect(told).toEqual(all);
});
