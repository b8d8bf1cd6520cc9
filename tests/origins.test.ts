import {describe, expect, test} from 'vitest';
import {chatInstructions} from '../source/agent/instructions.ts';
import {approvalJson} from '../source/cli/approvals/approval-json.ts';
import {requestLines} from '../source/cli/approvals/waiting.ts';
import {eventLine} from '../source/cli/lines/event-line.ts';
import {linesOf, tableOf} from '../source/cli/nouns/noun-commands.ts';
import type {ToolApproval} from '../source/core/approval.ts';
import {parseFilter} from '../source/core/filter/filter.ts';
import {runVocabulary, approvalVocabulary} from '../source/core/filter/vocabularies.ts';
import {silentLogger} from '../source/core/log.ts';
import {
	conversationName,
	type Origin,
	originFacts,
	type TurnOrigin,
} from '../source/core/origin.ts';
import type {Run} from '../source/core/run.ts';
import type {RoomWorld} from '../source/gateway/rooms.ts';
import {openLoopBreaker} from '../source/gateway/runs/loop-breaker.ts';
import {approvalNoun, printedApprovals} from '../source/nouns/approval/approval.ts';
import {canRetry} from '../source/nouns/run/run-word.ts';
import {runNoun} from '../source/nouns/run/run.ts';
import {callLines} from '../source/tui/approvals/sheet-lines.ts';
import type {Line} from '../source/tui/lines/line.ts';
import {nounTable} from '../source/tui/nouns/table.ts';
import {createFakeClock} from './helpers/fake-clock.ts';
import {makeToolApproval} from './helpers/make-approval.ts';
import {makeRun, runChanged} from './helpers/make.ts';

const chat = {platform: 'telegram', chat: '12345', thread: '17', user: '99'};

type Told = {
	readonly origin: Origin;
	/** In listings of runs and approvals. */
	readonly words: string;
	readonly target: string;
	/** Of `runs show`, `approvals show`, the line of an event, the row in pane 3, the sheet. */
	readonly run: string;
	readonly approval: string;
	readonly event: string;
	readonly row: string;
	readonly sheet: string;
	readonly untrusted: string | undefined;
	readonly retried: boolean;
};

const told: Readonly<Record<Origin['kind'], Told>> = {
	delivery: {
		origin: {kind: 'delivery', route: 'gh-review', delivery: 'd7f2b0'},
		words: 'gh-review',
		target: 'log',
		run: 'delivery  d7f2b0',
		approval: 'asked by     run #7  <- webhook gh-review d7f2b0 (svc runs show 7)',
		event: 'gh-review run 7 failed',
		row: 'run #7 gh-review',
		sheet: 'run #7  <- webhook gh-review',
		untrusted: 'text of the event is untrusted',
		retried: true,
	},
	job: {
		origin: {kind: 'job', job: {id: 'job_1', name: 'nightly'}},
		words: 'job nightly',
		target: 'log',
		run: 'job       nightly (job_1)',
		approval: 'asked by     run #7  of job nightly (svc runs show 7)',
		event: 'push job nightly run 7 failed',
		row: 'run #7 job nightly',
		sheet: 'run #7  of job nightly',
		untrusted: undefined,
		retried: true,
	},
	key: {
		origin: {kind: 'key', name: 'laptop'},
		words: 'key laptop',
		target: 'caller',
		run: 'chat      of the API key laptop',
		approval: 'asked by     run #7  a chat of API key laptop',
		event: 'push key laptop run 7 failed',
		row: 'run #7 key laptop',
		sheet: 'run #7  a chat of API key laptop',
		untrusted: 'text of the event is untrusted',
		retried: false,
	},
	person: {
		origin: {kind: 'person'},
		words: 'your chat',
		target: 'caller',
		run: 'chat      of the person at the terminal',
		approval: 'asked by     run #7  your chat',
		event: 'push terminal run 7 failed',
		row: 'run #7 your chat',
		sheet: 'run #7  your chat',
		untrusted: undefined,
		retried: false,
	},
	chat: {
		origin: {kind: 'chat', ...chat},
		words: 'telegram:12345/17',
		target: 'telegram:12345/17',
		run: 'chat      telegram:12345/17, user "99"',
		approval: 'asked by     run #7  telegram:12345/17, user "99"',
		event: 'push telegram:12345/17 run 7 failed',
		row: 'run #7 telegram:12345/17',
		sheet: 'run #7  telegram:12345/17, user "99"',
		untrusted: 'text of the conversation is untrusted',
		retried: false,
	},
};

const now = makeToolApproval().requestedAt;
const plan = {prompt: 'Review', target: {kind: 'log', extra: {}}, skills: []};

const runOf = (origin: Origin): Run => {
	const {delivery: _, ...run} = makeRun({id: 7, state: 'failed', event: 'push'});
	return {...run, route: '-', target: 'log', ...originFacts(origin)};
};

const approvalOf = (origin: Origin): ToolApproval => {
	const {route: _, delivery: __, ...approval} = makeToolApproval({run: 7});
	return {...approval, ...originFacts(origin)};
};

const textOf = (lines: readonly Line[]): string =>
	lines.map(spans => spans.map(({text}) => text).join('')).join('\n');

describe.for(Object.values(told))('a run from $origin.kind', expected => {
	const run = runOf(expected.origin);
	const approval = approvalOf(expected.origin);

	test('is told on the command line', () => {
		const {header, rows} = tableOf(runNoun, [run], {now, approvals: []});
		expect(rows[0]?.[header.indexOf('ROUTE')]).toBe(expected.words);
		expect(rows[0]?.[header.indexOf('TARGET')]).toBe(expected.target);
		const lines = linesOf(runNoun, run, {
			now,
			approvals: [],
			stored: {...run, plan, transcript: []},
		});
		expect(lines.join('\n')).toContain(expected.run);
		expect(lines).toContain(
			expected.untrusted === undefined ? 'prompt' : `prompt (${expected.untrusted})`,
		);
		expect(eventLine(runChanged(run))?.text).toContain(expected.event);
		const {header: columns, rows: waiting} = tableOf(
			{...approvalNoun, printed: printedApprovals.waiting},
			[{kind: 'waiting', approval}],
			{now},
		);
		expect(waiting[0]?.[columns.indexOf('ROUTE')]).toBe(expected.words);
		const request = requestLines(approval, {now}).join('\n');
		expect(request).toContain(expected.approval);
		expect(request.includes('which is untrusted')).toBe(expected.untrusted !== undefined);
		const {conversation} = originFacts(expected.origin);
		expect(approvalJson(approval)['conversation']).toEqual(conversation);
	});

	test('is told on the screen', () => {
		const entry = {kind: 'waiting', approval} as const;
		const row = nounTable(approvalNoun, 160).row(entry, {now}, {isSelected: false});
		expect(textOf([row])).toContain(expected.row);
		const sheet = textOf(
			callLines(approval, {
				state: {deliveries: [], approvalRules: [], servers: []},
				args: {rows: [], count: 0, isWhole: true, flags: 0},
				width: 120,
			}),
		);
		expect(sheet).toContain(expected.sheet);
		expect(sheet.includes('which is untrusted')).toBe(expected.untrusted !== undefined);
		expect(canRetry(run)).toBe(expected.retried);
	});

	test('is held as a loop where an event started it, and not otherwise', async () => {
		const {kind} = expected.origin;
		const limits = {loopLimit: 1, loopWindowMs: 60_000};
		const loops = await openLoopBreaker({
			clock: createFakeClock(now),
			store: {memos: {list: async () => [], put: async () => {}, drop: async () => {}}},
			cluster: {
				isShared: false,
				read: async <Value>(of: () => Promise<Value>) => of(),
				onNote() {},
				onMissed() {},
			},
			log: silentLogger,
			live: {routes: () => ({routes: {get: () => limits}})},
		} as unknown as RoomWorld);
		const answering = {...run, plan: {...plan, subject: 'acme/api#7'}};
		await loops.answered(answering);

		expect(loops.heldBy(answering) !== undefined).toBe(kind === 'delivery');
	});

	test('is found by filters of runs and approvals', () => {
		const {kind} = expected.origin;
		const isFound = (text: string, other: Run): boolean =>
			parseFilter(text, runVocabulary).matches(other, now);
		const isAsked = (text: string, other: ToolApproval): boolean =>
			parseFilter(text, approvalVocabulary).matches({kind: 'waiting', approval: other}, now);
		for (const {origin} of Object.values(told)) {
			expect(isFound(`from:${kind}`, runOf(origin))).toBe(origin.kind === kind);
			expect(isAsked(`from:${kind}`, approvalOf(origin))).toBe(origin.kind === kind);
		}

		expect(isFound('chat:telegram:12345', run)).toBe(kind === 'chat');
		expect(isAsked('chat:99', approval)).toBe(kind === 'chat');
		expect(isFound(JSON.stringify(conversationName(chat)), run)).toBe(kind === 'chat');
	});
});

test('an agent is told whom its answer goes to: an application, or the people of a conversation', () => {
	const first = (of: TurnOrigin['kind']) =>
		chatInstructions({tools: [], skill: {name: 's', body: 'b'}}, {of, system: ''});
	expect(first('chat')).toBe(first('key'));
	const withTools = (of: TurnOrigin['kind']) =>
		chatInstructions(
			{
				tools: [
					{
						name: 'read',
						description: '',
						inputSchema: {},
						readOnly: true,
						needsApproval: false,
						execute: async () => ({text: '', ok: true}),
					},
				],
			},
			{of, system: ''},
		);
	expect(withTools('person')).toBe(withTools('key'));
	expect(withTools('key')).toContain('comes from the application');
	expect(withTools('chat')).toContain('messaging platforms');
});
