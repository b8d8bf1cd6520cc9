import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {McpServer} from '@modelcontextprotocol/server';
import {Command} from 'commander';
import {expect, test} from 'vitest';
import {parse} from 'yaml';
import {z} from 'zod';
import {addCommands} from '../../source/cli/commands/commands.ts';
import type {Context} from '../../source/cli/console/context.ts';
import {type Clock, systemClock} from '../../source/core/clock.ts';
import {hasEnded} from '../../source/core/run.ts';
import {controlOpenApi} from '../../source/gateway/control/control-openapi.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import {startApi, type Api} from '../helpers/api.ts';
import {installForgeClient} from '../helpers/forge-client.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret} from '../helpers/post.ts';
import {startScriptedModel} from '../helpers/scripted-model.ts';
import {temporaryHome, type TemporaryHome} from '../helpers/temporary-home.ts';
import {startModern} from '../mcp/servers/modern-server.ts';
import {acceptRun, leaseOne, sampleEntry} from '../store/samples.ts';
import {command} from './command.ts';

// Scripts of strangers read what --json prints. Every answer is recorded in answers/, byte for byte but for what differs from run to run; a change of the
// code that alters one shows here. UPDATE_ANSWERS=1 writes the files anew: read the difference in git before you commit it.

const folder = 'tests/cli/answers';
const isUpdate = process.env['UPDATE_ANSWERS'] === '1';

/** What the file of that name has recorded; `text`, where it is to be recorded anew. */
function recorded(name: string, text: string): string {
	const file = join(folder, name);
	if (!isUpdate) {
		return existsSync(file) ? readFileSync(file, 'utf8') : '';
	}

	if (!/^(?:0|false)?$/.test(process.env['CI'] ?? '')) {
		throw new Error('Cannot record answers in CI: record them where a person looks at them');
	}

	mkdirSync(folder, {recursive: true});
	writeFileSync(file, text);
	return text;
}

function expectRecorded(name: string, text: string): void {
	expect(text, `${join(folder, name)}: UPDATE_ANSWERS=1 records it anew`).toBe(
		recorded(name, text),
	);
}

const now = Date.parse('2026-11-23T12:00:00Z');

const config = (model: string, tools: string) => ({
	gateway: {node: 'here'},
	model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model},
	runs: {delivery_tries: 1, tries: 1},
	colour: 'red',
	api: {enabled: true, port: 0},
	approvals: {
		allow: [{route: 'configured', tool: 'mcp__notes__write'}],
	},
	mcp_servers: {
		notes: {url: tools, trust: 'untrusted'},
		slip: {},
		off: {command: 'no-such-program', enabled: false},
	},
	platforms: {
		webhook: {
			enabled: true,
			host: '127.0.0.1',
			port: 0,
			secret: hookSecret,
			routes: {
				configured: {
					description: 'A route of config.yaml',
					events: ['push'],
					filters: [{field: 'action', in: ['opened']}],
					prompt: 'Look at {action}',
					skills: ['review'],
				},
				broken: {prompt: 'Look', filters: [{field: 'action', regex: '('}]},
			},
		},
	},
});

const subscriptions = {
	hook: {prompt: 'Say what {name} did'},
	direct: {
		prompt: '{name} came',
		deliver: 'forge_comment',
		deliver_extra: {repo: 'acme/api', pr_number: '8'},
		deliver_only: true,
	},
	forge: {
		prompt: 'Review',
		deliver: 'forge_comment',
		deliver_extra: {repo: 'acme/api', pr_number: '7'},
	},
	paused: {prompt: 'Look', enabled: false},
	renamed: {prompt: 'Look'},
	slow: {
		prompt: 'All of {pr}',
		coalesce: {key: 'pr', window_seconds: 600, max_wait_seconds: 900},
	},
};

const jobs = [
	{
		id: 'job_morning0',
		name: 'morning',
		schedule: '0 9 * * *',
		time_zone: 'UTC',
		prompt: 'Summarise the night',
	},
	{
		id: 'job_paused00',
		name: 'paused',
		schedule: 'every 2h',
		time_zone: 'UTC',
		prompt: 'x',
		paused: true,
	},
	{id: 'job_broken00', name: 'broken', schedule: 'sometimes', prompt: 'x'},
];

const linked = Buffer.from('{"url":"https://tools.example/mcp"}').toString('base64url');

const logLines = `2026-11-23T11:59:58.000Z info  gateway  Started home=/srv/svc
2026-11-23T11:59:59.000Z warn  webhook  Cannot read "x" route=hook run=1
`;

function makeTools(): McpServer {
	const server = new McpServer({name: 'notes', version: '1.0.0'});
	for (const [name, readOnlyHint] of [
		['read', true],
		['write', false],
	] as const) {
		server.registerTool(
			name,
			{
				description: `Can ${name} a note`,
				annotations: {readOnlyHint},
				inputSchema: z.object({path: z.string()}),
			},
			async ({path}) => ({content: [{type: 'text', text: `${name} ${path}`}]}),
		);
	}

	return server;
}

/** What an earlier gateway left in the journal: runs that ended in ways that only a crash, or a target, leads to, and people who wrote in chats. */
async function leaveRecords(home: TemporaryHome, clock: Clock): Promise<void> {
	await using store = await openSqliteStore({clock}, {file: home.file('state.db')});
	for (const [index, settlement] of (
		[
			{state: 'failed', error: 'the model said nothing'},
			{state: 'uncertain', error: 'the process ended while the answer was handed over'},
			{state: 'interrupted', error: 'the process ended in a call of mcp__notes__write'},
			{state: 'silent'},
		] as const
	).entries()) {
		// oxlint-disable-next-line no-await-in-loop -- their numbers have an order
		await acceptRun(
			store,
			sampleEntry({
				id: (now * 2048 - 1000 + index).toString(36),
				deliveryId: `earlier-${index}`,
				receivedAt: now - 1000,
				route: 'hook',
				flags: 0,
			}),
		);
		// oxlint-disable-next-line no-await-in-loop
		await store.runs.settle(await leaseOne(store), settlement);
	}

	const inChat = {platform: 'telegram', chat: '-1001'};
	await store.conversations.receive({
		profile: 'default',
		platform: 'telegram',
		maxWaiting: 1,
		maxQueued: 1,
		messages: [
			{id: '1', conversation: inChat, user: '4711', asks: {kind: 'nothing'}},
			{
				id: '2',
				conversation: {...inChat, thread: '17'},
				user: '12345',
				name: 'Ann',
				asks: {kind: 'nothing'},
			},
		],
	});
}

const writes = (path: string) => ({
	toolCalls: [{id: `call_${path}`, name: 'mcp__notes__write', arguments: {path}}],
});

/** A home with one of everything, and the programs that it names. */
async function openWorld() {
	await using stack = new AsyncDisposableStack();
	// It stands still for who reads it; what waits for time goes on.
	const clock: Clock = {...systemClock, now: () => now};
	const model = stack.use(
		await startScriptedModel([], {
			// The run that wrote this does not end: a rule for it would end with it.
			otherwise: ({body}) =>
				JSON.stringify(body).includes('write c.md') ? {hang: true} : {text: 'Noted'},
		}),
	);
	const tools = stack.use(await startModern('reject', makeTools));
	const client = stack.use(await installForgeClient());
	await client.serve({
		'repos/acme/api/hooks?per_page=100': {
			body: [{id: 1, config: {url: 'https://h.example/webhooks/forge'}}],
		},
		'repos/acme/api/hooks/1/deliveries?per_page=100': {
			body: [
				{
					id: 9,
					guid: 'guid-9',
					delivered_at: '2026-11-23T11:00:00Z',
					status_code: 502,
					status: 'failed',
					event: 'push',
					action: 'opened',
				},
			],
		},
	});
	const settings = config(model.baseUrl, tools.url);
	const home = stack.use(await gatewayHome({config: settings, subscriptions}));
	await home.write('cron/jobs.json', JSON.stringify({jobs}));
	await home.write('logs/gateway.log', logLines);
	await home.write('skills/review/SKILL.md', '# Review\nRead twice.\n');
	await leaveRecords(home, clock);
	const environment = {PATH: client.path};
	const opened = stack.move();
	return {
		settings,
		clock,
		model,
		client,
		home,
		environment,
		run: async (line: string) => command(wordsOf(line), {home: home.path, clock, environment}),
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

/** The words of a command line; those in quotation marks stay together. */
const wordsOf = (line: string): readonly string[] =>
	[...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

type World = Awaited<ReturnType<typeof openWorld>>;

/** The same text in every run: without ports, folders, processes, times of the machine, and what is drawn at random. */
function steady(text: string, {home}: World): string {
	const seen = new Map<string, string>();
	const numbered = (kind: string) => (found: string) => {
		const name = seen.get(found) ?? `<${kind} ${seen.size + 1}>`;
		seen.set(found, name);
		return name;
	};
	return (
		text
			.replaceAll(home.path, '<home>')
			.replaceAll(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:<port>')
			.replaceAll(/\bses_\w+/g, numbered('session'))
			.replaceAll(/\bkey_\w{12}/g, numbered('key'))
			.replaceAll(/\bsvc_(?:live|test)_\w+(?:…\w+)?/g, numbered('secret'))
			.replaceAll(/\bdel_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, numbered('uuid'))
			.replaceAll(/\bjob_[a-z0-9]{8}\b/g, numbered('job'))
			.replaceAll(/"pid": \d+/g, '"pid": <pid>')
			.replaceAll(/"durationMs": [\d.]+/g, '"durationMs": <ms>')
			.replaceAll(/"since": \d+/g, '"since": <at>')
			.replaceAll(/"endpoint": "[0-9a-f]{64}"/g, '"endpoint": "<hash>"')
			// Some are read off a clock that never jumps.
			.replaceAll(/\b1795\d{9}\b/g, at => `<${Math.round((Number(at) - now) / 60_000)} min>`)
			.replaceAll(`(${userInfo().username})`, '(<user>)')
	);
}

/** What the doctor finds differs from machine to machine: the names of what it says. */
const doctorShape = (stdout: string): string => {
	const {findings, ...rest} = JSON.parse(stdout) as {findings: ReadonlyArray<{subject: string}>};
	const shapes = findings.map(finding => `${finding.subject}: ${Object.keys(finding).join(', ')}`);
	return `${Object.keys(rest).join(', ')}\n${[...new Set(shapes)].join('\n')}\n`;
};

/** One command after the other, as a person would see them; each line gets `--json`. */
async function transcript(world: World, lines: readonly string[]): Promise<string> {
	let text = '';
	for (const line of lines) {
		// oxlint-disable-next-line no-await-in-loop -- one changes what the next one reads
		const {code, stdout, stderr} = await world.run(`${line} --json`);
		const shown = line.startsWith('doctor') ? doctorShape(stdout) : stdout;
		text += `$ svc ${line} --json\n${shown}${stdout === '' ? stderr : ''}= ${code}\n\n`;
	}

	return steady(text, world);
}

const reading = (ids: {
	readonly done: string;
	readonly refused: string;
	readonly session: string;
}): readonly string[] => [
	'gateway status',
	'webhook list',
	'webhook simulate configured',
	"webhook simulate hook --prompt 'Only {name}'",
	'webhook recover forge --dry-run',
	'deliveries list',
	'deliveries list --dead',
	'deliveries list --filter route:hook --limit 1',
	`deliveries show ${ids.done}`,
	`deliveries show ${ids.refused}`,
	'groups list',
	'groups show 1',
	'runs list',
	'runs list --state failed dead',
	'runs list --job morning',
	'usage',
	'usage --by key --since 1h',
	'usage --by model',
	'usage --by job',
	...[1, 3, 5, 6, 7, 8, 9, 10].map(run => `runs show ${run}`),
	'logs --run 7',
	'cron list',
	'cron show morning',
	'cron show paused',
	'skills list',
	'skills show review',
	'skills show nowhere',
	'mcp list',
	'mcp status notes',
	'mcp status slip',
	'mcp status off',
	'approvals list',
	'approvals list --all',
	'approvals show 1',
	'approvals show 2',
	'approvals rules',
	'platforms list',
	'platforms show telegram',
	'platforms test telegram',
	'keys list',
	'sessions list',
	`sessions show ${ids.session}`,
	'sessions search penguins',
	'chats list',
	'chats show telegram:-1001',
	'chats show telegram:1',
	'config path',
	'config check',
	'explain approval_invalid',
	'doctor --offline',
];

/** What changes something, in an order in which each has what it needs. */
const acting = ({
	done,
	key,
	taken,
}: {
	readonly done: string;
	readonly key: string;
	/** A file of exported deliveries. */
	readonly taken: string;
}): readonly string[] => [
	'approvals wait 3',
	'approvals deny 3 --reason no',
	'approvals allow 2 --for run --yes',
	'approvals rules',
	'approvals revoke 2',
	`deliveries replay ${done} --to slow --dry-run`,
	`deliveries replay ${done} --yes`,
	`deliveries import ${taken}`,
	'groups dispatch 1',
	'webhook subscribe fresh --prompt Look --events push --secret correct-horse-battery',
	'webhook subscribe fresh --description Fresh',
	'webhook rename renamed other',
	'webhook rotate other --secret staple-battery-horse-correct',
	`webhook test direct --payload '{"name":"Fay"}'`,
	'webhook pause other',
	'webhook resume other',
	'webhook subscribe passing --secret correct-horse-battery',
	'webhook remove passing',
	"cron add --name fresh --schedule '30 6 * * 1' --time-zone UTC --prompt Look --deliver log",
	"cron edit morning --schedule '15 7 * * *'",
	'cron pause morning',
	'cron resume morning',
	'cron run morning',
	'cron remove fresh',
	'runs cancel 5',
	'runs retry 5',
	'runs drop 5',
	'runs deliver 5 --to log --yes',
	`keys show ${key}`,
	`keys rotate ${key} --overlap 0s`,
	`keys revoke ${key}`,
	'mcp disconnect notes',
	'mcp connect notes',
	'mcp test notes',
	'mcp logout notes',
	'mcp add fresh --url https://tools.example/mcp',
	'mcp remove fresh --yes',
	`mcp install 'svc://mcp/install?name=linked&config=${linked}' --dry-run`,
	'keys create --name fresh --rpm 10',
	'chats allow telegram:12345',
	'chats allow telegram:12345',
	'chats allow sms:1',
];

/** Lets a gateway meet one of everything; resolves with the names of what it met. */
async function meetEverything({model, client}: World, api: Api) {
	const {gateway} = api;
	const {port} = gateway;
	await gateway.until(({servers}) => servers.some(({status}) => status === 'connected'));
	let sent = 0;
	const push = async (route: string, payload: unknown, more = {}) =>
		gateway.send(route, payload, {'x-github-delivery': `sent-${++sent}`, ...more});
	const waiting = async () => {
		const {approvals} = await gateway.until(({approvals: [one]}) => one !== undefined);
		return approvals[0]?.id ?? 0;
	};

	// One at a time: runs 1 to 4 are the earlier ones.
	model.push(
		{toolCalls: [{id: 'call_a', name: 'mcp__notes__read', arguments: {path: 'a.md'}}]},
		{text: 'Alex pushed'},
	);
	await push('hook', {name: 'Alex'});
	const done = await gateway.ended(5);
	model.push({text: 'Looks good'});
	await client.fail('HTTP 403: forbidden');
	await push('forge', {name: 'Alex'});
	await gateway.ended(6);
	model.push({status: 400, message: 'no such model'});
	await push('hook', {name: 'Bea'});
	await gateway.ended(7);
	model.push(writes('b.md'), {text: 'Then not'});
	await push('hook', {name: 'Cem'});
	await port.settleApproval(await waiting(), {
		answer: {choice: 'deny', reason: 'not today'},
		by: 'cli',
	});
	await gateway.ended(8);
	await client.fail(undefined);
	await push('direct', {name: 'Dan'});
	await push('slow', {pr: 7, step: 1});
	await push('slow', {pr: 7, step: 2});
	await push('configured', {action: 'closed'});
	await push('configured', {action: 'opened'}, {'x-github-event': 'issues'});
	await push('paused', {});
	await push('broken', {});
	await push('nobody', {});
	await push('hook', {}, {'x-hub-signature-256': 'sha256=00'});
	const [refused] = await port.listDeliveries({limit: 1});
	model.push({text: 'In the south'});
	const said = await api.chat(
		{model: 'svc-agent-1', messages: [{role: 'user', content: 'Where do penguins live?'}]},
		{headers: {'x-svc-session': 'new'}},
	);
	await said.text();
	model.push(writes('c.md'));
	await push('hook', {name: 'Eve'});
	await waiting();
	model.push(writes('d.md'));
	await push('hook', {name: 'Fay'});
	await gateway.until(({approvals}) => approvals.length === 2);
	const [key] = await port.listKeys();
	return {
		done: done.delivery ?? '',
		refused: refused?.id ?? '',
		session: said.headers.get('x-svc-session') ?? '',
		key: key?.id ?? '',
	};
}

/** Every command that takes `--json`: `runs list`. */
function commandsWithJson(): readonly string[] {
	const program = new Command('svc');
	addCommands(program, {clock: systemClock} as Context);
	const below = (parent: Command, path: readonly string[]): readonly string[] =>
		parent.commands.flatMap(sub => {
			const words = [...path, sub.name()];
			const own = sub.options.some(({long}) => long === '--json') ? [words.join(' ')] : [];
			return [...own, ...below(sub, words)];
		});
	return below(program, []);
}

/** These need a person at a browser, a tool that changed since its rule was written, or something that answers: tests/cli/mcp-login.test.ts, approvals.test.ts and those of their names. */
const notRecorded = [
	'webhook edit',
	'mcp call',
	'mcp login',
	'mcp reauth',
	'approvals fill',
	'approvals accept',
	'talk',
];

const prose = new Set(['description', 'summary', 'title', 'example', 'examples']);

/** A document without its prose; what fits stands on one line. */
function outline(value: unknown, indent = ''): string {
	const whole = JSON.stringify(value);
	if (typeof value !== 'object' || value === null || whole.length + indent.length < 110) {
		return whole;
	}

	const deeper = `${indent}  `;
	const items = Array.isArray(value)
		? value.map(item => outline(item, deeper))
		: Object.entries(value).map(([key, item]) => `${key}: ${outline(item, deeper)}`);
	return items.map(item => `\n${deeper}${item}`).join('');
}

const withoutProse = (document: string): string =>
	`${outline(
		JSON.parse(document, (key, value: unknown) =>
			prose.has(key) && typeof value !== 'object' ? undefined : value,
		),
	)}\n`;

test('what the control API, the chat API and the files are described as', async () => {
	await using home = await temporaryHome();
	const schema = async (of: string) =>
		(await command(wordsOf(`config schema ${of}`), {home: home.path})).stdout;
	const documents = {
		'control-api.txt': JSON.stringify(controlOpenApi('1.0.0')),
		'chat-api.txt': JSON.stringify(parse(readFileSync('source/manual/openapi.yaml', 'utf8'))),
		'config-schema.txt': await schema(''),
		'job-schema.txt': await schema('job'),
	};
	for (const [name, document] of Object.entries(documents)) {
		const text = withoutProse(document);
		expect({name, text}).toEqual({name, text: recorded(name, text)});
	}
});

test('what --json answers, of a gateway that runs and of the journal of one that does not', async () => {
	await using world = await openWorld();
	const {home, clock, environment} = world;
	const commands: string[] = [];
	{
		await using api = await startApi({}, {home, clock, environment});
		const ids = await meetEverything(world, api);
		const lines = reading(ids);
		expectRecorded('with-a-gateway.txt', await transcript(world, lines));
		await world.run(`deliveries export --route direct --out ${home.file('taken.jsonl')}`);
		const changes = acting({...ids, taken: home.file('taken.jsonl')});
		expectRecorded('changes.txt', await transcript(world, changes));
		await world.run('runs cancel 10');
		await api.gateway.until(({runs}) => runs.every(({state}) => hasEnded(state)));
		commands.push(...lines, `sessions delete ${ids.session}`, ...changes);
	}

	const alone = commands.slice(
		0,
		commands.findIndex(line => line.startsWith('sessions delete')) + 1,
	);
	expectRecorded('without-a-gateway.txt', await transcript(world, alone));
	expect(commandsWithJson().filter(name => !commands.some(line => line.startsWith(name)))).toEqual(
		notRecorded,
	);
});
