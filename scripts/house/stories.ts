import {setTimeout as wait} from 'node:timers/promises';
import {McpServer} from '@modelcontextprotocol/server';
import {z} from 'zod';
import type {ToolApproval} from '../../source/core/approval.ts';
import {startApi} from '../../tests/helpers/api.ts';
import {createFakePort} from '../../tests/helpers/fake-port.ts';
import {gatewayHome, testConfig} from '../../tests/helpers/gateway.ts';
import {makeToolApproval} from '../../tests/helpers/make-approval.ts';
import {hookSecret} from '../../tests/helpers/post.ts';
import {startScriptedModel} from '../../tests/helpers/scripted-model.ts';
import {showShell, testNow} from '../../tests/helpers/show-shell.tsx';
import {startModern} from '../../tests/mcp/servers/modern-server.ts';
import type {Coverage, Entered} from './coverage.ts';

type Story = {
	readonly title: string;
	/** Files that the house wants it to enter at most. */
	readonly aim?: number;
	/** What goes before it and is not counted. */
	readonly before?: () => Promise<unknown>;
	/** Ends with its promise, or where it says so. */
	readonly tell: (end: () => void) => Promise<unknown>;
};

export type ToldStory = Pick<Story, 'title' | 'aim'> & {
	readonly entered: Entered;
	/** Files that are entered as well when nothing happens for as long, at least a second. */
	readonly idle: ReadonlySet<string>;
};

const leastIdleMs = 1000;

/**
 * Tells every story twice, over a gateway of this process and an interface that shows an approval, and counts the second time: what is loaded or made
 * once is not part of it. To be loaded after `coverage` was started.
 */
export async function tellStories(coverage: Coverage): Promise<readonly ToldStory[]> {
	await using stack = new AsyncDisposableStack();
	const told: ToldStory[] = [];
	for (const open of [openGatewayStories, openSheetStories]) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		for (const {title, aim, before, tell} of await open(stack)) {
			await before?.();
			await tell(() => {});
			await before?.();
			await wait(leastIdleMs);
			coverage.take();
			const start = performance.now();
			let early: Entered | undefined;
			await tell(() => {
				early = coverage.take();
			});
			const entered = early ?? coverage.take();
			const tookMs = performance.now() - start;
			await wait(leastIdleMs);
			coverage.take();
			await wait(Math.max(leastIdleMs, tookMs));
			const idle = new Set(coverage.take().keys());
			told.push({title, ...(aim !== undefined && {aim}), entered, idle});
		}
	}

	return told;
}

async function openGatewayStories(stack: AsyncDisposableStack): Promise<readonly Story[]> {
	const call = {toolCalls: [{name: 'mcp__notes__write', arguments: {path: 'a.md'}}]};
	const model = stack.use(await startScriptedModel([], {otherwise: {text: 'Noted'}}));
	const tools = stack.use(await startModern('reject', makeTools));
	const config = (prompt: string) => ({
		model: {provider: 'openai-compatible', name: 'scripted-1', base_url: model.baseUrl},
		api: {enabled: true, port: 0},
		mcp_servers: {notes: {url: tools.url, trust: 'untrusted'}},
		platforms: {
			webhook: {
				enabled: true,
				host: '127.0.0.1',
				port: 0,
				secret: hookSecret,
				routes: {
					hook: {prompt, events: ['push'], toolsets: []},
					ask: {prompt: 'Write a note', toolsets: ['mcp-notes']},
				},
			},
		},
	});
	const home = stack.use(await gatewayHome({config: config('Look at {name}')}));
	const api = stack.use(await startApi({}, {home}));
	const {gateway} = api;
	const {port} = gateway;
	await gateway.until(({servers}) => servers.some(({status}) => status === 'connected'));
	let runs = 0;
	let edits = 0;
	let asked = 0;
	/** Asks nothing of the gateway that its faces do not ask. */
	const nextIsDone = async () => {
		runs += 1;
		await gateway.until(state => state.runs.some(run => run.id === runs && run.state === 'done'));
	};
	const reloads = () => gateway.events.filter(({type}) => type === 'config-reloaded').length;
	return [
		{
			title: 'A POST to its answer',
			aim: 90,
			async tell() {
				await gateway.send('hook', {name: 'Alex'});
				await nextIsDone();
			},
		},
		{
			title: 'A POST that is refused (401)',
			tell: async () => gateway.send('hook', {}, {'x-hub-signature-256': 'sha256=00'}),
		},
		{
			title: 'A call is allowed, and its run ends',
			async before() {
				model.push(call);
				await gateway.send('ask', {name: 'Alex'});
				const {approvals} = await gateway.until(state => state.approvals.length > 0);
				asked = approvals[0]?.id ?? 0;
			},
			async tell() {
				await port.settleApproval(asked, {
					answer: {choice: 'allow', scope: 'once', typedName: 'write'},
					by: 'tui',
				});
				await nextIsDone();
			},
		},
		{
			title: 'config.yaml is loaded again',
			async tell() {
				const before = reloads();
				await home.write('config.yaml', testConfig(config(`Look again ${(edits += 1)}`)));
				await gateway.until(() => reloads() > before);
			},
		},
		{
			title: 'A chat is completed',
			async tell() {
				const messages = [{role: 'user', content: 'Hello'}];
				await (await api.chat({model: 'svc-agent-1', messages})).text();
				runs += 1;
			},
		},
	];
}

function makeTools(): McpServer {
	const server = new McpServer({name: 'notes', version: '1.0.0'});
	server.registerTool(
		'write',
		{description: 'Writes a note', inputSchema: z.object({path: z.string()})},
		async ({path}) => ({content: [{type: 'text', text: `wrote ${path}`}]}),
	);
	return server;
}

async function openSheetStories(stack: AsyncDisposableStack): Promise<readonly Story[]> {
	const port = createFakePort();
	const shown = stack.use(await showShell(port, {columns: 120, rows: 36}));
	let waiting: ToolApproval | undefined;
	let end = () => {};
	port.settleApproval = async () => {
		end();
		return {settled: false};
	};
	return [
		{
			title: '"a" on the sheet, as far as the port',
			aim: 60,
			async before() {
				if (waiting) {
					const decision = {outcome: 'allowed', at: testNow, by: 'tui'} as const;
					const approval = {...waiting, decision};
					port.emit({type: 'approval-settled', at: testNow, approval});
				}

				waiting = makeToolApproval({id: (waiting?.id ?? 0) + 1});
				port.emit({type: 'approval-requested', at: testNow, approval: waiting});
				await shown.pass(2000);
				await shown.screen.press('!');
				await shown.pass(1000);
			},
			async tell(ended) {
				const heard = Promise.withResolvers<void>();
				end = () => {
					ended();
					heard.resolve();
				};
				await shown.screen.press('a');
				await heard.promise;
			},
		},
	];
}
