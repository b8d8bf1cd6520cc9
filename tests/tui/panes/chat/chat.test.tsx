import {expect, test} from 'vitest';
import type {GatewayEvent} from '../../../../source/core/events.ts';
import type {Run, TranscriptEntry} from '../../../../source/core/run.ts';
import {limits} from '../../../../source/core/state.ts';
import {attackCorpus} from '../../../helpers/attack-corpus.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {foreignSequences} from '../../../helpers/foreign-sequences.ts';
import {makeToolApproval} from '../../../helpers/make-approval.ts';
import {makeRun, makeSession, runChanged} from '../../../helpers/make.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const size = {columns: 80, rows: 24};

const {delivery: _delivery, ...running} = makeRun({
	id: 1,
	state: 'running',
	event: 'chat',
	chat: {key: 'terminal'},
	createdAt: testNow,
	startedAt: testNow,
});

const call = {
	at: testNow,
	kind: 'tool-call',
	text: '{"city":"Bern"}',
	data: {call: 'a', tool: 'mcp__maps__find', server: 'maps'},
} as const;

/** The pane over a gateway that takes what is said. */
async function open(options: {readonly isReadOnly?: true} = {}, room = size) {
	const port = {...createFakePort(), ...options};
	const shown = await showShell(port, room, {pane: 'chat'});
	return {
		port,
		shown,
		async say(text: string) {
			await shown.screen.press('enter');
			await shown.screen.type(text);
			await shown.screen.press('enter');
			await shown.pass(50);
		},
		async happen(...events: readonly GatewayEvent[]) {
			port.emit(...events);
			await shown.pass(150);
		},
		/** The turn is over, and the session has it. */
		async end(run: Run) {
			port.emit(runChanged(run));
			for (let round = 0; round < 4; round += 1) {
				// oxlint-disable-next-line no-await-in-loop -- what is loaded comes in turns
				await shown.pass(150);
			}
		},
		[Symbol.asyncDispose]: async () => shown[Symbol.asyncDispose](),
	};
}

/** A call of a turn of the person at the terminal. */
function ofPerson(overrides: Parameters<typeof makeToolApproval>[0]) {
	const {route: _, delivery: __, ...approval} = makeToolApproval(overrides);
	return {...approval, chat: {key: 'terminal'}};
}

test('what is said is sent, words and tools are shown as they come, and the answer stays', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	expect(shown.text()).toContain('Nothing was said yet.');
	await shown.screen.press('enter');
	await shown.screen.type('Where is');
	// Alt-Enter.
	await shown.screen.type('\u001B\r');
	await shown.screen.paste('Bern,\nplease?');
	expect(shown.text()).toContain('please?█');
	await shown.screen.press('enter');
	await shown.pass(50);
	expect(port.calls).toEqual([{name: 'sendChat', args: [{text: 'Where is\nBern,\nplease?'}]}]);
	await chat.happen(runChanged(running), {
		type: 'run-progressed',
		at: testNow,
		runId: 1,
		entry: call,
	});
	expect(shown.text()).toMatch(/◐ maps\.find \{ "city": "Bern" \}/);
	await chat.happen({
		type: 'approval-requested',
		at: testNow,
		approval: ofPerson({run: 1}),
	});
	expect(shown.text()).toMatch(/! .* wants .* ! or Alt-a to review/);
	await shown.screen.type('\u001Ba');
	expect(shown.shell.view.get().overlay).toMatchObject({kind: 'approval'});
	expect(shown.text()).toContain('run #1  your chat');
	expect(shown.text()).not.toContain('text of its client');
	await shown.screen.press('esc');
	await chat.happen({type: 'run-said', at: testNow, runId: 1, from: 0, text: 'It is **in the'});
	expect(shown.text()).toContain('It is **in the');
	port.sessions.set('ses_1', makeSession(['Where is\nBern,\nplease?', 'It is **in the middle**']));
	port.runs.set(1, {
		...running,
		plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [call, {...call, kind: 'tool-result', text: 'ok', data: {...call.data, ok: true}}],
	});
	await chat.end({...running, state: 'done', finishedAt: testNow + 5});
	expect(shown.text()).toContain('✓ maps.find');
	expect(shown.text()).toContain('It is in the middle');
	expect(shown.text()).not.toContain('the agent');
	// The next thing goes into the same session.
	await shown.screen.type('And then');
	await shown.screen.press('enter');
	await shown.pass(50);
	expect(port.calls.at(-1)?.args).toEqual([{text: 'And then', session: 'ses_1'}]);
	await shown.screen.press('esc', 'y');
	await shown.pass(50);
	expect(shown.desktop.copied).toEqual(['It is **in the middle**']);
});

test.for([
	['the last words', 'It is in the middle'],
	['all that was said', 'I look at the map.\n\nIt is in the middle'],
] as const)(
	'what was said before a call stands before it, while it runs and after, where the session has %s',
	async ([, kept]) => {
		await using chat = await open();
		const {port, shown} = chat;
		await chat.say('Where is Bern?');
		const words = {at: testNow, kind: 'text', text: 'I look at the map.'} as const;
		const order = () =>
			shown
				.text()
				.match(/I look at the map|maps\.find|It is in the middle/g)
				?.join(' < ');
		const heard = (entry: TranscriptEntry) =>
			({type: 'run-progressed', at: testNow, runId: 1, entry}) as const;
		await chat.happen(runChanged(running), heard(words), heard(call));
		expect(order()).toBe('I look at the map < maps.find');

		port.sessions.set('ses_1', makeSession(['Where is Bern?', kept]));
		const last = {...words, text: 'It is in the middle'};
		port.runs.set(1, {
			...running,
			plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
			transcript: [words, call, {...call, kind: 'tool-result', text: 'ok'}, last],
		});
		await chat.end({...running, state: 'done', finishedAt: testNow + 5});
		expect(order()).toBe('I look at the map < maps.find < It is in the middle');
	},
);

test('while its first turn goes on a conversation is called by what was said', async () => {
	await using chat = await open();
	chat.port.sessions.set('ses_1', {...makeSession([]), title: ''});
	await chat.say('Where is\n  Bern?');
	await chat.happen(runChanged(running));

	expect(chat.shown.screen.lines()[2]).toContain('── Chat ── Where is Bern? ──');
});

test('who answers what the chat asks is back in the chat, whoever else waits', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	port.answers.settled = {settled: true, approval: makeToolApproval()};
	await chat.say('Where is Bern?');
	const own = ofPerson({id: 9, run: 1});
	await chat.happen(
		runChanged(running),
		...[makeToolApproval({id: 1, run: 184}), own, makeToolApproval({id: 10, run: 185})].map(
			approval => ({type: 'approval-requested', at: testNow, approval}) as const,
		),
	);
	await shown.screen.type('\u001Ba');
	expect(shown.text()).toContain('── Approval 2 of 3 ──');
	await shown.pass(600);
	await shown.screen.press('a');
	await shown.pass(0);

	expect(port.calls.at(-1)?.args[0]).toBe(9);
	expect(shown.shell.view.get().overlay).toBeUndefined();
	expect(shown.text()).toContain('── Chat ──');
	expect(shown.shell.view.get().toast?.text).toBe('create_issue: allowed; 2 more wait');
});

test('what the gateway does not take, and what comes to nothing, is not lost', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	port.answers.failure = new Error('a turn is under way');
	await chat.say('one');
	expect(shown.text()).toContain('one█');
	expect(shown.said()).toContain('a turn is under way');
	port.answers.failure = undefined;
	await shown.screen.press('enter');
	await shown.pass(50);
	await chat.happen(runChanged(running));
	expect(shown.text()).toContain('◐ the agent works');
	// One thing at a time.
	await shown.screen.type('two');
	await shown.screen.press('enter');
	expect(shown.said()).toContain('The agent answers');
	await shown.screen.press('ctrl+x');
	await shown.pass(50);
	expect(port.calls.at(-1)).toEqual({name: 'cancelRun', args: [1]});
	port.sessions.set('ses_1', makeSession([]));
	port.runs.set(1, {
		...running,
		plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [call],
	});
	await chat.end({...running, state: 'cancelled', finishedAt: testNow + 5});
	expect(shown.text()).toContain('- maps.find');
	expect(shown.text()).toContain('✗ stopped');
	expect(shown.text()).toContain('Nothing of this turn is kept');
	await shown.screen.press('esc', 'r');
	expect(shown.text()).toMatch(/two\s+one█/);
});

test('a turn that came to nothing stays over when newer runs have pushed its run out of the list', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	await chat.say('one');
	await chat.happen(runChanged(running));
	const failed = {...running, state: 'failed', error: 'no model', finishedAt: testNow + 5} as const;
	port.sessions.set('ses_1', makeSession([]));
	port.runs.set(1, {
		...failed,
		plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
		transcript: [],
	});
	await chat.end(failed);
	expect(shown.text()).toContain('✗ no model');
	await chat.happen(
		...Array.from({length: limits.runs + 1}, (_, index) => runChanged(makeRun({id: 10 + index}))),
	);
	await shown.pass(150);
	expect(port.getState().runs.some(({id}) => id === 1)).toBe(false);
	expect(shown.text()).toContain('✗ no model');
	await chat.say('two');
	expect(port.calls.at(-1)).toMatchObject({name: 'sendChat', args: [{text: 'two'}]});
});

test('earlier conversations are found, gone on with and forgotten; those of a key or of a chat on a platform can only be read', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	port.sessions.set(
		'ses_2',
		makeSession(['Of a key', 'Yes'], {
			id: 'ses_2',
			key: {id: 'key_1', name: 'laptop', isTest: false},
		}),
	);
	port.sessions.set('ses_3', makeSession(['Mine', 'Also'], {id: 'ses_3'}));
	port.sessions.set(
		'ses_4',
		makeSession(['Of a chat', 'There'], {id: 'ses_4', origin: 'telegram:-1001/17'}),
	);
	await shown.screen.press('s');
	await shown.pass(200);
	expect(shown.text()).toMatch(/ > .*key laptop {2}Of a key/);
	await shown.screen.press('enter');
	await shown.pass(200);
	expect(shown.text()).toContain('   Of a key');
	await chat.say('more');
	expect(shown.said()).toContain('belongs to a key');
	await shown.screen.press('esc', 's');
	await shown.screen.type('there');
	await shown.pass(200);
	expect(shown.text()).toMatch(/telegram:-1001\/17 {2}There/);
	await shown.screen.press('down', 'down', 'enter');
	await shown.pass(200);
	expect(shown.text()).toMatch(/ user {2}.*\n {3}Of a chat/);
	await chat.say('more');
	expect(shown.said()).toContain('is on telegram: it can only be read here; n begins another');
	expect(port.calls).toEqual([]);
	await shown.screen.press('ctrl+c', 'esc');
	expect(shown.text()).toContain('is on telegram: it can only be read here');
	await shown.screen.press('s');
	await shown.screen.type('als');
	await shown.pass(200);
	await shown.screen.press('down');
	expect(shown.text()).toMatch(/ > .*2 {2}Also/);
	await shown.screen.press('ctrl+x', 'y');
	await shown.pass(100);
	expect(port.calls).toEqual([{name: 'deleteSession', args: ['ses_3']}]);
	await shown.screen.press('n');
	expect(shown.text()).toContain('new conversation');
});

test('a long conversation follows its end, until somebody scrolls', async () => {
	await using chat = await open();
	const {port, shown} = chat;
	const lines = Array.from({length: 60}, (_, index) => `point ${index}`).join('\n\n');
	port.sessions.set('ses_1', makeSession(['Tell', lines]));
	await shown.screen.press('s');
	await shown.pass(200);
	await shown.screen.press('enter');
	await shown.pass(200);
	expect(shown.text()).toContain('point 59');
	await shown.screen.press('k');
	expect(shown.text()).toContain('1 more rows below');
	await shown.screen.press('g');
	expect(shown.text()).toContain('Tell');
	await shown.screen.press('G');
	expect(shown.text()).toContain('point 59');
});

test('a read-only face says nothing to the agent', async () => {
	await using chat = await open({isReadOnly: true});
	const {port, shown} = chat;
	expect(shown.text()).toContain('this interface only looks');
	await shown.screen.press('enter', 'x', 'r');
	expect(shown.shell.section().id).toBe('chat');
	await shown.screen.press('s');
	expect(shown.shell.section().id).toBe('chat-find');
	expect(port.calls).toEqual([]);
});

test('no text of a conversation does anything to the terminal', async () => {
	await using chat = await open({}, {columns: 120, rows: 36});
	const {port, shown} = chat;
	const texts = attackCorpus.map(text => text.slice(0, 80));
	const most = 40;
	for (let index = 0; index < texts.length; index += most) {
		const text = texts.slice(index, index + most).join(' ');
		const [first = ''] = texts.slice(index);
		port.sessions.clear();
		port.sessions.set(
			'ses_1',
			makeSession((index / most) % 2 === 0 ? [text, 'x'] : ['x', text], {
				title: text,
				usedAt: index + 1,
				key: {id: 'key_1', name: first, isTest: true},
			}),
		);
		port.runs.set(1, {
			...running,
			plan: {prompt: '', target: {kind: 'log', extra: {}}, skills: []},
			transcript: [{...call, text, data: {call: first, tool: first, server: first}}],
		});
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await shown.screen.press('s');
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.screen.paste(first);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.pass(200);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.screen.press('enter');
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.pass(200);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.screen.press('n');
	}

	const written = shown.screen.written();
	expect(written.length).toBeGreaterThan(10_000);
	expect(foreignSequences(written)).toEqual([]);
});

test('an answer that comes when another conversation is open does not bring the first one back', async () => {
	const gate = Promise.withResolvers<{session: string; run: number}>();
	const port = {...createFakePort(), sendChat: async () => gate.promise};
	await using shown = await showShell(port, size, {pane: 'chat'});
	await shown.screen.press('enter');
	await shown.screen.type('Where is Bern?');
	await shown.screen.press('enter');
	await shown.pass(50);
	expect(shown.text()).toContain('Where is Bern?');

	await shown.screen.press('esc');
	await shown.screen.press('n');
	await shown.pass(50);
	expect(shown.text()).toContain('Nothing was said yet.');
	gate.resolve({session: 'ses_1', run: 1});
	await shown.pass(150);
	expect(shown.text()).toContain('Nothing was said yet.');
	expect(shown.text()).not.toContain('Where is Bern?');
});
