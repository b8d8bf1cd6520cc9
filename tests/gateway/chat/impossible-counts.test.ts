import {DatabaseSync} from 'node:sqlite';
import {expect, test} from 'vitest';
import type {Finding} from '../../../source/core/health.ts';
import {sqliteEngine} from '../../../source/store/engine.ts';
import {createKeyReader} from '../../../source/store/keys.ts';
import {command} from '../../cli/command.ts';
import {startApi} from '../../helpers/api.ts';
import {
	chunkOf,
	lastEvent,
	sendCompletion,
	sendStream,
	startChatUpstream,
	type UpstreamRequest,
} from '../../helpers/chat-upstream.ts';
import {gatewayHome, startTestGateway} from '../../helpers/gateway.ts';
import {messages, models, startRelay} from '../../helpers/relay.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';

const most = Number.MAX_SAFE_INTEGER;

const findingsOf = async (home: TemporaryHome): Promise<readonly Finding[]> => {
	const {stdout} = await command(['doctor', '--json', '--offline'], {home: home.path});
	const {findings}: {readonly findings: readonly Finding[]} = JSON.parse(stdout);
	return findings.filter(({subject}) => subject === 'journal');
};

const changeStore = (home: TemporaryHome, statement: string) => {
	const database = new DatabaseSync(home.file('state.db'));
	database.exec(statement);
	database.close();
};

/** Counts so much whatever it says: `Paris`, two tokens for a question of eight. */
const countingAll = (request: UpstreamRequest) => {
	const usage = {prompt_tokens: most, completion_tokens: most, total_tokens: most};
	if (request.body.stream === true) {
		sendStream(
			request,
			chunkOf({content: 'Paris'}),
			chunkOf({}, {finishReason: 'stop', usage}),
			lastEvent,
		);
	} else {
		sendCompletion(request, {content: 'Paris'}, {usage});
	}
};

test('a server that counts 2^53 − 1 tokens spends an estimate, and keys and runs can be read then and after a restart', async () => {
	await using upstream = await startChatUpstream(countingAll);
	await using home = await gatewayHome({
		config: {model: upstream.model, api: {enabled: true, port: 0, models}},
	});
	{
		await using api = await startApi({}, {home});
		for (const model of ['fast', 'agent']) {
			for (const stream of [false, true]) {
				// oxlint-disable-next-line no-await-in-loop -- one after the other: each is added to the sums
				const answer = await api.chat({model, messages, stream});
				// oxlint-disable-next-line no-await-in-loop -- as above
				expect([answer.status, await answer.text()]).toEqual([
					200,
					expect.stringContaining('Paris'),
				]);
			}
		}

		const [key] = await api.gateway.port.listKeys();
		expect(key?.usage.all.requests).toBe(4);
		expect(key?.usage.all.inputTokens).toBeLessThan(5000);
		expect(key?.usage.all.outputTokens).toBe(8);
		const runs = await api.gateway.port.listRuns({limit: 9});
		expect(runs.map(({usage}) => usage?.outputTokens)).toEqual([2, 2]);
	}

	// What a version of before has written.
	changeStore(
		home,
		`update api_key set input = ${2n ** 54n}, output = ${2n ** 62n};
		update api_key_use set input = ${2n ** 54n}, output = ${2n ** 62n};
		update run set usage = '{"inputTokens": 18014398509481982, "outputTokens": 9007199254740991}'`,
	);
	const {stdout, code} = await command(['keys', 'list', '--json'], {home: home.path});
	expect([code, JSON.parse(stdout)]).toMatchObject([0, [{usage: {all: {inputTokens: most}}}]]);
	expect(await findingsOf(home)).toMatchObject([
		{health: 'warning', found: expect.stringContaining('counted more tokens than there can be')},
	]);
	await using gateway = await startTestGateway({home});
	await gateway.until(({api}) => api?.state === 'listening');
	const [key] = await gateway.port.listKeys();
	expect(key?.usage.all).toEqual({requests: 4, inputTokens: most, outputTokens: most});
	expect(await gateway.port.revokeKey(key?.id ?? '')).toMatchObject({id: key?.id});
	const [run] = await gateway.port.listRuns({limit: 1});
	expect(run?.usage).toMatchObject({inputTokens: most, outputTokens: most});
});

test('a server that counts nothing of what it says spends an estimate, by the bytes of it', async () => {
	const nothing = {prompt_tokens: 8, completion_tokens: 0, total_tokens: 8};
	const said = '你好'.repeat(100);
	const called = {name: 'put', arguments: 'x'.repeat(1000)};
	await using relay = await startRelay(request => {
		const content = {content: said};
		if (request.body.model === 'upstream-small') {
			// A call in many pieces is no longer than its arguments.
			sendStream(
				request,
				chunkOf({tool_calls: [{index: 0, id: 'a', function: {...called, arguments: ''}}]}),
				...(called.arguments.match(/.{4}/g) ?? []).map(piece =>
					chunkOf({tool_calls: [{index: 0, function: {arguments: piece}}]}),
				),
				chunkOf({}, {finishReason: 'tool_calls', usage: nothing}),
				lastEvent,
			);
		} else if (request.body.stream === true) {
			sendStream(
				request,
				chunkOf(content),
				chunkOf({}, {finishReason: 'stop', usage: nothing}),
				lastEvent,
			);
		} else {
			sendCompletion(request, content, {usage: nothing});
		}
	});
	const {api} = relay;
	let before = 0;
	const spentBy = async (body: object) => {
		await (await api.chat({messages, ...body})).text();
		const [key] = await api.gateway.port.listKeys();
		const spent = (key?.usage.all.outputTokens ?? 0) - before;
		before += spent;
		return spent;
	};
	for (const model of ['fast', 'agent']) {
		for (const stream of [false, true]) {
			// oxlint-disable-next-line no-await-in-loop -- one after the other
			expect(await spentBy({model, stream}), `${model} ${stream}`).toBe(150);
		}
	}

	expect(await spentBy({model: 'small', stream: true})).toBe(251);
});

test('runs and deliveries of before that cannot be read are shown no more, and the gateway serves', async () => {
	await using home = await gatewayHome({
		config: {api: {enabled: true, port: 0}},
		subscriptions: {hook: {prompt: 'x', secret: 'INSECURE_NO_AUTH'}},
	});
	{
		await using gateway = await startTestGateway({home});
		const {webhook} = gateway.port.getState();
		const url = webhook.state === 'listening' ? webhook.url : '';
		const answer = await fetch(`${url}/webhooks/hook`, {
			method: 'POST',
			headers: {'content-type': 'application/json', connection: 'close'},
			body: '{}',
		});
		expect(answer.status).toBe(202);
		await gateway.until(({runs}) => runs.some(({state}) => state === 'done'));
	}

	changeStore(home, "update run set usage = '{'; update delivery set received_at = 1 << 62");
	await using gateway = await startTestGateway({home});
	const {api, webhook, logs} = gateway.port.getState();
	expect([api?.state, webhook.state]).toEqual(['listening', 'listening']);
	expect(logs.map(({message}) => message)).toEqual(
		expect.arrayContaining([
			expect.stringMatching(/Cannot read the deliveries of before .*svc doctor/),
			expect.stringMatching(/Cannot read row "1" of the table "run" .*Lists leave it out/),
		]),
	);
	expect(await findingsOf(home)).toMatchObject([
		{health: 'failed', found: expect.stringContaining('the deliveries in')},
		{health: 'failed', found: expect.stringContaining('row "1" of the table "run" in')},
	]);
});

test('keys that cannot be read take down the chat API alone, and "doctor" names them', async () => {
	await using home = await gatewayHome({config: {api: {enabled: true, port: 0}}});
	{
		await using api = await startApi({}, {home});
		expect(await api.gateway.port.listKeys()).toHaveLength(1);
	}

	for (const data of [
		"'{}'",
		"'null'",
		"json_set(data, '$.secrets', json('[1]'))",
		`json_set(data, '$.budget', json('{"tokens": 1, "per": "aeon"}'))`,
		`json_set(data, '$.budget', json('{"tokens": "1", "per": "day"}'))`,
	]) {
		const database = new DatabaseSync(home.file('state.db'));
		database.exec(`begin; update api_key set data = ${data}`);
		const engine = sqliteEngine(database, () => {});
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await expect(createKeyReader(engine).list()).rejects.toThrow(/the row of key_\w+ is none/);
		database.exec('rollback');
		database.close();
	}

	changeStore(home, "update api_key set data = '{}'");
	await using gateway = await startTestGateway({home});
	const {api, webhook} = gateway.port.getState();
	expect(webhook.state).toBe('listening');
	expect(api).toMatchObject({
		state: 'refused',
		code: 'keys_unreadable',
		reason: expect.stringMatching(/keys of the chat API.*svc doctor/),
	});
	await expect(gateway.port.listKeys()).rejects.toMatchObject({code: 'keys_unreadable'});
	expect(await findingsOf(home)).toMatchObject([
		{
			health: 'failed',
			found: expect.stringContaining('keys of the chat API'),
			mend: expect.stringContaining('svc help backup'),
		},
	]);
	// It is read again with the next try.
	changeStore(home, 'delete from api_key');
	await gateway.port.reload();
	expect(await gateway.port.listKeys()).toEqual([]);
});
