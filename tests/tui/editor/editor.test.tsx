import {readFileSync, writeFileSync} from 'node:fs';
import {assert, array, asyncProperty, constantFrom} from 'fast-check';
import {expect, test} from 'vitest';
import {routeFields} from '../../../source/config/route-edit/route-fields.ts';
import {openSubs, ownSecret} from './open-form.tsx';

const hook = {prompt: 'Look at {number}', secret: ownSecret, events: ['push']};

/** Keys that go from the first field down to this one. */
const downTo = (key: string): readonly string[] =>
	Array.from({length: routeFields().findIndex(({path}) => path.join('.') === key)}, () => 'j');

async function editHook(pane: Awaited<ReturnType<typeof openSubs>>) {
	await pane.press('G', 'e');
	await pane.shows('retired_secrets');
	await pane.rest();
	await pane.shows('✓ valid');
}

test('a prompt is edited, its diff shown, and only then is it written', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press(...downTo('prompt'), 'enter', 'enter');
	await pane.type('w then w');
	expect(pane.shown.text()).toContain('w then w█');
	await pane.press('esc');
	await pane.shows('1 not saved');
	expect(pane.subscriptions()).toEqual({hook});

	await pane.press('w');
	await pane.shows(String.raw`+    "prompt": "Look at {number}\nw then w",`);
	expect(pane.shown.text()).not.toContain(ownSecret);
	expect(pane.subscriptions()).toEqual({hook});

	await pane.press('w');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()).toEqual({hook: {...hook, prompt: 'Look at {number}\nw then w'}});
	expect(pane.shown.text()).toContain('deliver');
});

test('what the receiver would refuse is said at its field, and keeps the draft from being saved', async () => {
	await using pane = await openSubs({size: {columns: 80, rows: 36}});
	await editHook(pane);
	await pane.press(...downTo('deliver_only'), 'space');
	await pane.rest();
	await pane.shows('✗ has "deliver_only" with');

	await pane.press('w');
	await pane.shows('Not saved: deliver_only');
	expect(pane.subscriptions()).toEqual({hook});

	await pane.press('u');
	await pane.rest();
	await pane.shows('✓ valid');
});

test('leaving with changes asks, and stays by default; the draft outlives a look at another pane', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press('x', 'esc');
	await pane.shows('Leave without saving?');
	await pane.press('esc');
	await pane.shows('1 not saved');
	await pane.press('8');
	await pane.shows('[8 Logs]');
	await pane.press('5');
	await pane.shows('1 not saved');
	await pane.press('esc', 'y');
	await pane.shows('deliver');
	expect(pane.subscriptions()).toEqual({hook});
	await pane.press('e');
	await pane.shows('retired_secrets');
	await pane.press('esc');
	await pane.shows('name ');
});

test('somebody else changes the route meanwhile: a person chooses, and nothing is lost', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press('x');
	const theirs = {...hook, description: 'theirs'};
	writeFileSync(
		pane.paths.subscriptions,
		JSON.stringify({hook: theirs, other: {secret: 'abcdef'}}),
	);

	await pane.press('w');
	await pane.shows('was changed in its file meanwhile');
	await pane.press('m', 'w');
	await pane.shows('-    "events": [');
	await pane.press('w');
	await pane.shows('Saved hook');

	const {events: _, ...rest} = theirs;
	expect(pane.subscriptions()).toEqual({hook: rest, other: {secret: 'abcdef'}});
});

test('theirs is taken, and undo brings mine back', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, JSON.stringify({hook: {...hook, description: 'theirs'}}));
	await pane.press('w');
	await pane.shows('was changed in its file meanwhile');
	await pane.press('t');
	await pane.shows('theirs');
	expect(pane.shown.text()).not.toContain('not saved');
	await pane.press('u');
	await pane.shows('2 not saved');
});

test('both are opened in the editor, and what it leaves as the result is taken', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, JSON.stringify({hook: {...hook, description: 'theirs'}}));
	await pane.press('w');
	await pane.shows('was changed in its file meanwhile');
	pane.shown.desktop.next = JSON.stringify({
		result: {prompt: 'settled', secret: '<kept: secret, 22 bytes>'},
	});
	await pane.press('b');
	await pane.shows('settled');
	const [text = ''] = pane.shown.desktop.edited;
	expect(JSON.parse(text)).toMatchObject({
		mine: {prompt: hook.prompt},
		theirs: {description: 'theirs'},
		result: {description: 'theirs'},
	});
	expect(text).not.toContain(ownSecret);
	await pane.press('w');
	await pane.shows('+    "prompt": "settled"');
	await pane.press('w');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()).toEqual({hook: {prompt: 'settled', secret: ownSecret}});
});

test('the route is edited as JSON, and what is none is kept and not taken', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	pane.shown.desktop.next = '{"prompt": ';
	await pane.press('E');
	await pane.shows('Not taken: it is no JSON object');
	expect(pane.shown.desktop.kept.get('route-draft.json')).toBe('{"prompt": ');
	expect(pane.shown.text()).not.toContain('not saved');

	pane.shown.desktop.next =
		'{"prompt": "by hand", "toolsets": ["file"], "secret": "<kept: secret, 22 bytes>"}';
	await pane.press('E');
	await pane.rest();
	await pane.shows('by hand');
	await pane.press('w');
	await pane.shows('"toolsets"');
	await pane.press('w');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()['hook']).toEqual({
		prompt: 'by hand',
		toolsets: ['file'],
		secret: ownSecret,
	});
});

test('a new subscription shows its secret once', async () => {
	await using pane = await openSubs();
	await pane.press('a');
	await pane.shows('a new one is made');
	await pane.press('esc', 'w');
	await pane.shows('a new route needs a name');
	await pane.press('enter');
	await pane.type('Fresh!');
	await pane.press('enter');
	await pane.rest();
	await pane.shows('Cannot call a subscription "Fresh!"');
	await pane.press('enter', 'ctrl+u');
	await pane.type('fresh');
	await pane.press('enter', 'w');
	await pane.shows('<new secret, 43 bytes>');
	await pane.press('w');
	await pane.shows('will not be shown again');
	const {secret} = pane.subscriptions()['fresh'] ?? {};
	expect(pane.shown.text()).toContain(secret);
	expect(pane.shown.text()).toMatch(/… \d+ more rows: c copies it whole/);
	await pane.press('s');
	expect(pane.shown.desktop.copied).toEqual([secret]);
	await pane.press('enter');
	await pane.shows('hook');
	expect(pane.shown.text()).not.toContain(secret);
});

test('a route of config.yaml is edited in its place, and copied into a subscription with a secret of its own', async () => {
	await using pane = await openSubs();
	const before = readFileSync(pane.paths.config, 'utf8');
	await pane.press('g', 'e');
	await pane.shows('retired_secrets');
	await pane.press('enter');
	await pane.type(', issues');
	await pane.press('enter', 'w');
	await pane.shows('+      fixed: {events: [push, issues]} # few');
	await pane.press('w');
	await pane.shows('Saved fixed');
	expect(readFileSync(pane.paths.config, 'utf8')).toBe(before.replace('[push]', '[push, issues]'));

	await pane.press('Y');
	await pane.shows('a new one is made');
	await pane.type('copied');
	await pane.press('enter', 'w');
	await pane.shows('+  "copied": {');
	await pane.press('w');
	await pane.shows('will not be shown again');
	expect(pane.subscriptions()['copied']).toMatchObject({events: ['push', 'issues']});
});

test('the prompt is shown with what came, and { completes from keys that were seen', async () => {
	await using pane = await openSubs({
		payloads: [{number: 7, user: {login: 'ann\u001B[31m'}}, {number: 8}],
	});
	await editHook(pane);
	await pane.shows('back-test: 2 of 2 pass');
	await pane.shows('Look at 7');
	await pane.press('right');
	await pane.rest();
	await pane.shows('Look at 8');
	await pane.press('left', ...downTo('prompt'), 'enter');
	await pane.type(' {us');
	await pane.shows('user.login');
	await pane.press('down', 'enter');
	await pane.type(' {nope}');
	await pane.rest();
	await pane.shows('^ no {nope}, stays literal');
	expect(pane.shown.text()).not.toContain('not saved');
	await pane.press('esc');
	await pane.rest();
	await pane.shows('Look at 7 ann␛[31m {nope}');
	await pane.shows('^ no {nope}, stays literal');
	await pane.shows('2 unresolved keys');
	expect(pane.shown.text()).not.toContain('\u001B');
});

test('a file that does not parse is told of, and stays as it is', async () => {
	await using pane = await openSubs();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, '{"hook": ');
	await pane.press('w');
	await pane.shows('it is not JSON');
	expect(readFileSync(pane.paths.subscriptions, 'utf8')).toBe('{"hook": ');
	await pane.shows('1 not saved');
});

test('nothing is in the file that was not shown as a diff and then written with w', async () => {
	const keys = [
		'j',
		'k',
		'enter',
		'esc',
		'x',
		'u',
		'w',
		'space',
		'tab',
		'{',
		'q',
		'E',
		'a',
		'm',
		't',
		'backspace',
		'ctrl+c',
		'n',
	];
	await using pane = await openSubs();
	pane.shown.desktop.next = undefined;
	await editHook(pane);
	await assert(
		asyncProperty(array(constantFrom(...keys), {minLength: 5, maxLength: 30}), async pressed => {
			let before = readFileSync(pane.paths.subscriptions, 'utf8');
			for (const key of pressed) {
				const mayWrite = key === 'w' && pane.shown.text().includes('w writes it');
				// oxlint-disable-next-line no-await-in-loop -- one key after the other
				await pane.press(key);
				// oxlint-disable-next-line no-await-in-loop -- as above
				await (mayWrite ? pane.shows('Saved hook', 'not be shown again') : pane.rest());
				const after = readFileSync(pane.paths.subscriptions, 'utf8');
				expect(after === before || mayWrite).toBe(true);
				before = after;
				expect(pane.shown.text()).not.toContain(ownSecret);
			}
		}),
		{numRuns: 8},
	);
});
