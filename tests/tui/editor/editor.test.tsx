import {readFileSync, writeFileSync} from 'node:fs';
import {assert, array, asyncProperty, constantFrom} from 'fast-check';
import {expect, test} from 'vitest';
import {routeFields} from '../../../source/config/route-edit/route-fields.ts';
import {senderNames} from '../../../source/config/senders/senders.ts';
import {editor, editorNow} from '../../../source/tui/editor/editor-state.ts';
import {shownFields} from '../../../source/tui/editor/route-form.ts';
import {settingOf, settings} from '../../../source/tui/editor/settings.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {makeDelivery, received} from '../../helpers/make.ts';
import {until} from '../../helpers/processes.ts';
import {propertyRuns} from '../../helpers/property-runs.ts';
import {testNow} from '../../helpers/show-shell.tsx';
import {openRoutesPane, ownSecret} from './open-form.tsx';

const hook = {prompt: 'Look at {number}', secret: ownSecret, events: ['push']};

/** Keys that go to a field, wherever keys act. */
const to = (key: string): readonly string[] => ['/', ...Array.from(key), 'enter'];

async function editHook(pane: Awaited<ReturnType<typeof openRoutesPane>>) {
	await pane.press('G', 'e');
	await pane.shows('ANSWER deliver to');
	await pane.rest();
	await pane.shows('✓ valid');
}

test('a prompt is edited, its diff shown, and only then is it written', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press(...to('prompt'), 'enter', 'enter');
	await pane.type('w then w');
	expect(pane.shown.text()).toContain('w then w█');
	await pane.press('esc');
	await pane.shows('1 not saved');
	expect(pane.subscriptions()).toEqual({hook});
	expect(pane.shown.text()).not.toContain('│');

	await pane.press('a');
	await pane.shows(String.raw`+    "prompt": "Look at {number}\nw then w",`);
	expect(pane.shown.text()).not.toContain(ownSecret);
	expect(pane.subscriptions()).toEqual({hook});

	await pane.press('a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()).toEqual({hook: {...hook, prompt: 'Look at {number}\nw then w'}});
	expect(pane.shown.text()).toContain('deliver');
});

test('S in Traffic opens the form of a new route with what the event says', async () => {
	await using pane = await openRoutesPane();
	pane.port.emit(
		received(makeDelivery({receivedAt: testNow, route: 'hook', event: 'issues.opened'})),
	);
	await pane.press('1', 'S');
	await pane.shows('issues-opened');
	expect(pane.shown.shell.pane().id).toBe('routes');
	expect(editorNow(pane.shown.shell)?.draft).toMatchObject({
		name: 'issues-opened',
		isNew: true,
		traffic: 'hook',
		definition: {events: ['issues.opened'], prompt: 'Event {event_type}: {__raw__}'},
	});

	// One draft at a time: the second is not begun, and says so.
	await pane.press('esc', '1', 'S');
	expect(pane.shown.shell.pane().id).toBe('traffic');
	expect(pane.shown.text()).toContain('A route is being edited in Routes');
});

test('while it is being written nothing can be changed, which would be lost when it is', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press(...to('prompt'), 'enter', 'enter');
	await pane.type('more');
	await pane.press('esc');
	await pane.shows('1 not saved');
	const {promise, resolve} = Promise.withResolvers<void>();
	const {saveRoute} = pane.port;
	Object.assign(pane.port, {
		async saveRoute(...args: Parameters<typeof saveRoute>) {
			await promise;
			return saveRoute(...args);
		},
	});
	await pane.press('a');
	const written = String.raw`+    "prompt": "Look at {number}\nmore",`;
	await pane.shows(written);
	await pane.press('a', 'esc', 'a', 'u');
	expect(pane.shown.text()).toContain(written);
	expect(pane.subscriptions()).toEqual({hook});
	resolve();
	await pane.shows('Saved hook');
	expect(pane.subscriptions()).toEqual({hook: {...hook, prompt: 'Look at {number}\nmore'}});
});

test('what the receiver would refuse is said at its field, and keeps the draft from being saved', async () => {
	await using pane = await openRoutesPane({size: {columns: 80, rows: 36}});
	await editHook(pane);
	await pane.press(...to('deliver_only'), 'space');
	await pane.rest();
	await pane.shows('✗ has "deliver_only" with');

	await pane.press('a');
	await pane.shows('Not saved: deliver_only');
	expect(pane.subscriptions()).toEqual({hook});

	await pane.press('u');
	await pane.rest();
	await pane.shows('✓ valid');
});

test('a field is found by a part of its name, and keys act on it then', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('/');
	await pane.type('window');
	expect(pane.shown.text()).toContain('/ window█  2 fields');
	expect(pane.shown.text()).toMatch(/^> +quiet window, s/m);
	await pane.press('down');
	expect(pane.shown.text()).toMatch(/^> +LIMITS loop window, s|^> +loop window, s/m);
	await pane.press('down', 'up', 'enter');
	expect(pane.shown.text()).toMatch(/^> +LIMITS loop window, s|^> +loop window, s/m);
	expect(pane.shown.text()).not.toContain('/ window');
	await pane.press('/');
	await pane.type('zzz');
	expect(pane.shown.text()).toContain('no field is called so');
	await pane.press('esc');
	expect(pane.shown.text()).not.toContain('Leave without saving?');
	await pane.press('enter');
	await pane.type('7');
	await pane.press('enter');
	await pane.shows('1 not saved');
	expect(pane.shown.text()).toMatch(/~ +loop window, s +7/);
});

test('leaving with changes asks, and stays by default; the draft outlives a look at another pane', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x', 'esc');
	await pane.shows('Leave without saving?');
	await pane.shows('y drop them   Esc stay in the form');
	await pane.press('esc');
	await pane.shows('1 not saved');
	await pane.press('8');
	await pane.shows('[8 Logs]');
	// Who quits is told what is lost.
	await pane.press('q');
	await pane.shows('hook has 1 change that is not saved.');
	await pane.press('esc', '5');
	await pane.shows('1 not saved');
	await pane.press('esc', 'y');
	await pane.shows('deliver');
	expect(pane.subscriptions()).toEqual({hook});
	await pane.press('e');
	await pane.shows('ANSWER deliver to');
	await pane.press('esc');
	await pane.shows('name ');
});

test('somebody else changes the route meanwhile: a person chooses, and nothing is lost', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	const theirs = {...hook, description: 'theirs'};
	writeFileSync(
		pane.paths.subscriptions,
		JSON.stringify({hook: theirs, other: {secret: 'abcdef'}}),
	);

	await pane.press('a');
	await pane.shows('was changed in its file meanwhile');
	await pane.press('m', 'a');
	await pane.shows('-    "events": [');
	await pane.press('a');
	await pane.shows('Saved hook');

	const {events: _, ...rest} = theirs;
	expect(pane.subscriptions()).toEqual({hook: rest, other: {secret: 'abcdef'}});
});

test.for([
	['types', ['enter', 't'], 't█'],
	['looks at another pane', ['1'], 'Traffic'],
] as const)(
	'somebody who %s when it is found that the file has changed is asked nothing',
	async ([, keys, shows]) => {
		await using pane = await openRoutesPane();
		await editHook(pane);
		await pane.press('x');
		writeFileSync(
			pane.paths.subscriptions,
			JSON.stringify({hook: {...hook, description: 'theirs'}}),
		);
		const late = Promise.withResolvers<void>();
		const {readRoute} = pane.port;
		Object.assign(pane.port, {
			async readRoute(...args: Parameters<typeof readRoute>) {
				await late.promise;
				return readRoute(...args);
			},
		});
		await pane.press('a');
		await pane.rest();
		await pane.press(...keys);
		late.resolve();
		await pane.shows('hook was changed in its file meanwhile: press a again');
		expect(pane.shown.text()).toContain(shows);
		expect(editorNow(pane.shown.shell)?.draft.definition).toEqual({
			prompt: hook.prompt,
			secret: '<kept: secret, 22 bytes>',
		});
	},
);

test('a diff that comes late takes no key of somebody who looks for a field by then', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	const late = Promise.withResolvers<void>();
	const {planRouteSave} = pane.port;
	Object.assign(pane.port, {
		async planRouteSave(...args: Parameters<typeof planRouteSave>) {
			await late.promise;
			return planRouteSave(...args);
		},
	});
	await pane.press('a', '/');
	late.resolve();
	await pane.rest();
	expect(pane.shown.said()).toContain('What saving changes was not shown: press a again');
	await pane.press('a');
	await pane.rest();
	expect(pane.subscriptions()).toEqual({hook});
	expect(editorNow(pane.shown.shell)?.find?.value).toBe('a');
});

test('a route that is gone from its file can be left', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, '{}');
	await pane.press('a');
	await pane.shows('hook was removed in its file meanwhile');
	expect(pane.shown.text()).not.toContain('keep mine');
	await pane.press('esc');
	expect(pane.shown.text()).toContain('1 not saved');
	await pane.press('a');
	await pane.shows('take theirs: leave, the route is gone');
	await pane.press('t');
	expect(editorNow(pane.shown.shell)).toBeUndefined();
});

test('theirs is taken, and undo brings mine back', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, JSON.stringify({hook: {...hook, description: 'theirs'}}));
	await pane.press('a');
	await pane.shows('was changed in its file meanwhile');
	await pane.press('t');
	await pane.shows('theirs');
	expect(pane.shown.text()).not.toContain('not saved');
	await pane.press('u');
	await pane.shows('2 not saved');
});

test('both are opened in the editor, and what it leaves as the result is taken', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, JSON.stringify({hook: {...hook, description: 'theirs'}}));
	await pane.press('a');
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
	await pane.press('a');
	await pane.shows('+    "prompt": "settled"');
	await pane.press('a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()).toEqual({hook: {prompt: 'settled', secret: ownSecret}});
});

test('the route is edited as JSON, and what is none is kept and not taken', async () => {
	await using pane = await openRoutesPane();
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
	await pane.press('a');
	await pane.shows('"toolsets"');
	await pane.press('a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()['hook']).toEqual({
		prompt: 'by hand',
		toolsets: ['file'],
		secret: ownSecret,
	});
});

test.for([
	['rate_limit', 'abc', 'is no number', '30'],
	['filters.+', 'action', 'needs "field operator value"', 'action equals opened'],
] as const)(
	'Esc keeps a text of %s that is no value, and its row says why until it is right',
	async ([key, wrong, problem, right]) => {
		await using pane = await openRoutesPane();
		await editHook(pane);
		await pane.press(...to(key), 'enter', 'ctrl+u');
		await pane.type(wrong);
		await pane.press('esc');
		expect(pane.shown.text()).toContain(`✗ ${problem}`);
		expect(pane.shown.text()).not.toContain(`${wrong}█`);
		await pane.rest();

		await pane.press('a');
		expect(pane.shown.text()).toContain('Not saved');
		expect(pane.subscriptions()).toEqual({hook});

		await pane.press('enter');
		expect(pane.shown.text()).toContain(`${wrong}█`);
		await pane.press('ctrl+u');
		await pane.type(right);
		expect(pane.shown.text()).not.toContain(`✗ ${problem}`);
		await pane.press('esc');
		await pane.rest();
		await pane.shows('✓ valid');
	},
);

test.for([
	{columns: 120, rows: 36, isWhole: true},
	{columns: 80, rows: 24, isWhole: false},
])(
	'a new subscription shows its secret once, and of its curl line what fits: %j',
	async ({isWhole, ...size}) => {
		await using pane = await openRoutesPane({size});
		await pane.press('a', 's');
		await pane.shows('a new one is made');
		await pane.press('esc', 'a');
		await pane.shows('a new route needs a name');
		await pane.press('enter');
		await pane.type('Fresh!');
		await pane.press('enter');
		await pane.rest();
		await pane.shows('Cannot name a route "Fresh!"');
		await pane.press('enter', 'ctrl+u');
		await pane.type('fresh');
		await pane.press('enter', 'a');
		await pane.shows('<new secret, 43 bytes>');
		await pane.press('a');
		await pane.shows('will not be shown again');
		const {secret} = pane.subscriptions()['fresh'] ?? {};
		expect(pane.shown.text()).toContain(secret);
		expect(/… \d+ more rows: c copies it whole/.test(pane.shown.text())).toBe(!isWhole);
		expect(pane.shown.text().includes('"sender":')).toBe(isWhole);
		await pane.press('s');
		expect(pane.shown.desktop.copied).toEqual([secret]);
		await pane.press('enter');
		await pane.rest();
		expect(pane.shown.text()).toMatch(/^> +fresh/m);
		expect(pane.shown.text()).not.toContain(secret);
	},
);

test('another name is a change like others: told of, shown in the diff, taken back; then the list stands on it', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.shows('── Routes ── hook ──');
	await pane.press('g', 'enter', 'ctrl+u');
	await pane.type('fixed');
	await pane.press('enter');
	await pane.rest();
	await pane.shows('is the name of a route that exists');
	await pane.press('a');
	await pane.shows('Not saved');
	await pane.press('u');
	await pane.rest();
	await pane.shows('✓ valid');
	expect(pane.shown.text()).not.toContain('not saved');
	await pane.press('enter', 'ctrl+u');
	await pane.type('a-first');
	await pane.press('enter', 'a');
	await pane.shows('+  "a-first": {');
	await pane.shows('/webhooks/hook is answered 404');
	expect(pane.subscriptions()).toEqual({hook});
	await pane.press('a');
	await pane.shows('✓ hook is called a-first now');
	expect(pane.shown.text()).not.toContain('has a new secret');
	expect(pane.subscriptions()).toEqual({'a-first': hook});
	await pane.press('enter');
	await pane.rest();
	expect(pane.shown.text()).toMatch(/^> +a-first/m);
});

test('toolsets are granted by hand: Enter opens the file at their line, and what the receiver says of it is told', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	const {desktop} = pane.shown;
	await pane.press(...to('prompt'), 'enter', 'enter');
	await pane.type('more');
	await pane.press('esc', 'g', 'j', ...to('toolsets'), 'enter');
	await pane.shows('hook is as it was');
	const write = (toolsets: unknown) => {
		Object.assign(desktop, {
			async openFile(path: string, lineOf: (text: string) => number | undefined) {
				desktop.opened.push(`${path}:${lineOf('') ?? ''}`);
				writeFileSync(path, JSON.stringify({hook: {...hook, toolsets}}, null, 1));
			},
		});
	};
	write(['web']);
	await pane.press('enter');
	await pane.shows('hook is valid, and in use as it is written now');
	write(7);
	await pane.press('enter');
	await pane.shows('Not in use as it is written: toolsets');
	expect(desktop.opened.map(opened => opened.replace(pane.paths.subscriptions, ''))).toEqual([
		':1',
		':1',
		':8',
	]);
	await pane.shows('1 not saved');
});

test('a route of config.yaml is edited in its place, and copied into a subscription with a secret of its own', async () => {
	await using pane = await openRoutesPane();
	const before = readFileSync(pane.paths.config, 'utf8');
	await pane.press('g', 'e');
	await pane.shows('ANSWER deliver to');
	await pane.press('enter');
	await pane.type(', issues');
	await pane.press('enter', 'a');
	await pane.shows('+      fixed: {events: [push, issues]} # few');
	await pane.press('a');
	await pane.shows('Saved fixed');
	expect(readFileSync(pane.paths.config, 'utf8')).toBe(before.replace('[push]', '[push, issues]'));

	await pane.press('Y');
	await pane.shows('a new one is made');
	await pane.type('copied');
	await pane.press('enter', 'a');
	await pane.shows('+  "copied": {');
	await pane.press('a');
	await pane.shows('will not be shown again');
	expect(pane.subscriptions()['copied']).toMatchObject({events: ['push', 'issues']});
});

test('the prompt is shown with what came, and { completes from keys that were seen', async () => {
	await using pane = await openRoutesPane({
		payloads: [{number: 7, user: {login: 'ann\u001B[31m'}}, {number: 8}],
	});
	await editHook(pane);
	await pane.shows('back-test: 2 of 2 pass');
	await pane.shows('Look at 7');
	await pane.press('right');
	await pane.rest();
	await pane.shows('Look at 8');
	await pane.press('left', ...to('prompt'), 'enter');
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

test('what begins with the word is offered before what holds it, and a key that nobody closed is told under the field', async () => {
	await using pane = await openRoutesPane({
		payloads: [{repository: {pulls_url: 'here'}, pull_request: {title: 'Fix'}}],
	});
	await editHook(pane);
	await pane.press(...to('prompt'), 'enter');
	await pane.type(' {pull');
	await pane.shows('repository.pulls_url');
	expect(pane.shown.text()).toMatch(/> pull_request[^]*repository\.pulls_url/);

	await pane.press('esc', 'esc');
	await pane.rest();
	await pane.shows('! {pull has no closing }, and stays as it is written');
	await pane.shows('✓ valid');
});

test('filters are lines: typed with offered words, counted with what came, taken out', async () => {
	await using pane = await openRoutesPane({
		payloads: [{action: 'opened'}, {action: 'closed'}, {action: 'edited'}],
	});
	await editHook(pane);
	await pane.press(...to('filters.+'), 'enter');
	await pane.type('act');
	await pane.press('enter');
	await pane.type('eq');
	await pane.shows('not_equals');
	await pane.press('enter');
	await pane.type('opened');
	await pane.press('enter');
	await pane.rest();
	await pane.shows('1 of 3: action');
	expect(pane.shown.text()).toMatch(/filter +1 of 3: action equals opened/);

	await pane.press('j', 'enter');
	await pane.type('action is nothing');
	await pane.press('enter');
	await pane.shows('needs "field operator value"');
	await pane.press('enter', 'ctrl+u');
	await pane.type('action regex (');
	await pane.press('enter');
	await pane.rest();
	await pane.shows('✗ regex');
	expect(pane.shown.text()).toMatch(/filter 2 +.*action regex \([^]*✗ regex[^]*another filter/);
	await pane.press('x', 'a', 'a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()['hook']).toMatchObject({
		filters: [{field: 'action', equals: 'opened'}],
	});
});

test('secrets have rows: one is made and shown once, the other passes a day more', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('j');
	await pane.shows('✓ set, 22 bytes, age unknown');
	await pane.press('n');
	await pane.shows('a new one is made when it is saved');
	await pane.press('r', 'a');
	await pane.shows('a writes it');
	expect(pane.shown.text()).not.toContain(ownSecret);
	await pane.press('a');
	await pane.shows('will not be shown again');
	const {secret, rotated_on: on, retired_secrets: retired} = pane.subscriptions()['hook'] ?? {};
	expect(secret).toMatch(/^[\w-]{43}$/);
	expect(on).toMatch(/^\d{4}-/);
	expect(retired).toMatchObject([{secret: ownSecret}]);
	expect(pane.shown.text()).toContain('has a new secret');
	await pane.press('s');
	expect(pane.shown.desktop.copied).toEqual([secret]);
	await pane.press('enter', 'e');
	await pane.shows('✓ set, 43 bytes, of today');
	await pane.press(...to('secret.+'), 'enter');
	await pane.type('typed-by-hand');
	expect(pane.shown.text()).not.toContain('typed-by-hand');
	await pane.press('enter', 'a', 'a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()['hook']).toMatchObject({secret: [secret, 'typed-by-hand']});
});

test('a signature is chosen among what is known, or written out field by field', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press(...to('signature'), 'space');
	await pane.shows('stripe');
	await pane.press('u');
	await pane.press(...Array.from({length: senderNames.length + 1}, () => 'space'));
	await pane.shows('custom');
	await pane.press('j');
	await pane.shows('signature.header');
	await pane.press('enter');
	await pane.type('x-hub');
	await pane.press('enter', 'j', 'space', 'a');
	await pane.shows('a writes it');
	await pane.press('a');
	await pane.shows('Saved hook');
	expect(pane.subscriptions()['hook']).toMatchObject({
		signature: {header: 'x-hub', preset: 'stripe'},
	});
});

test('what the draft would do scrolls below the form, and begins anew with another event', async () => {
	const lines = Array.from({length: 60}, (_, index) => `row-${index}.`).join('\n');
	await using pane = await openRoutesPane({payloads: [{number: lines}, {number: 8}]});
	await editHook(pane);
	await pane.shows('row-0.');
	expect(pane.shown.text()).not.toContain('row-40.');
	await pane.press('J', 'J', 'J', 'J');
	await pane.shows('row-40.');
	expect(pane.shown.text()).not.toContain('row-0.');
	await pane.press(...Array.from({length: 30}, () => 'J'), 'K', 'K', 'K', 'K', 'K', 'K', 'K', 'K');
	await pane.shows('row-0.');
	await pane.press('J', 'right');
	await pane.rest();
	await pane.shows('Look at 8');
});

test('of a prompt that is broken into rows below the form the last is reached', async () => {
	const words = Array.from({length: 900}, (_, index) => `word${index}`).join(' ');
	await using pane = await openRoutesPane({payloads: [{number: words}]});
	await editHook(pane);
	await pane.shows('word0 ');
	expect(pane.shown.text()).not.toContain('word899');
	await pane.press(...Array.from({length: 40}, () => 'J'));
	await pane.shows('word899');
});

test('a route is created in config.yaml, which keeps its comments', async () => {
	await using pane = await openRoutesPane();
	await pane.press('a');
	await pane.shows('config.yaml, whose comments');
	await pane.press('c');
	await pane.shows('a new one is made');
	await pane.rest();
	await pane.shows('✗ a name is missing');
	await pane.type('fresh');
	await pane.press('enter', 'a');
	await pane.shows('+      fresh:');
	await pane.press('a');
	await pane.shows('will not be shown again');
	const text = readFileSync(pane.paths.config, 'utf8');
	expect(text).toContain('fixed: {events: [push]} # few');
	expect(text).toMatch(/\n {6}fresh:\n {8}secret: [\w-]{43}/);
});

test('a file that does not parse is told of, and stays as it is', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press('x');
	writeFileSync(pane.paths.subscriptions, '{"hook": ');
	await pane.press('a');
	await pane.shows('it is not JSON');
	expect(readFileSync(pane.paths.subscriptions, 'utf8')).toBe('{"hook": ');
	await pane.shows('1 not saved');
});

test('nothing is in the file that was not shown as a diff and then written with a', async () => {
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
	await using pane = await openRoutesPane();
	pane.shown.desktop.next = undefined;
	await editHook(pane);
	await assert(
		asyncProperty(array(constantFrom(...keys), {minLength: 5, maxLength: 30}), async pressed => {
			let before = readFileSync(pane.paths.subscriptions, 'utf8');
			for (const key of pressed) {
				const shown = pane.shown.text();
				// A question over it has the keyboard.
				const mayWrite = key === 'a' && shown.includes('a writes it') && !shown.includes('┌──');
				// oxlint-disable-next-line no-await-in-loop -- one key after the other
				await pane.press(key);
				// oxlint-disable-next-line no-await-in-loop -- as above
				await (mayWrite
					? pane.shows('Saved hook', 'not be shown again', 'is called')
					: pane.rest());
				const after = readFileSync(pane.paths.subscriptions, 'utf8');
				expect(after === before || mayWrite).toBe(true);
				before = after;
				expect(pane.shown.text()).not.toContain(ownSecret);
			}
		}),
		{numRuns: propertyRuns(8)},
	);
});

test('toolsets that are none at all do not look like toolsets that nobody set', async () => {
	await using pane = await openRoutesPane();
	writeFileSync(pane.paths.subscriptions, JSON.stringify({hook: {...hook, toolsets: []}}));
	await editHook(pane);
	expect(pane.shown.text()).toMatch(/toolsets +\[\]/);
	await pane.press(...to('skills'));
	expect(pane.shown.text()).toMatch(/skills +-/);
});

/** Keeps what reads the file of a route waiting until `resolve`. */
function readLate({port}: Pick<Awaited<ReturnType<typeof openRoutesPane>>, 'port'>): () => void {
	const {promise, resolve} = Promise.withResolvers<void>();
	const {readRoute} = port;
	port.readRoute = async (...args) => {
		await promise;
		return readRoute(...args);
	};

	return resolve;
}

test.for([
	['the palette', [':']],
	['another pane', ['7']],
	['another field', ['k']],
	['the search for a field', ['/']],
] as const)('$EDITOR does not open over %s', async ([, keys]) => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press(...to('toolsets'));
	const answer = readLate(pane);
	await pane.press('enter', ...keys);
	answer();
	await pane.rest();
	expect(pane.shown.desktop.opened).toEqual([]);
	expect(pane.shown.shell.view.get().toast?.text).toBe(
		'The file was not opened: press enter again',
	);
});

test.for([
	['a filter', ['/']],
	['another pane', ['7']],
	['another route', ['k']],
] as const)('a form that was read late does not open over %s', async ([, keys]) => {
	await using pane = await openRoutesPane();
	const answer = readLate(pane);
	await pane.press('G', 'e', ...keys);
	const {field} = pane.shown.shell.view.get();
	answer();
	await pane.rest();
	expect(pane.shown.shell.local(editor).get()).toBeUndefined();
	expect(pane.shown.shell.view.get()).toMatchObject({field});
	expect(pane.shown.shell.view.get().toast?.text).toBe('The form was not opened: press e again');
});

test('a new secret that comes late takes no filter away, of this pane or of another', async () => {
	await using pane = await openRoutesPane();
	const {promise, resolve} = Promise.withResolvers<void>();
	pane.port.rotateRoute = async () => {
		await promise;
		return {
			file: pane.paths.subscriptions,
			secret: 'brand-new-secret',
			warnings: [],
			url: 'http://127.0.0.1:8644/webhooks/hook',
		};
	};

	await pane.press('G', 'R', 'd', '7', '/');
	resolve();
	// The filter has the row of the toast.
	await until(async () => {
		await pane.shown.pass(0);
		return pane.shown.shell.view.get().toast !== undefined;
	});
	expect(pane.shown.shell.view.get()).toMatchObject({
		pane: 'runs',
		field: 'filter',
		toast: {text: `hook has a new secret: it stands in ${pane.paths.subscriptions}`},
	});
});

test('a diff is scrolled to its end, and the first key up moves it', async () => {
	await using pane = await openRoutesPane({size: {columns: 80, rows: 24}});
	await pane.press('G', 'e');
	await pane.rest();
	await pane.press(...to('prompt'), 'enter', 'enter');
	await pane.shown.screen.paste(`${'x'.repeat(2000)}end`);
	await pane.press('esc');
	await pane.shows('1 not saved');
	await pane.press('a');
	await pane.shows('This changes');
	expect(pane.shown.text()).not.toContain('a writes it');
	await pane.press(...Array.from({length: 60}, () => 'j'));
	expect(pane.shown.text()).toContain('a writes it');
	const end = pane.shown.text();
	await pane.press('k');
	expect(pane.shown.text()).not.toBe(end);
	await pane.press('j');
	expect(pane.shown.text()).toBe(end);
});

const shownKeys = (shell: Shell) => {
	const state = editorNow(shell);
	return (state ? shownFields(state) : []).map(({path}) => path[0]);
};

test('every setting has a name and a group, stands when it is looked for, and can be unfolded', async () => {
	await using pane = await openRoutesPane({size: {columns: 60, rows: 16}});
	const all = routeFields().filter(({inMapping}) => inMapping === undefined);
	expect(all.map(field => settingOf(field).label)).toEqual(
		all.map(() => expect.stringMatching(/^.{1,17}$/)),
	);
	expect(
		all.map(field => settingOf(field).index).filter(index => index >= settings.length),
	).toEqual([]);
	await editHook(pane);
	expect(pane.shown.text()).not.toContain('retry if it fails');
	await pane.press('G', 'enter');
	await pane.rest();
	const {shell} = pane.shown;
	const shown = new Set(shownKeys(shell));
	expect(all.map(({path}) => path[0]).filter(key => !shown.has(key))).toEqual([]);
	await pane.press('G', 'enter');
	expect(pane.shown.text()).toMatch(/^>.*…  +\d+ more/m);
});

test('a problem of a folded setting unfolds it where it belongs, and takes no key of the field that is typed in', async () => {
	await using pane = await openRoutesPane();
	await editHook(pane);
	await pane.press(...to('prompt'));
	pane.shown.desktop.next = JSON.stringify({...hook, secret: undefined, concurrency: 0});
	await pane.press('E', 'enter');
	await pane.type(' more');
	await pane.rest();
	await pane.shows('runs at once');
	await pane.shows('✗ must be');
	await pane.type(' yet');
	expect(pane.shown.text()).toContain(`${hook.prompt} more yet█`);
});

test('what keeps a target from being reached, and events that were turned away, are said at their fields', async () => {
	await using pane = await openRoutesPane({
		size: {columns: 80, rows: 24},
		problems: {forge_comment: '"gh" is not installed'},
	});
	pane.port.emit(
		received(makeDelivery({receivedAt: testNow, route: 'hook', outcome: 'rate', status: 429})),
	);
	await editHook(pane);
	pane.shown.desktop.next = JSON.stringify({
		deliver: 'forge_comment',
		deliver_extra: {repo: 'a/b', pr_number: 7},
	});
	await pane.press('E');
	await pane.rest();
	await pane.shows('forge_comment   ! "gh" is not installed');
	expect(pane.shown.text()).toMatch(/events a minute[^]*! loses events: 1 event answered 429/);
});

test.for([
	{columns: 120, rows: 36},
	{columns: 80, rows: 24},
	{columns: 60, rows: 16},
])(
	'save and leave stand in the last row, and the prompt with its preview has room: %j',
	async size => {
		await using pane = await openRoutesPane({size, payloads: [{number: 7}]});
		await editHook(pane);
		expect(pane.shown.screen.lines().at(-1)).toMatch(/ a save +esc leave /);
		await pane.press(...to('prompt'), 'enter');
		await pane.type(` and then ${'word '.repeat(30)}end`);
		await pane.press('esc');
		await pane.rest();
		await pane.shows('Look at 7 and then word');
		expect(pane.shown.text()).toMatch(/^    Look at \{number\} and then word.*word end$/ms);
	},
);

test('the question after a conflict tells what others changed and what was changed here', async () => {
	await using pane = await openRoutesPane({size: {columns: 60, rows: 16}});
	await editHook(pane);
	await pane.press(...to('prompt'), 'enter');
	await pane.type(' and say');
	await pane.press('esc');
	writeFileSync(
		pane.paths.subscriptions,
		JSON.stringify({
			hook: {...hook, events: ['push', 'issues'], rate_limit: 5, description: 'x'.repeat(2000)},
		}),
	);
	await pane.press('a');
	await pane.shows('was changed in its file meanwhile');
	expect(pane.shown.text()).toMatch(
		/They changed:[^]*note: - → x+…[^]*events: push → push, issues[^]*events a minute: - \(30\) → 5[^]*You changed:[^]*prompt: .*\{number\} → .*\{number\} and say/,
	);
	expect(pane.shown.text()).toContain('keep mine');
});
