import {expect, test} from 'vitest';
import type {GatewayState} from '../../../../source/core/state.ts';
import {keyList} from '../../../../source/tui/entries/lists.ts';
import {attackCorpus} from '../../../helpers/attack-corpus.ts';
import {createFakePort} from '../../../helpers/fake-port.ts';
import {foreignSequences} from '../../../helpers/foreign-sequences.ts';
import {makeKey, withKeys} from '../../../helpers/make-key.ts';
import {makeSum} from '../../../helpers/make.ts';
import {readTable} from '../../../helpers/read-table.ts';
import {showShell, testNow} from '../../../helpers/show-shell.tsx';

const wide = {columns: 120, rows: 36};
const narrow = {columns: 80, rows: 24};
const dayMs = 86_400_000;

const listening: Partial<GatewayState> = {api: {state: 'listening', url: 'http://127.0.0.1:8642'}};

/** The pane over real keys; nothing is there yet. */
async function open(size = wide) {
	const port = createFakePort(listening);
	const shown = await showShell(port, size, {pane: 'keys'});
	const desk = await withKeys(port, shown.clock);
	await shown.pass(200);
	const secret = () => /svc_(?:live|test)_[0-9A-Za-z]{36}/.exec(shown.text())?.[0];
	return {
		...shown,
		port,
		desk,
		secret,
		[Symbol.asyncDispose]: async () => {
			await desk[Symbol.asyncDispose]();
			await shown[Symbol.asyncDispose]();
		},
	};
}

const usedKey = (tokens: number) => ({
	day: {requests: 1, inputTokens: tokens, outputTokens: 0},
	period: {requests: 1, inputTokens: tokens, outputTokens: 0},
	all: {requests: 9, inputTokens: tokens, outputTokens: 0},
});

test.for([
	[wide, 30],
	[narrow, 30],
	[{columns: 60, rows: 30}, 21],
] as const)(
	'the detail has what a key used on each day, at %j with bars of %i cells',
	async ([size, most]) => {
		const port = createFakePort({keys: [makeKey({id: 'key_1'})]});
		const day = {requests: 1, inputTokens: 1000, outputTokens: 0};
		Object.assign(port, {
			listKeyDays: async () => [
				{...day, day: '2026-11-21', requests: 12},
				{...day, day: '2026-11-22', inputTokens: 500},
			],
		});
		await using shown = await showShell(port, size, {pane: 'keys'});
		await shown.screen.press('enter');
		await shown.pass(200);
		await shown.screen.press('G');
		const rows = shown.screen.lines().filter(row => row.includes(' req '));
		expect(rows.map(row => row.trim().split(/ {2,}/))).toEqual([
			['2026-11-22', '1 req', '500 in', '0 out', '█'.repeat(Math.ceil(most / 2))],
			['2026-11-21', '12 req', '1,000 in', '0 out', '█'.repeat(most)],
		]);
	},
);

test('the detail has the sums of the runs under the name of the key, loaded while it is looked at', async () => {
	const port = createFakePort({keys: [makeKey({id: 'key_1', name: 'laptop'})]});
	const asked: unknown[] = [];
	port.sumRuns = async question => {
		asked.push(question);
		return {
			by: 'key',
			since: testNow - 7 * dayMs,
			until: testNow,
			leftOut: 0,
			rows: [makeSum({key: null, runs: 9}), makeSum({key: 'laptop', runs: 3, done: 3})],
		};
	};
	await using shown = await showShell(port, narrow, {pane: 'keys'});
	await shown.pass(200);
	expect(asked).toEqual([]);
	await shown.screen.press('enter');
	await shown.pass(200);
	await shown.screen.press('G');
	expect(shown.text()).toMatch(/Runs under its name, 7d\s+runs +3: 3 done\s+success +100%/);
	await shown.screen.press('1');
	await shown.pass(120_000);
	expect(asked).toEqual([{by: 'key'}]);
});

test('each key is a row with where it stands; revoked ones stand below', async () => {
	const port = createFakePort({
		keys: [
			makeKey({id: 'key_1', name: 'old', revokedAt: testNow - 5}),
			makeKey({
				id: 'key_2',
				name: 'team',
				rpm: 60,
				budget: {tokens: 1000, per: 'day'},
				usage: usedKey(400),
				lastUsedAt: testNow - 60_000,
			}),
			makeKey({id: 'key_3', name: 'ci', kind: 'test', expiresAt: testNow + 2 * dayMs}),
			makeKey({id: 'key_4', name: 'gone', expiresAt: testNow - 1}),
			makeKey({id: 'key_5', retiring: {hint: 'svc_live_aaaa…bbbb', until: testNow + 3_600_000}}),
		],
	});
	await using shown = await showShell(port, wide, {pane: 'keys'});

	const rows = readTable(shown.screen.lines(), [
		'name',
		'kind',
		'id',
		'rpm',
		'budget',
		'last',
		'state',
	]);
	expect(rows.map(({cells}) => Object.values(cells))).toEqual([
		['laptop', 'live', 'key_5', '-', '-', 'never', '◐ rotating 1h'],
		['gone', 'live', 'key_4', '-', '-', 'never', '✗ expired'],
		['ci', 'test', 'key_3', '-', '-', 'never', '! ends in 2d'],
		['team', 'live', 'key_2', '60', '████░░░░  40%', '1m', '● active'],
		['old', 'live', 'key_1', '-', '-', 'never', '- revoked'],
	]);
	expect(shown.text()).toContain('3 in force');
});

test('the cursor goes to a key that was made, so that what is pressed next is meant for it', async () => {
	await using shown = await open(narrow);
	await shown.desk.create(makeKey({name: 'older'}), 'svc');
	await shown.desk.create(makeKey({name: 'old'}), 'svc');
	await shown.pass(200);
	await shown.screen.press('j');
	await shown.screen.press('a', 'enter');
	await shown.screen.type('new');
	await shown.screen.press('enter', 'a');
	await shown.pass(600);
	await shown.screen.press('y');
	const made = shown.desk.list().find(({name}) => name === 'new');
	expect(shown.shell.list(keyList).selectedKey()).toBe(made?.id);
});

test.for([wide, narrow])(
	'a key is made by a form, and shown once, in a box that one has to confirm, at %j',
	async size => {
		await using shown = await open(size);
		const {screen} = shown;
		expect(shown.text()).toContain('No keys: the chat API answers everybody 401.');
		await screen.press('a', 'a');
		expect(shown.said()).toContain('name is needed');
		await screen.press('enter');
		await screen.type('team');
		await screen.press('enter', 'down', 'space');
		for (let row = 0; row < 8; row += 1) {
			// oxlint-disable-next-line no-await-in-loop -- one key after the other
			await screen.press('down');
		}

		// Four options of endpoints are rows of their own.
		await screen.press('down', 'enter');
		await screen.type('lots');
		await screen.press('enter', 'a');
		expect(shown.desk.list()).toEqual([]);
		expect(shown.said()).toMatch(/Not yet: budget.*Use tokens/);
		await screen.press('enter', 'ctrl+u');
		await screen.type('5000/day');
		await screen.press('enter', 'a');
		await shown.pass(100);

		const [key] = shown.desk.list();
		expect(key).toMatchObject({name: 'team', kind: 'test', budget: {tokens: 5000, per: 'day'}});
		const secret = shown.secret() ?? '';
		expect(shown.desk.authenticate(secret)).toMatchObject({key: {id: key?.id}});
		expect(shown.text()).toContain('http://127.0.0.1:8642/v1');
		await screen.press('esc', 'enter', 'q', 'ctrl+c', 'j');
		expect(shown.secret()).toBe(secret);
		await screen.press('c');
		await shown.pass(0);
		expect(shown.desktop.copied).toEqual([secret]);
		await shown.pass(600);
		await screen.press('y');
		expect(shown.secret()).toBeUndefined();
		expect(shown.text()).toContain('team');
		await screen.press('enter', 'y', 'k');
		await shown.pass(0);
		expect(shown.desktop.copied[1]).toBe(key?.hint);
		expect(JSON.stringify(shown.shell.view.get())).not.toContain(secret);
		expect(JSON.stringify(shown.port.getState())).not.toContain(secret);
	},
);

test('R makes a new secret beside the old one; D ends both after the name or the identifier was typed', async () => {
	await using shown = await open();
	const first = await shown.port.createKey({
		name: 'team',
		kind: 'live',
		endpoints: ['chat'],
		models: ['*'],
		agents: true,
	});
	await shown.pass(200);
	const {screen, desk} = shown;
	await screen.press('R', 'd');
	await shown.pass(200);
	const next = shown.secret() ?? '';
	expect(next).not.toBe(first.secret);
	for (const secret of [first.secret, next]) {
		expect(desk.authenticate(secret)).toMatchObject({key: {id: first.key.id}});
	}

	expect(shown.text()).toContain('The one before passes until Nov 21 12:00');
	await shown.pass(600);
	await screen.press('y', 'D');
	await screen.type('teem');
	await screen.press('enter');
	expect(desk.authenticate(next)).toHaveProperty('key');
	await screen.press('ctrl+u');
	await screen.type(first.key.id);
	await screen.press('enter');
	await shown.pass(200);
	for (const secret of [first.secret, next]) {
		expect(desk.authenticate(secret)).toEqual({problem: 'revoked'});
	}

	expect(shown.text()).toContain('- revoked');
	await screen.press('R');
	expect(shown.said()).toContain('team is revoked');
});

test('the detail says what was used day by day', async () => {
	await using shown = await open();
	const {key} = await shown.port.createKey({
		name: 'team',
		kind: 'live',
		endpoints: ['chat'],
		models: ['svc-*'],
		agents: false,
		budget: {tokens: 10_000, per: 'month'},
	});
	const admission = await shown.desk.admit(key.id, {input: 5, isWhole: false});
	if (admission.kind === 'admitted') {
		admission.permit.settle({inputTokens: 1200, outputTokens: 300});
		admission.permit[Symbol.dispose]();
	}

	await shown.pass(1000);
	await shown.screen.press('enter');
	await shown.pass(500);
	const text = shown.text();
	expect(text).toContain('1,500 of 10,000 tokens a month, anew 2026-12-01 00:00Z');
	expect(text).toMatch(/2026-11-20 {2}1 req {2}1,200 in {2}300 out {2}█+/);
	expect(text).toContain('may not act for it');
});

test('the name of a key that is revoked is typed, and cannot be pasted', async () => {
	const port = createFakePort({...listening, keys: [makeKey({id: 'key_1', name: 'team'})]});
	await using shown = await showShell(port, wide, {pane: 'keys'});
	await shown.screen.press('D');
	await shown.screen.paste('team');
	expect(shown.said()).toContain('The name has to be typed');
	expect(shown.shell.view.get().overlay).toMatchObject({kind: 'type-name', text: {value: ''}});
});

test('whoever only looks makes, rotates and revokes nothing', async () => {
	const port = Object.assign(createFakePort({...listening, keys: [makeKey()]}), {
		isReadOnly: true as const,
	});
	await using shown = await showShell(port, wide, {pane: 'keys'});
	for (const key of ['a', 'R', 'D']) {
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await shown.screen.press(key);
		expect(shown.shell.view.get().overlay).toBeUndefined();
	}

	expect(port.calls).toEqual([]);
});

test('names of keys do nothing to the terminal, in the list, the detail, or a question', async () => {
	const names = Array.from({length: 25}, (_, index) =>
		attackCorpus
			.filter((_text, at) => at % 25 === index)
			.map(text => text.slice(0, 60))
			.join(' '),
	);
	const port = createFakePort({
		...listening,
		keys: names.map((name, index) => makeKey({id: `key_${index}`, name, models: [name]})),
	});
	await using shown = await showShell(port, wide, {pane: 'keys'});
	await shown.screen.press('D', 'esc', 'R', 'esc', 'y', 'esc', 'enter');
	expect(foreignSequences(shown.screen.written())).toEqual([]);
});
