import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {ApprovalAnswer} from '../../../source/core/approval.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {interrupt} from '../../helpers/interrupt.ts';
import {makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {makeRun} from '../../helpers/make.ts';
import {startAuthorizationServer} from '../../mcp/servers/authorization-server.ts';
import {turns} from '../terminal.ts';
import {noon, openPrompt, type OpenPrompt} from './open-prompt.ts';

const destroys = makeToolApproval({
	id: 7,
	requestedAt: noon,
	tool: makeShownTool({tool: 'delete_repo', claims: {destructive: true}}),
	mustTypeName: true,
	scopes: ['once'],
	args: Object.fromEntries(
		Array.from({length: 20}, (_, index) => [`field${index}`, `value ${index}`]),
	),
});

/** A gateway in which the call waits, and is settled by what is answered. */
function withCall(): FakePort {
	const port = createFakePort({approvals: [destroys]});
	port.settleApproval = async (...args: Parameters<FakePort['settleApproval']>) => {
		port.calls.push({name: 'settleApproval', args});
		const {choice}: ApprovalAnswer = args[1].answer;
		const decision = {
			outcome: choice === 'allow' ? 'allowed' : 'denied',
			at: noon,
			by: 'cli (ann)',
			scope: 'once',
		} as const;
		return {settled: true, approval: {...destroys, decision}};
	};
	return port;
}

/** A gateway whose agent answers each turn. */
function withAgent(): FakePort {
	const port = createFakePort();
	port.sendChat = async body => {
		port.calls.push({name: 'sendChat', args: [body]});
		const run = {id: 300, state: 'running'} as const;
		port.emit({type: 'run-changed', at: noon, run: makeRun(run)});
		setImmediate(() => {
			const text = 'Three runs failed today.';
			const ended = makeRun({...run, state: 'done', answer: text});
			const plan = {prompt: '', target: {kind: 'log', extra: {}}, skills: []};
			port.runs.set(300, {...ended, plan, transcript: [], fullAnswer: text});
			port.emit(
				{type: 'run-said', at: noon, runId: 300, from: 0, text: 'Three runs '},
				{type: 'run-progressed', at: noon, runId: 300, entry: {at: noon, kind: 'text', text}},
				{type: 'run-changed', at: noon, run: ended},
			);
		});
		return {session: 'ses_1', run: 300};
	};
	return port;
}

/** A gateway with a route whose settings can be read and written. */
function withRoute(): FakePort {
	const port = createFakePort();
	const definition = {prompt: 'Say it', secret: '<kept: secret, 43 bytes>'};
	port.readRoute = async name => ({
		name,
		source: 'dynamic',
		file: '/home/ann/.svc/webhook_subscriptions.json',
		line: 2,
		lines: {prompt: 3},
		definition,
		fingerprint: 'f1',
	});
	port.listRouteFields = async () => [
		{path: ['prompt'], kind: 'text', description: 'What the agent is asked'},
		{path: ['rate_limit'], kind: 'integer', description: 'Requests a minute', default: 30},
		{path: ['secret'], kind: 'texts', description: 'Signing secret', secret: true},
	];
	port.planRouteSave = async (_, draft) => ({
		problems:
			draft.definition['rate_limit'] === 0
				? [{path: 'rate_limit', message: 'must be at least 1'}]
				: [],
		warnings: [],
		file: '/home/ann/.svc/webhook_subscriptions.json',
		diff: ['@@ -2,3 +2,4 @@', '+    "rate_limit": 20'],
	});
	port.saveRoute = async (...args) => {
		port.calls.push({name: 'saveRoute', args});
		return {file: '/home/ann/.svc/webhook_subscriptions.json', warnings: []};
	};
	return port;
}

const scripts: Readonly<
	Record<
		string,
		{readonly port?: () => FakePort; readonly steps: (open: OpenPrompt) => Promise<void>}
	>
> = {
	'an approval that is read whole and allowed by its name': {
		port: withCall,
		steps: async ({say}) =>
			say('approvals list', 'approvals allow 7', '', 'delete_repo', 'approvals list'),
	},
	'an approval that is refused while it is unread': {
		port: withCall,
		steps: async ({say, terminal}) => {
			await say(
				'approvals alow 7',
				'approvals allow 7 --yes --tool delete_repo',
				'delete_repo',
				'y',
			);
			terminal.send('\r\rdelete_repo\r');
			await terminal.waitFor('come together');
			await say('', 'y', 'approvals allow 7', 'q', 'approvals deny 7');
		},
	},
	'a route that is edited': {
		port: withRoute,
		steps: async ({say}) =>
			say(
				'webhook edit gh',
				'Say it, briefly',
				'0',
				'',
				'y',
				'go nowhere',
				'go prompt',
				'?',
				'go rate',
				'20',
				'done',
				'y',
			),
	},
	'a chat': {
		port: withAgent,
		steps: async ({say}) =>
			say('talk', 'How many failed?', '/new', 'And now?', '/quit', 'sessions list'),
	},
};

test.for(Object.entries(scripts))('%s', async ([name, {port: make, steps}]) => {
	await using open = await openPrompt(make?.(), {rows: 24});
	await steps(open);
	const did = open.port.calls.map(call => `= ${call.name} ${JSON.stringify(call.args)}`);
	await expect(`${open.transcript()}\n${did.join('\n')}\n`).toMatchFileSnapshot(
		`transcripts/${name.replaceAll(' ', '-')}.txt`,
	);
});

test('a login with a code that is given up', async () => {
	await using site = await startAuthorizationServer();
	await using open = await openPrompt();
	await writeFile(
		join(open.home, 'config.yaml'),
		JSON.stringify({mcp_servers: {crm: {url: site.url, auth: 'oauth'}}}),
	);
	await open.terminal.type('mcp login crm --flow device');
	await open.terminal.waitFor('/device');
	await turns();
	interrupt();
	await open.terminal.waitFor('svc> ');
	const text = open
		.transcript()
		.replaceAll(new URL(site.url).host, 'crm.example')
		.replaceAll(new URL(site.issuer).host, 'auth.example')
		.replaceAll(/code [A-Z-]+:/g, 'code ABCD-EFGH:');
	await expect(`${text}\n`).toMatchFileSnapshot('transcripts/a-login-that-is-given-up.txt');
});
