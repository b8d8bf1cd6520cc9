import {userInfo} from 'node:os';
import {expect, test} from 'vitest';
import type {CallToApprove} from '../../../source/approvals/approvals.ts';
import {createLogger} from '../../../source/core/log.ts';
import type {Tool} from '../../../source/core/tool.ts';
import type {LiveServers} from '../../../source/gateway/servers/live-servers.ts';
import {tryTool} from '../../../source/gateway/servers/try-tool.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {askedOf} from '../../helpers/make-approval.ts';
import {makeServerConfig, makeShownTool} from '../../helpers/make-server.ts';

function open({
	needsApproval = true,
	allowed = true,
	execute = async args => ({text: `called with ${JSON.stringify(args)}`}),
}: {needsApproval?: boolean; allowed?: boolean; execute?: Tool['execute']} = {}) {
	const clock = createFakeClock();
	const asked: CallToApprove[] = [];
	const logged: string[] = [];
	const waits: boolean[] = [];
	const tool: Tool = {
		name: 'mcp__crm__search',
		description: '',
		inputSchema: {},
		readOnly: false,
		needsApproval,
		asked: askedOf(makeShownTool()),
		execute,
	};
	const rooms = {
		clock,
		servers: {
			async toolsOf(...[, , {isNeeded = () => true} = {}]: Parameters<LiveServers['toolsOf']>) {
				waits.push(isNeeded('crm'));
				return new Map([['crm', [tool]]]);
			},
		},
		approvals: {
			async request(call: CallToApprove) {
				asked.push(call);
				return {allowed, reason: 'a person said no'};
			},
		},
		live: {
			current: () => ({
				toolServers: new Map([['crm', makeServerConfig({timeoutMs: 12_000})]]),
			}),
		},
		log: createLogger({
			clock,
			redact: text => text,
			write({message, fields}) {
				logged.push(`${message} by ${String(fields?.['by'])}`);
			},
		}),
	};
	return {
		clock,
		asked,
		logged,
		waits,
		tryIt: async (name = 'mcp__crm__search', hungUp?: AbortSignal) =>
			// Of the rooms, what trying a tool looks at.
			tryTool(rooms as unknown as Parameters<typeof tryTool>[0], {
				name,
				args: {query: 'Ann'},
				by: 'tui pts/3 root',
				...(hungUp && {hungUp}),
			}),
	};
}

test('a tool that is there waits for no server; only one that is not there yet does', async () => {
	const {tryIt, waits} = open({needsApproval: false});

	await tryIt();
	expect(waits).toEqual([false]);

	await expect(tryIt('mcp__crm__nope')).rejects.toMatchObject({code: 'tool_not_found'});
	expect(waits).toEqual([false, false, true]);
});

test('a tool that needs a yes waits for one also when a person tries it', async () => {
	const {asked, tryIt} = open();

	expect(await tryIt()).toEqual({text: 'called with {"query":"Ann"}'});
	expect(asked).toMatchObject([
		{tool: {tool: 'search'}, args: {query: 'Ann'}, toolTimeoutMs: 12_000},
	]);
	expect(asked[0]).not.toHaveProperty('run');
});

test('who tried is logged as the decisions are: of what the face says, its kind and its terminal', async () => {
	const {logged, tryIt} = open();
	await tryIt();

	expect(logged).toEqual([`A person tries a tool by tui (${userInfo().username}, pts/3)`]);
});

test('what is denied is not called', async () => {
	let calls = 0;
	const {tryIt} = open({
		allowed: false,
		async execute() {
			calls++;
			return {text: ''};
		},
	});

	await expect(tryIt()).rejects.toMatchObject({
		code: 'tool_denied',
		message: 'Cannot call tool "mcp__crm__search": a person said no',
	});
	expect(calls).toBe(0);
});

test('a tool that asks nobody is called at once; one that is not there is not found', async () => {
	const {asked, tryIt} = open({needsApproval: false});

	expect(await tryIt()).toMatchObject({text: 'called with {"query":"Ann"}'});
	expect(asked).toEqual([]);
	await expect(tryIt('mcp__crm__nope')).rejects.toMatchObject({code: 'tool_not_found'});
});

test('a call that never answers ends after 20 minutes', async () => {
	const {clock, tryIt} = open({
		needsApproval: false,
		execute: async () => new Promise(() => {}),
	});

	const tried = tryIt();
	tried.catch(() => {});
	await new Promise(setImmediate);
	clock.advance(20 * 60_000);

	await expect(tried).rejects.toMatchObject({code: 'tool_timeout'});
});

test('when the face that tries has gone, its request for approval ends, and nothing is called', async () => {
	const gone = new AbortController();
	const {asked, tryIt} = open();
	expect(await tryIt('mcp__crm__search', gone.signal)).toMatchObject({text: expect.any(String)});
	expect(asked[0]?.signal.aborted).toBe(false);
	gone.abort();
	expect(asked[0]?.signal.aborted).toBe(true);

	await expect(tryIt('mcp__crm__search', gone.signal)).rejects.toThrow('aborted');
});
