import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../source/core/events.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {createBroker} from '../../../source/core/reduce.ts';
import type {RunState} from '../../../source/core/run.ts';
import {createDeliverer} from '../../../source/delivery/create-deliverer.ts';
import {openAlerts} from '../../../source/gateway/alerts/open-alerts.ts';
import {createTemporaryHome, configOf} from '../../config/temporary-home.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {startTestGateway, testConfig} from '../../helpers/gateway.ts';
import {makeToolApproval, makeShownTool} from '../../helpers/make-approval.ts';
import {makeServer} from '../../helpers/make-server.ts';
import {makeDelivery, makeRun, received, runChanged} from '../../helpers/make.ts';
import {always, jsonServer, startHttp} from '../../mcp/servers/http-server.ts';
import {memosInMemory} from '../../platforms/open-platform.ts';
import {openService, type Call} from '../../platforms/service.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 10, 27, 14, 0, 0);

const onTelegram = {platform: 'telegram', chat_id: 12_345};
const discordChat = '123456789012345678';
const onDiscord = {platform: 'discord', chat_id: discordChat};

/** Alerts over a real deliverer, and two services: what a gateway joins, without what makes the events. */
async function openWorld(first: readonly JsonObject[]) {
	const stack = new AsyncDisposableStack();
	const clock = createFakeClock(start);
	const telegram = stack.use(
		await openService(
			() => ({status: 200, json: {ok: true, result: {message_id: 1}}}),
			({path}) => path.endsWith('/sendMessage'),
		),
	);
	const discord = stack.use(
		await openService(
			() => ({status: 200, json: {id: '1'}}),
			({method}) => method === 'POST',
		),
	);
	const home = stack.use(createTemporaryHome());
	const configWith = (alerts: readonly JsonObject[]) =>
		configOf(
			home.load({
				config: JSON.stringify({
					alerts,
					platforms: {
						telegram: {enabled: true, bot_token: '1:secret-of-telegram', api_base: telegram.url},
						discord: {enabled: true, bot_token: 'secret-of-discord', api_base: discord.url},
					},
				}),
			}),
		);
	let config = configWith(first);
	const broker = createBroker();
	const lines: string[] = [];
	const say = (message: string) => {
		lines.push(message);
	};
	const log = {debug: say, info: say, note: say, warn: say, error: say, from: () => log};
	const inMemory = memosInMemory();
	let notesRead = 0;
	const memos: typeof inMemory = {
		...inMemory,
		// Of two messages at the same moment one is on its way before the note of the other is read.
		async get(kind, name) {
			if (kind === 'delivery') {
				notesRead += 1;
				await (notesRead === 2 && Promise.race([telegram.sent(1), discord.sent(1)]));
			}

			return inMemory.get(kind, name);
		},
	};
	const list: typeof memos.list = async kind =>
		(
			await Promise.all(
				config.alerts.map(async ({platform, chat}) => {
					const name = JSON.stringify([platform, chat]);
					const value = await memos.get(kind, name);
					return value === undefined ? [] : [{name, value}];
				}),
			)
		).flat();
	const deliverer = stack.use(
		createDeliverer({
			clock,
			log,
			config: () => config,
			environment: () => ({}),
			memos,
			onPlatformChanged(platform) {
				broker.emit({type: 'platform-changed', at: clock.now(), platform});
			},
		}),
	);
	const open = async () =>
		openAlerts({
			broker,
			clock,
			emit: broker.emit,
			log,
			deliverer,
			host: 'build-1',
			isHeld: () => true,
			live: {current: () => config} as never,
			store: {memos: {...memos, list}} as never,
		});
	let alerts = await open();
	stack.defer(() => {
		alerts[Symbol.dispose]();
	});
	/** Lets what was begun come to an end, as far as it needs no time. */
	const settle = async () => {
		for (let count = 0; count < 5; count++) {
			// oxlint-disable-next-line no-await-in-loop -- one turn after the other
			await turn();
		}
	};
	const messages = {
		telegram: () => sentTexts(telegram.calls.filter(({path}) => path.endsWith('/sendMessage'))),
		discord: () => sentTexts(discord.calls.filter(({method}) => method === 'POST')),
	};
	return {
		clock,
		broker,
		lines,
		telegram,
		discord,
		messages,
		settle,
		views: () => broker.getState().alerts,
		/** Reports events, and lets the gateway look at them. */
		async happen(...events: readonly GatewayEvent[]) {
			for (const event of events) {
				broker.emit(event);
			}

			await settle();
			clock.advance(1000);
			await settle();
		},
		/** Lets time pass in which nothing is sent. */
		async pass(ms: number) {
			clock.advance(ms);
			await settle();
		},
		/** Lets time pass until a message of that number has come to a platform, and the gateway has noted how it went. */
		async sends(platform: 'discord' | 'telegram', nth: number, ms: number) {
			const isOfIt = (line: string) => line.includes('alert') && line.includes(` to ${platform} `);
			const noted = () => lines.filter(isOfIt).length;
			const before = noted();
			clock.advance(ms);
			await {telegram, discord}[platform].sent(nth);
			while (noted() === before) {
				// oxlint-disable-next-line no-await-in-loop -- until the answer has come
				await turn();
			}

			await settle();
		},
		async reload(next: readonly JsonObject[]) {
			config = configWith(next);
			alerts.changed();
			await settle();
		},
		/** As after kill -9: nothing but the journal is left of what was told. */
		async restart() {
			alerts[Symbol.dispose]();
			alerts = await open();
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

/** What requests to a service send to a chat. */
const sentTexts = (calls: readonly Call[]): readonly string[] =>
	calls.map(({body}) => {
		const {text, content} = body as {text?: string; content?: string};
		return text ?? content ?? '';
	});

type Opened = Awaited<ReturnType<typeof openWorld>>;

const dead = (id: number, state: RunState = 'dead', at = start): GatewayEvent =>
	runChanged(makeRun({id, state, finishedAt: at}));

const server = (
	status: 'connected' | 'failed' | 'needs login',
	name = 'crm',
	reason?: string,
): GatewayEvent => ({
	type: 'server-changed',
	at: start,
	server: makeServer({name, status, since: start, ...(reason !== undefined && {reason})}),
});

const asked = (id: number, at: number): GatewayEvent => ({
	type: 'approval-requested',
	at,
	approval: makeToolApproval({id, requestedAt: at, deadline: at + 300_000}),
});

const answered = (id: number, at: number): GatewayEvent => ({
	type: 'approval-settled',
	at,
	approval: makeToolApproval({id, decision: {outcome: 'denied', at, by: 'cli'}}),
});

/** Lines of a message without the first. */
const linesOf = (text: string | undefined) => (text ?? '').split('\n').slice(1);

test('"one message that gathers what happened within a short wait": 30 s after the first', async () => {
	await using world = await openWorld([onTelegram, {...onDiscord, on: ['login']}]);
	await world.happen(dead(12), server('needs login'));
	await world.pass(15_000);
	await world.happen(dead(13));
	await world.pass(12_000);
	expect(world.telegram.calls).toHaveLength(0);

	await world.sends('telegram', 1, 2000);
	const [text = ''] = world.messages.telegram();
	expect(text).toMatch(
		/^svc on build-1, \d\d:\d\d (?:UTC|[+-]\d\d:\d\d): 3 things need a person\n/,
	);
	expect(linesOf(text)).toEqual([
		expect.stringMatching(/^- Tool server crm needs a login, since \d\d:\d\d: svc mcp login crm$/),
		expect.stringMatching(
			/^- Run #12 of gh-review is dead, a person decides, since \d\d:\d\d: svc runs show 12$/,
		),
		expect.stringMatching(/^- Run #13 of gh-review .* svc runs show 13$/),
	]);
	await world.discord.sent(1);
	expect(world.messages.discord().map(linesOf)).toEqual([[expect.stringContaining('login crm')]]);
	expect(world.lines.filter(line => line.includes('uncertain'))).toEqual([]);
	expect(world.lines).toContain('An alert was sent to telegram 12345');
});

test('a request for approval is told of after 5 s, says until when and where to answer, and no argument of it', async () => {
	await using world = await openWorld([onTelegram]);
	await world.happen(asked(4, start));
	await world.pass(4000);
	expect(world.telegram.calls).toHaveLength(0);
	await world.sends('telegram', 1, 1000);
	const [text = ''] = world.messages.telegram();
	expect(linesOf(text)).toEqual([
		expect.stringMatching(
			/^- Approval 4 waits: create_issue .*, since \d\d:\d\d until \d\d:\d\d: svc approvals list$/,
		),
	]);
	expect(text).not.toContain('Flaky');
});

test('"at most one per at_most_seconds": what comes meanwhile is gathered, what is settled meanwhile falls out', async () => {
	await using world = await openWorld([{...onTelegram, at_most_seconds: 600}]);
	await world.happen(dead(1));
	await world.sends('telegram', 1, 30_000);

	await world.happen(dead(2), dead(3), asked(4, start));
	await world.pass(8 * minute);
	await world.happen(answered(4, start), dead(3, 'queued'), server('needs login'));
	expect(world.telegram.calls).toHaveLength(1);
	await world.sends('telegram', 2, 2 * minute);
	expect(linesOf(world.messages.telegram()[1]).map(line => line.slice(0, 20))).toEqual([
		'- Tool server crm ne',
		'- Run #2 of gh-revie',
	]);
});

test('a message of which all was settled meanwhile is not sent, and what is told of once is not told of again', async () => {
	await using world = await openWorld([onTelegram]);
	await world.happen(dead(1), asked(4, start));
	await world.happen(answered(4, start), dead(1, 'queued'));
	await world.pass(hour);
	expect(world.telegram.calls).toHaveLength(0);

	await world.happen(server('needs login'));
	await world.sends('telegram', 1, 30_000);
	// It connects, and is sent away at once.
	await world.happen(server('connected'));
	await world.happen(server('needs login'));
	await world.pass(2 * hour);
	expect(world.telegram.calls).toHaveLength(1);

	await world.happen(server('connected'));
	await world.pass(2 * minute);
	await world.happen(server('needs login'));
	await world.sends('telegram', 2, 30_000);
});

test('a run that dies again after it was put back is another one', async () => {
	await using world = await openWorld([{...onTelegram, at_most_seconds: 60}]);
	await world.happen(dead(1));
	await world.sends('telegram', 1, 30_000);
	await world.happen(dead(1, 'queued'));
	await world.happen(dead(1, 'dead', start + minute));
	await world.sends('telegram', 2, hour);
	expect(linesOf(world.messages.telegram()[1])).toEqual([expect.stringContaining('Run #1')]);
});

test('events lost above a rate: the route, how many, and what helps, once while it goes on', async () => {
	await using world = await openWorld([{...onTelegram, at_most_seconds: 60}]);
	const lost = () =>
		received(
			makeDelivery({route: 'ci', status: 429, outcome: 'rate', receivedAt: world.clock.now()}),
		);
	const route = {
		name: 'ci',
		profile: 'default',
		source: 'dynamic',
		description: '',
		events: [],
		deliver: 'log',
		mode: 'agent',
		insecure: false,
	} as const;
	await world.happen({type: 'routes-changed', at: start, routes: [route]}, lost(), lost());
	await world.sends('telegram', 1, 30_000);
	expect(linesOf(world.messages.telegram()[0])).toEqual([
		expect.stringMatching(
			/^- Route ci loses events above its rate_limit, 2 events within the hour; overflow: queue keeps them, since .*: svc webhook edit ci$/,
		),
	]);
	await world.happen(lost());
	await world.pass(2 * hour);
	expect(world.telegram.calls).toHaveLength(1);
	// An hour without a loss has passed: it is another one.
	await world.happen(lost());
	await world.sends('telegram', 2, minute);
});

test('what is refused is told of once, with its reason: a server, a platform, the model, the receiver, the configuration', async () => {
	await using world = await openWorld([{...onTelegram, on: ['refused']}]);
	await world.happen(
		server('failed', 'files'),
		server('needs login'),
		server('failed', 'bad', 'config.yaml:4:5 mcp_servers.bad.url: must be text'),
		{type: 'webhook-refused', at: start, code: 'EADDRINUSE', reason: 'port 8644 is in use'},
		{type: 'model-refused', at: start, reason: 'no such model'},
		{type: 'model-silent', at: start, reason: 'Cannot reach it'},
		{
			type: 'platform-changed',
			at: start,
			platform: {name: 'discord', state: 'failed', reason: 'Unauthorized'},
		},
		{
			type: 'platform-changed',
			at: start,
			platform: {name: 'telegram', state: 'failed', reason: 'its own: it could not be told'},
		},
		{
			type: 'config-rejected',
			at: start,
			problems: [
				{
					severity: 'error',
					file: '/home/config.yaml',
					line: 3,
					column: 5,
					key: 'runs.tries',
					message: 'must be a number',
				},
				{
					severity: 'error',
					file: '/home/config.yaml',
					line: 4,
					column: 5,
					key: 'mcp_servers.bad.url',
					message: 'must be text',
				},
			],
		},
	);
	await world.sends('telegram', 1, 30_000);
	expect(
		linesOf(world.messages.telegram()[0]).map(line => line.replace(/, since [^:]+:\d\d/, '')),
	).toEqual([
		'- The configuration is refused: config.yaml:3:5 runs.tries: must be a number: svc config check',
		'- The configuration is refused: config.yaml:4:5 mcp_servers.bad.url: must be text: svc config check',
		'- Webhooks are not received: port 8644 is in use: svc gateway status',
		'- Runs fail, as the model does not answer: Cannot reach it: svc doctor',
		'- Runs will fail: no such model: svc doctor',
		'- Tool server files is failed: svc mcp test files',
		'- Platform discord has failed: Unauthorized: svc platforms show discord',
	]);
});

test('at most ten lines and "and N more"; names of strangers mention nobody and hold no secret', async () => {
	await using world = await openWorld([onTelegram, onDiscord]);
	const hostile = makeToolApproval({
		tool: makeShownTool({
			tool: '@everyone <!channel> [x](http://e)\n- svc\u202E secret-of-discord',
		}),
	});
	await world.happen(
		{type: 'approval-requested', at: start, approval: hostile},
		...Array.from({length: 14}, (_, index) => dead(index + 1)),
	);
	await world.sends('telegram', 1, 5000);
	await world.discord.sent(1);
	const [text = ''] = world.messages.telegram();
	expect(linesOf(text)).toHaveLength(11);
	expect(text).toContain('15 things need a person');
	expect(linesOf(text).at(-1)).toBe('and 5 more: svc gateway status, svc runs list --state dead');
	expect(text).toContain('＠everyone');
	for (const shown of [text, ...world.messages.discord()]) {
		expect(shown).not.toMatch(/secret-of-discord|\u202E/);
	}

	expect(world.discord.calls.at(-1)?.body).toMatchObject({allowed_mentions: {parse: []}});
});

/** A world whose first message fails: the person still has to hear. */
async function failOnce(world: Opened) {
	world.telegram.react({status: 500, json: {ok: false, error_code: 500, description: 'Oops'}});
	await world.happen(dead(1));
	await world.sends('telegram', 1, 30_000);
	expect(world.views()).toMatchObject([
		{platform: 'telegram', problem: expect.stringContaining('Oops')},
	]);
}

test('"a failure to send is a log line and a fact of the platform, tried again with the next one, and never itself an alert loop"', async () => {
	await using world = await openWorld([onTelegram]);
	await failOnce(world);
	expect(world.lines.filter(line => line.startsWith('Cannot send an alert'))).toEqual([
		expect.stringMatching(/^Cannot send an alert to telegram 12345, it is tried again: .*Oops/),
	]);
	expect(world.broker.getState().platforms).toMatchObject([{name: 'telegram', state: 'failed'}]);
	await world.happen(dead(2));
	await world.pass(4 * minute);
	expect(world.messages.telegram()).toHaveLength(1);
	await world.sends('telegram', 2, minute);
	expect(linesOf(world.messages.telegram()[1])).toHaveLength(2);
	expect(world.views()).toEqual([
		{
			platform: 'telegram',
			chat: '12345',
			on: ['dead', 'lost', 'login', 'refused', 'approval'],
			sentAt: world.clock.now(),
		},
	]);
	await world.pass(3 * hour);
	expect(world.messages.telegram()).toHaveLength(2);
});

test('a message that fails again is tried twice as late each time, and a reload tries it anew', async () => {
	await using world = await openWorld([onTelegram]);
	await failOnce(world);
	for (const [count, minutes] of [
		[2, 5],
		[3, 10],
		[4, 20],
		[5, 40],
		[6, 60],
		[7, 60],
	] as const) {
		world.telegram.react({status: 500, json: {ok: false, error_code: 500, description: 'Oops'}});
		// oxlint-disable-next-line no-await-in-loop -- in order
		await world.pass(minutes * minute - 1000);
		expect(world.messages.telegram()).toHaveLength(count - 1);
		// oxlint-disable-next-line no-await-in-loop -- in order
		await world.sends('telegram', count, 1000);
	}

	await world.pass(minute);
	await world.reload([onTelegram]);
	await world.sends('telegram', 8, 0);
	expect(world.lines).toContain('An alert was sent to telegram 12345');
});

test('a platform has 30 s for a message, as for an answer of a run', async () => {
	await using world = await openWorld([onTelegram]);
	world.telegram.react('hangs');
	await world.happen(dead(1));
	await world.pass(30_000);
	await world.telegram.sent(1);
	await world.pass(29_000);
	expect(world.lines).toEqual([]);
	await world.sends('telegram', 1, 1000);
	expect(world.lines).toEqual([expect.stringContaining('may have arrived')]);
});

test('a message that may have arrived is not repeated', async () => {
	await using world = await openWorld([onTelegram]);
	world.telegram.react('breaks');
	await world.happen(dead(1));
	await world.sends('telegram', 1, 30_000);
	expect(world.lines).toContainEqual(expect.stringMatching(/may have arrived, it is not repeated/));
	await world.pass(3 * hour);
	expect(world.messages.telegram()).toHaveLength(1);
});

test('after kill -9 what was told is not told again, and what was not is found in the state', async () => {
	await using world = await openWorld([onTelegram]);
	await world.happen(dead(1));
	await world.sends('telegram', 1, 30_000);
	await world.happen(dead(2));
	await world.restart();
	await world.pass(minute);
	expect(world.messages.telegram(), 'the pace goes on').toHaveLength(1);
	await world.sends('telegram', 2, hour);
	expect(linesOf(world.messages.telegram()[1])).toEqual([expect.stringContaining('Run #2')]);
});

test('a reload counts at once: another chat, a faster pace, nobody; a clock that is set back silences nobody', async () => {
	await using world = await openWorld([]);
	expect(world.views()).toEqual([]);
	await world.happen(dead(1));
	await world.reload([onTelegram]);
	await world.sends('telegram', 1, 30_000);
	await world.happen(dead(2));
	await world.reload([{...onTelegram, at_most_seconds: 40}]);
	await world.sends('telegram', 2, 40_000);

	world.clock.setWall(-hour);
	await world.happen(dead(3));
	await world.sends('telegram', 3, 40_000);

	await world.happen(dead(4));
	await world.reload([]);
	await world.pass(hour);
	expect(world.messages.telegram()).toHaveLength(3);
	expect(world.views()).toEqual([]);
});

test('a gateway: a dead run, lost events, a login, a refused route and an approval are told to a chat, and a reload counts at once', async () => {
	await using telegram = await openService(
		({path}) => ({
			status: 200,
			json: {
				ok: true,
				result: path.endsWith('/getMe') ? {id: 1, username: 'svc'} : {message_id: 1},
			},
		}),
		({path}) => path.endsWith('/sendMessage'),
	);
	await using discord = await openService(({method}) =>
		method === 'GET'
			? {status: 200, json: {id: '1', bot: true, username: 'svc'}}
			: {status: 400, json: {code: 50_035, message: 'Invalid Form Body'}},
	);
	await using crm = await startHttp(always(401, 'application/json', '{}'));
	await using untrusted = await startHttp(
		jsonServer({}, [{name: 'turn', description: 'Turns', inputSchema: {type: 'object'}}]),
	);
	const clock = createFakeClock(Date.now());
	const config = {
		model: {provider: 'offline', allow_offline_delivery: true},
		mcp_servers: {
			crm: {url: crm.url, auth: 'oauth'},
			a: {url: untrusted.url, trust: 'untrusted'},
		},
		platforms: {
			telegram: {enabled: true, bot_token: '1:secret', api_base: telegram.url},
			discord: {enabled: true, bot_token: 'secret', api_base: discord.url},
		},
	};
	await using gateway = await startTestGateway({
		clock,
		config,
		subscriptions: {
			hook: {prompt: 'hi', deliver: 'discord', deliver_extra: {chat_id: discordChat}, toolsets: []},
			ci: {prompt: 'hi', rate_limit: 1, toolsets: []},
			ask: {prompt: '/tool mcp__a__turn {"by": "an argument"}', toolsets: ['mcp-a']},
			bad: {prompt: 'hi', deliver: 'nowhere'},
		},
	});
	expect(gateway.port.getState().alerts).toEqual([]);
	const isLogged = (text: string) => gateway.log.some(line => line.includes(text));
	await gateway.until(() => isLogged('"a" is connected') && isLogged('"crm" needs a login'));
	// What servers report within 100 ms is told at its end.
	clock.advance(100);
	for (const route of ['hook', 'ci', 'ci', 'ask']) {
		// oxlint-disable-next-line no-await-in-loop -- in order
		await gateway.send(route, {});
	}

	await gateway.until(
		({runs, approvals, servers}) =>
			runs.some(({state}) => state === 'dead') &&
			approvals.length > 0 &&
			servers.some(({status}) => status === 'needs login'),
	);
	const reload = async (alerts: readonly JsonObject[]) => {
		await gateway.home.write('config.yaml', testConfig({...config, alerts}));
		await gateway.port.reload();
	};
	await reload([onTelegram]);
	expect(gateway.port.getState().alerts).toMatchObject([{platform: 'telegram', chat: '12345'}]);
	clock.advance(30_000);
	await telegram.sent(1);
	const text = sentTexts(telegram.calls.filter(({path}) => path.endsWith('/sendMessage')))[0] ?? '';
	expect(linesOf(text)).toEqual([
		expect.stringMatching(/^- Approval 1 waits: turn .*: svc approvals list$/),
		expect.stringMatching(/^- Tool server crm needs a login, .*: svc mcp login crm$/),
		expect.stringMatching(/^- Run #1 of hook is dead, .*: svc runs show 1$/),
		expect.stringMatching(/^- Route ci loses events .*: svc webhook edit ci$/),
		expect.stringMatching(/^- Route bad is not served: .*nowhere.*: svc webhook list$/),
	]);
	expect(text).not.toMatch(/an argument|secret/);

	await reload([]);
	expect(gateway.port.getState().alerts).toEqual([]);
	const changes = () =>
		gateway.events.flatMap(event => (event.type === 'config-reloaded' ? event.changes : []));
	await gateway.until(() => changes().length === 2);
	const entry = 'telegram 12345 on dead, lost, login, refused, approval, at most one in 3600 s';
	expect(changes()).toEqual([`alert added: ${entry}`, `alert ended: ${entry}`]);
});
