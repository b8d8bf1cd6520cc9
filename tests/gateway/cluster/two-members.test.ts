// @module-tag slow
import {Client} from 'pg';
import {afterAll, describe, expect, test, vi} from 'vitest';
import type {JsonObject} from '../../../source/core/json.ts';
import {openPostgresStore} from '../../../source/store/postgres/open-postgres-store.ts';
import {attention} from '../../../source/tui/shell/status-line.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {
	gatewayHome,
	startTestGateway,
	testConfig,
	type TestGateway,
} from '../../helpers/gateway.ts';
import {hasPostgres, type PostgresServer, startPostgres} from '../../helpers/postgres.ts';
import {openTelegramChat} from '../conversations/telegram-chat.ts';

const server = hasPostgres ? await startPostgres() : undefined;
afterAll(() => server?.[Symbol.asyncDispose]());
let made = 0;

async function createDatabase(of: PostgresServer | undefined = server): Promise<string> {
	made += 1;
	return (await of?.create(`svc_cluster_${process.pid}_${made}`)) ?? '';
}

async function change(url: string, statement: string): Promise<void> {
	const client = new Client({connectionString: url});
	await client.connect();
	await client.query(statement);
	await client.end();
}

const member = async (
	url: string,
	node: string,
	{
		subscriptions = {hook: {prompt: 'Say hello to {name}'}},
		...config
	}: {readonly subscriptions?: Readonly<Record<string, JsonObject>>} & JsonObject = {},
): Promise<TestGateway> =>
	startTestGateway({config: {...config, gateway: {store: url, node}}, subscriptions});

const asking = {
	hook: {prompt: '/tool write_file {"path": "made", "content": "made"}', toolsets: ['file']},
};

describe.runIf(server)('gateways on one database', () => {
	test('a run of one is in the lists of the other within a second, and both say who is there', async () => {
		const url = await createDatabase();
		await using east = await member(url, 'east');
		await using west = await member(url, 'west');
		await east.send('hook', {name: 'Alex'});
		// Either of them may have worked on it, and then knows of the run before it hears of the delivery.
		const {runs} = await west.until(
			({runs: [run], deliveries}) => run?.state === 'done' && deliveries.length === 1,
		);
		expect(runs).toMatchObject([{route: 'hook', state: 'done'}]);
		expect(await west.port.listRuns({limit: 10})).toHaveLength(1);
		const {store, cluster, sharing} = await west.port.status();
		expect(store).toEqual({kind: 'postgres', ok: true});
		const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
		expect(sharing).toEqual({notes_lag_ms: expect.any(Number), queue_by_route: []});
		expect(cluster).toEqual({
			members: ['east', 'west'].map(node => ({node, since: time, seen: time, leases: 0})),
		});
	});

	test('what a run at one asks is answered at the other, by the rules of the one; the first answer wins', async () => {
		const url = await createDatabase();
		await using east = await member(url, 'east', {subscriptions: asking});
		await using west = await member(url, 'west', {subscriptions: asking});
		await east.send('hook', {});
		const [atEast] = (await east.until(({approvals: [one]}) => one !== undefined)).approvals;
		const [atWest] = (await west.until(({approvals: [one]}) => one !== undefined)).approvals;
		const [here, there] = atEast?.node === undefined ? [east, west] : [west, east];
		const id = atWest?.id ?? 0;
		expect([atEast?.node, atWest?.node].filter(node => node !== undefined)).toEqual([
			here === east ? 'east' : 'west',
		]);
		expect(await there.port.listApprovals({state: 'waiting', limit: 10})).toMatchObject([{id}]);
		await expect(
			there.port.settleApproval(id, {answer: {choice: 'allow', scope: 'always'}, by: 'cli'}),
		).rejects.toMatchObject({code: 'approval_invalid'});
		expect(await there.port.extendApproval(id)).toMatchObject({id});
		const outcomes = await Promise.all(
			[there, there, here].map(async ({port}) =>
				port.settleApproval(id, {answer: {choice: 'deny'}, by: 'cli'}),
			),
		);
		expect(outcomes.filter(({settled}) => settled)).toHaveLength(1);
		await there.until(({approvals}) => approvals.length === 0);
		const run = await there.ended(1);
		expect(run.state).toBe('done');
		expect((await there.port.getApproval(id))?.decision?.by).toMatch(/^cli \(/);
	});

	test('groups of one that stops in order are left to the others, and the last one hands them over', async () => {
		const url = await createDatabase();
		const subscriptions = {
			gather: {
				prompt: 'All of {key}',
				coalesce: {key: 'key', window_seconds: 600, max_wait_seconds: 600},
			},
		};
		await using west = await member(url, 'west', {subscriptions});
		{
			await using east = await member(url, 'east', {subscriptions});
			await east.send('gather', {key: 'a'});
			await west.until(({groups}) => groups.length === 1);
		}

		expect(await west.port.listGroups({state: 'pending', limit: 10})).toMatchObject([{key: 'a'}]);
		await west[Symbol.asyncDispose]();
		const clock = createFakeClock(Date.now());
		await using store = await openPostgresStore({clock}, {url, node: 'later', place: 'later'});
		expect(await store.groups.list({state: 'dispatched', limit: 10})).toMatchObject([{key: 'a'}]);
	});

	test('groups of two that stop at the same moment are handed over', async () => {
		const url = await createDatabase();
		const subscriptions = {
			gather: {
				prompt: 'All of {key}',
				coalesce: {key: 'key', window_seconds: 600, max_wait_seconds: 600},
			},
		};
		await using east = await member(url, 'east', {subscriptions});
		await using west = await member(url, 'west', {subscriptions});
		await east.send('gather', {key: 'a'});
		await west.send('gather', {key: 'b'});
		await west.until(({groups}) => groups.length === 2);
		await Promise.all([east, west].map(async one => one[Symbol.asyncDispose]()));
		const clock = createFakeClock(Date.now());
		await using store = await openPostgresStore({clock}, {url, node: 'later', place: 'later'});
		expect(await store.groups.pending()).toBe(0);
		expect(await store.groups.list({state: 'dispatched', limit: 10})).toHaveLength(2);
	});

	test('what one asks in a chat is answered where the other listens', async () => {
		const url = await createDatabase();
		await using telegram = await openTelegramChat();
		const settings = (inbound: boolean) => ({
			approvals: {chats: [{platform: 'telegram', chat_id: '99'}]},
			platforms: {telegram: {...telegram.settings, inbound}},
			subscriptions: asking,
		});
		await using east = await member(url, 'east', settings(false));
		await east.send('hook', {});
		await telegram.until(shown => shown.some(({text}) => text.includes('write_file')));
		await using west = await member(url, 'west', settings(true));
		await west.until(
			({approvals, platforms}) =>
				approvals.length > 0 && platforms.some(({state}) => state === 'connected'),
		);
		const [asked] = await telegram.until(shown => shown.length > 0);
		telegram.press(asked?.buttons.find(data => data.startsWith('deny')) ?? '');
		const {settledApprovals} = await west.until(({settledApprovals: all}) => all.length > 0);
		expect(settledApprovals).toMatchObject([
			{decision: {outcome: 'denied', by: expect.stringMatching(/^telegram \(/)}},
		]);
		expect((await east.ended(1)).state).toBe('done');
	});

	test('what a gateway leaves that is gone is taken over by another, which denies what it asked', async () => {
		const url = await createDatabase();
		const clock = createFakeClock(Date.now());
		await using lost = await openPostgresStore({clock}, {url, node: 'lost', place: 'lost'});
		const asked = await lost.approvals.add({
			kind: 'form',
			server: 'crm',
			host: 'crm.example.com',
			profile: 'default',
			message: 'Which one?',
			fields: [],
			requestedAt: Date.now(),
			deadline: Date.now() + 60_000,
			latestDeadline: Date.now() + 60_000,
		});
		const hers = createFakeClock(Date.now());
		await using home = await gatewayHome({config: {gateway: {store: url, node: 'east'}}});
		await using east = await startTestGateway({home, clock: hers});
		await change(url, `update member set seen = seen - 120000 where node = 'lost'`);
		const settled = east.until(({settledApprovals}) => settledApprovals.length > 0);
		hers.advance(10_000);
		expect((await settled).settledApprovals).toMatchObject([
			{id: asked, decision: {outcome: 'shutdown'}},
		]);
		expect(east.log.join('\n')).toContain('Gateway "lost" on the same store is gone');
	});

	test('a configuration that differs is said once, with its key, and when it is the same again', async () => {
		const url = await createDatabase();
		await using east = await member(url, 'east');
		await using west = await member(url, 'west', {runs: {max_steps: 7}});
		const timesOf = ({log}: TestGateway, text: string) =>
			log.filter(line => line.includes(text)).length;
		const ofWest = 'Gateway "west" on the same store is configured otherwise: runs.max_steps;';
		const same = 'Gateway "west" has the same configuration as this one again';
		await west.until(({logs}) =>
			logs.some(({message}) => message.includes('Gateway "east" on the same store is configured')),
		);
		// Each look at the status is a look at the members.
		for (let looks = 0; looks < 3; looks += 1) {
			// oxlint-disable-next-line no-await-in-loop -- one look after the other
			await east.port.status();
		}

		expect([timesOf(east, ofWest), timesOf(east, same)]).toEqual([1, 0]);
		expect((await east.port.status()).sharing?.differences).toEqual([
			{node: 'west', keys: ['runs.max_steps']},
		]);
		await west.home.write('config.yaml', testConfig({gateway: {store: url, node: 'west'}}));
		await vi.waitFor(
			async () => {
				await west.port.status();
				await east.port.status();
				expect(timesOf(east, same)).toBe(1);
			},
			{timeout: 10_000, interval: 100},
		);
		await east.port.status();
		expect([timesOf(east, ofWest), timesOf(east, same)]).toEqual([1, 1]);
		expect((await east.port.status()).sharing).not.toHaveProperty('differences');
	});

	test('two of one name are told so', async () => {
		const url = await createDatabase();
		await using east = await member(url, 'east');
		await using other = await member(url, 'east');
		await other.until(({logs}) =>
			logs.some(({message}) => message.includes('is called "east" as this one is')),
		);
		expect((await east.port.status()).cluster?.members).toHaveLength(2);
	});
});

describe.runIf(server)('without its database', () => {
	test('a gateway starts, answers 503, says why, and goes on by itself once the database is there', async () => {
		await using own = await startPostgres();
		const url = await createDatabase(own);
		await own.kill('SIGQUIT');
		const withPassword = url.replace('svc@', 'svc:hunter2-secret@');
		await using gateway = await startTestGateway({
			config: {
				gateway: {store: withPassword, node: 'east'},
				platforms: {webhook: {enabled: true, host: '127.0.0.1', port: 0, secret: 'x'.repeat(20)}},
			},
		});
		const {webhook} = gateway.port.getState();
		expect(webhook).toMatchObject({state: 'refused', code: 'journal_unavailable'});
		const status = await gateway.port.status();
		expect(status.store).toEqual({kind: 'postgres', ok: false});
		expect(status.journal_failing).toContain('gateway.store');
		expect(attention(gateway.port.getState(), Date.now())).toContain('database away');
		await expect(gateway.port.listRuns({limit: 1})).rejects.toMatchObject({
			code: 'journal_unavailable',
		});
		// The gateway has started before its placeholder listens.
		const at = await vi.waitFor(() => {
			const [listening] =
				/http:\/\/[\d.:]+/.exec(gateway.log.find(line => line.includes('503')) ?? '') ?? [];
			expect(listening).toBeDefined();
			return listening;
		});
		const answer = await fetch(`${at}/webhooks/hook`, {method: 'POST', body: '{}'});
		expect(answer.status).toBe(503);
		expect(answer.headers.get('retry-after')).toBe('10');
		expect(await (await fetch(`${at}/health`)).json()).toMatchObject({status: 'unavailable'});
		expect(gateway.log.join()).not.toContain('hunter2-secret');
		await own.start();
		await gateway.until(({webhook: {state}}) => state === 'listening');
		expect((await gateway.port.status()).store).toEqual({kind: 'postgres', ok: true});
		const {storeFailing, storeFailingSince} = gateway.port.getState();
		expect([storeFailing, storeFailingSince]).toEqual([undefined, undefined]);
	});

	test('one that runs takes nothing while the database is away, and goes on when it is back', async () => {
		await using own = await startPostgres();
		const url = await createDatabase(own);
		await using gateway = await startTestGateway({
			config: {gateway: {store: url, node: 'east'}, api: {enabled: true, port: 0}},
			subscriptions: {hook: {prompt: 'Say hello to {name}'}},
			environment: {PATH: '', API_ENABLED: 'true'},
		});
		await gateway.send('hook', {name: 'Alex'});
		await gateway.ended(1);
		const first = await gateway.port.createFirstKey();
		const {api} = gateway.port.getState();
		await own.kill('SIGQUIT');
		const asked = await fetch(`${api?.state === 'listening' ? api.url : ''}/v1/chat/completions`, {
			method: 'POST',
			headers: {authorization: `Bearer ${first?.secret}`, 'content-type': 'application/json'},
			body: JSON.stringify({model: 'svc-agent-1', messages: [{role: 'user', content: 'Hi'}]}),
		});
		expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '10']);
		const refused = await gateway.send('hook', {name: 'Bert'});
		expect(refused.status).toBe(503);
		const status = await gateway.port.status();
		expect(status.store).toEqual({kind: 'postgres', ok: false});
		expect(status.cluster?.members).toMatchObject([{node: 'east'}]);
		expect(gateway.port.getState().storeFailing).toContain('gateway.store');
		const health = await fetch(`${gateway.url()}/health`);
		expect([health.status, await health.json()]).toMatchObject([503, {status: 'unavailable'}]);
		await own.start();
		await gateway.until(({logs}) => logs.some(({message}) => message.includes('reached again')));
		await gateway.until(({storeFailing}) => storeFailing === undefined);
		expect((await gateway.send('hook', {name: 'Carl'})).status).toBe(202);
		const {runs} = await gateway.until(
			({runs: all}) => all.filter(({state}) => state === 'done').length === 2,
		);
		expect(runs).toHaveLength(2);
	});

	test('one whose database hangs ends all the same: it is waited for once, whatever there is to say', async () => {
		await using own = await startPostgres();
		const url = await createDatabase(own);
		const gateway = await member(url, 'east', {api: {enabled: true, port: 0}});
		await gateway.send('hook', {name: 'Alex'});
		await gateway.ended(1);
		own.signal('SIGSTOP');
		try {
			await expect(gateway[Symbol.asyncDispose]()).resolves.toBeUndefined();
		} finally {
			own.signal('SIGCONT');
		}
	}, 40_000);
});
