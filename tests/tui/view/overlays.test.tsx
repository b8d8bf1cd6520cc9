import {expect, test} from 'vitest';
import {manualTopics} from '../../../source/cli/manual/read-page.ts';
import {field} from '../../../source/nouns/field.ts';
import {literal} from '../../../source/terminal/text/safe.ts';
import {dialogs} from '../../../source/tui/commands/dialogs.ts';
import {askForTold} from '../../../source/tui/dialogs/act-form.ts';
import {openKeyForm} from '../../../source/tui/dialogs/key.ts';
import {openTrial} from '../../../source/tui/dialogs/trial.ts';
import {editorCommands} from '../../../source/tui/editor/editor-commands.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {dialogRows} from '../../helpers/dialog-rows.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeServer, makeServerTool} from '../../helpers/make-server.ts';
import {makeDelivery, makeJob, makeRun, received, runChanged} from '../../helpers/make.ts';
import {freshPicture, showShell} from '../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};

const route = {
	name: 'linear-bugs',
	profile: 'default',
	source: 'static',
	description: '',
	events: [],
	deliver: 'log',
	mode: 'agent',
	insecure: false,
} as const;

test('q names what leaving would end; q again quits', async () => {
	const port = createFakePort();
	port.answers.consequences = {activeRuns: 2, queuedRuns: 1, pendingGroups: 3};
	await using shown = await showShell(port, narrow);
	await shown.screen.press('q');
	await shown.pass(0);

	expect(shown.text()).toContain('svc stops answering webhooks.');
	expect(shown.text()).toContain('2 agent runs under way');
	expect(shown.text()).toContain('1 queued run: kept');
	expect(shown.text()).toContain('3 pending groups will be dispatched now (3 runs start).');
	expect(shown.text()).toContain('q again to quit, b leave it running in the background, Esc stay');

	await shown.screen.press('enter', 'esc');
	expect(shown.desktop.left).toBe(0);
	await shown.screen.press('q', 'q');
	expect(shown.desktop.left).toBe(1);
});

test('b in the dialog, and B anywhere, leave the gateway running', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('q', 'b');
	expect(shown.desktop).toMatchObject({left: 0, letGone: 1});
	await shown.screen.press('esc', 'B');
	expect(shown.desktop.letGone).toBe(2);
});

test('without a launcher nobody gives the prompt back: it is said what to do instead', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	shown.desktop.givesPromptBack = false;
	await shown.screen.press('B');
	expect(shown.text()).toContain('close this terminal, the gateway goes on');
	await shown.screen.press('q', 'b');
	expect(shown.text()).toContain('q again to quit, Esc stay');
	expect(shown.text()).toContain('To keep it running, close this terminal instead');
	expect(shown.desktop.letGone).toBe(0);
});

test('a demo ends with its screen: going on is not offered, and B says why', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	shown.desktop.endsWithFace = true;
	await shown.screen.press('B');
	expect(shown.text()).toContain('a demo ends with its screen');
	await shown.screen.press('q', 'b');
	expect(shown.text()).toContain('q again to quit, Esc stay');
	expect(shown.text()).toContain('This is a demo: it ends with its screen');
	expect(shown.text()).not.toContain('close this terminal');
	expect(shown.desktop.letGone).toBe(0);
});

test('Ctrl-C twice quits, also from a field', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('/', 'a', 'ctrl+c', 'ctrl+c');
	expect(shown.shell.view.get().field).toBeUndefined();
	expect(shown.shell.view.get().overlay).toBeUndefined();
	await shown.screen.press('ctrl+c', 'ctrl+c');

	expect(shown.desktop.left).toBe(1);
});

test('attached, the dialog says that the gateway goes on', async () => {
	await using shown = await showShell(createFakePort({}, {embedded: false}), narrow, {
		version: '1.0.0',
	});
	await shown.screen.press('q');
	await shown.pass(0);

	expect(shown.text()).toContain('The gateway goes on in process 4242');
	expect(shown.text()).toContain('q again to quit, Esc stay');
	await shown.screen.press('esc', 'B');
	expect(shown.desktop.letGone).toBe(1);
});

test('help is generated from the key table, the open pane first, and can be searched', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('?');
	expect(shown.screen.lines()[2]).toContain('── Help ── Traffic ── / search ──');
	expect(shown.text()).toContain('r                replay');
	expect(shown.screen.lines()[2]).toMatch(/rows 1 to \d+ of \d+: j k scroll/);
	await shown.screen.press(...Array.from({length: 60}, () => 'space'));
	expect(shown.screen.lines()[2]).toMatch(/to (\d+) of \1: j k scroll/);
	await shown.screen.press('esc', '?');

	await shown.screen.press('/');
	await shown.screen.type('palette');
	expect(shown.text()).toContain(': ctrl+k');
	expect(shown.text()).not.toContain('replay');
	await shown.screen.press('enter', 'esc');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('however far down the help was scrolled, the first key up moves it', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('?', ...Array.from({length: 40}, () => 'pgdn'));
	const end = shown.screen.lines();
	await shown.screen.press('k');
	expect(shown.screen.lines()).not.toEqual(end);
	await shown.screen.press('j');
	expect(shown.screen.lines()).toEqual(end);
});

test('the palette finds commands, panes, routes, runs and deliveries', async () => {
	const port = createFakePort({
		runs: [makeRun({id: 184})],
		routes: [route],
	});
	const delivery = makeDelivery();
	port.emit(received(delivery));
	await using shown = await showShell(port, narrow);

	for (const [query, found] of [
		['replay', 'replay'],
		['appro', 'Approvals'],
		['linear', 'go to route linear-bugs'],
		['#184', 'go to run #184'],
		[delivery.id.slice(-6), `go to delivery ${delivery.id.slice(-6)}`],
	] as const) {
		// oxlint-disable-next-line no-await-in-loop -- one query after the other
		await shown.screen.press(':');
		// oxlint-disable-next-line no-await-in-loop -- one query after the other
		await shown.screen.type(query);
		expect(shown.screen.lines().slice(4).join('\n')).toContain(found);
		// oxlint-disable-next-line no-await-in-loop -- one query after the other
		await shown.screen.press('esc');
	}
});

test('the palette finds what came while it was open', async () => {
	const port = createFakePort();
	await using shown = await showShell(port, narrow);
	await shown.screen.press(':');
	await shown.screen.type('#77');
	expect(shown.text()).toContain('Nothing fits.');
	port.emit(runChanged(makeRun({id: 77})));
	await shown.pass(100);

	expect(shown.screen.lines()[4]).toContain('go to run #77');
});

test('the palette takes aliases and runs the first entry', async () => {
	const port = createFakePort();
	await using shown = await showShell(port, narrow);
	await shown.screen.press('ctrl+k');
	await shown.screen.type('/reload');
	await shown.screen.press('enter');
	await shown.pass(0);

	expect(port.calls).toEqual([{name: 'reload', args: []}]);
});

test('the palette opens what the doctor says of the installation', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('ctrl+k');
	await shown.screen.type('/doctor');
	await shown.screen.press('enter');
	await shown.pass(0);

	expect(shown.desktop.paged).toEqual(['health']);
});

test('what begins with the query stands before what only holds it', async () => {
	const port = createFakePort({runs: [makeRun({id: 7, route: 're-re'})]});
	port.emit(received(makeDelivery({route: 'release'})));
	await using shown = await showShell(port, narrow);
	await shown.screen.press(':');
	await shown.screen.type('re');
	const labels = dialogRows(shown.screen.lines())
		.slice(1)
		.map(row => row.slice(2).trim());
	const others = labels.findIndex(label => !/^(?:re|retry)/.test(label));

	expect(labels.slice(0, others).join('\n')).toContain('reload the configuration');
	expect(labels.slice(0, others).join('\n')).toContain('replay');

	await shown.screen.press('esc', ':');
	await shown.screen.type('rel');
	expect(shown.screen.lines()[4]).toContain('reload the configuration');
});

test('what cannot be done now comes last, with its reason', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press(':');
	await shown.screen.type('replay');

	const rows = dialogRows(shown.screen.lines()).slice(1);
	const first = rows.findIndex(row => row.includes('disabled'));
	const last = rows.findLastIndex(row => row.trim() !== '' && !row.includes('disabled'));
	expect(rows[first]).toContain('No delivery is selected');
	expect(last).toBeLessThan(first);
});

test('the first-run card shows what was written; c copies, T sends and goes on to the traffic', async () => {
	const port = createFakePort();
	const card = {steps: ['wrote /home/ann/.svc/config.yaml'], route: 'hello'};
	await using shown = await showShell(port, narrow, {firstRun: card});
	expect(shown.text()).toContain('✓ wrote /home/ann/.svc/config.yaml');
	expect(shown.text()).toContain('looking for one…');

	port.emit({
		type: 'model-selected',
		at: 1,
		model: {provider: 'offline', name: 'svc-offline-1', origin: 'no model is configured'},
	});
	await shown.pass(200);
	expect(shown.text()).toContain('svc-offline-1 (no model is configured)');

	await shown.screen.press('c');
	expect(shown.text()).toContain('── Welcome to svc ──');
	await shown.screen.press('T');
	await shown.pass(0);
	expect(shown.desktop.copied).toEqual(['curl http://127.0.0.1:8644/webhooks/hello']);
	expect(port.calls).toContainEqual({name: 'sendTestEvent', args: ['hello']});
	expect(shown.text()).not.toContain('Welcome');
	expect(shown.said()).toContain('Answered 202 accepted');
});

test('the first-run card says why nothing listens', async () => {
	const reason = 'Cannot listen on "127.0.0.1:8644": another process holds this port';
	const port = createFakePort({webhook: {state: 'refused', code: 'EADDRINUSE', reason, since: 0}});
	await using shown = await showShell(port, narrow, {firstRun: {steps: [], route: 'hello'}});
	expect(shown.text()).toContain('✗ Cannot listen on "127.0.0.1:8644": another process');
});

test.for([
	['4', '[4Auth'],
	['!', '[6Appr]'],
	['?', 'Keys'],
	['q', 'Quit?'],
	['r', 'Welcome to svc'],
] as const)('the key %s, of which the card tells or not, shows: %s', async ([key, text]) => {
	const keys = [
		['4  j  l', 'logs in'],
		['!', 'opens what waits'],
		['?', 'shows the keys; q quits'],
	] as const;
	const firstRun = {steps: [], route: 'hello', keys};
	await using shown = await showShell(createFakePort(), narrow, {firstRun});
	expect(shown.text()).toContain('Welcome to svc');
	await shown.screen.press(key);
	await shown.pass(0);
	expect(`${shown.text()} ${shown.said()}`).toContain(text);
	expect(shown.text().includes('Welcome to svc')).toBe(key === 'r');
});

test('a step that is under way behind the card is ticked off when it is done; until then no bell rings', async () => {
	const port = createFakePort();
	const {promise: over, resolve} = Promise.withResolvers<void>();
	const underWay = {step: 'the day is being played', done: 'the day was played', over};
	const card = {steps: ['traffic comes in'], route: 'hello', underWay};
	await using shown = await showShell(port, narrow, {firstRun: card});
	expect(shown.text()).toContain('… the day is being played');
	const ask = async (id: number) => {
		port.emit({type: 'approval-requested', at: 1, approval: makeToolApproval({id})});
		await shown.pass(11_000);
	};
	await ask(1);
	await ask(2);
	expect(shown.desktop.rings).toBe(0);

	resolve();
	await shown.pass(200);
	expect(shown.text()).toContain('✓ the day was played');
	expect(shown.text()).not.toContain('being played');
	expect(shown.desktop.rings).toBe(1);
	await ask(3);
	expect(shown.desktop.rings).toBe(2);
});

test('a toast goes after four seconds', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('ctrl+z');
	expect(shown.said()).toContain('svc would stop answering webhooks');
	await shown.pass(4000);

	expect(shown.said()).not.toContain('tmux');
});

test('m in the help opens the manual page of the pane, of which each has one', async () => {
	for (const {id, manual} of panes) {
		expect(manualTopics()).toContain(manual);
		await using shown = await showShell(createFakePort(), narrow, {pane: id});
		await shown.screen.press('?', 'm');
		await shown.pass(0);
		expect(shown.desktop.paged).toEqual([`manual ${manual}`]);
		expect(shown.text()).toContain(' m manual ');
	}
});

test('the help of pane 2 has the keys of groups, then those of jobs', async () => {
	await using shown = await showShell(createFakePort(), {columns: 120, rows: 36}, {pane: 'groups'});
	await shown.screen.press('?');
	const left = dialogRows(shown.screen.lines()).map(row => row.slice(1, 55).trimEnd());

	expect(left.slice(0, 21)).toEqual([
		'Needed most',
		'  d                dispatch now (asks)',
		'  o                its run',
		'  y                copy key',
		'  e                events and payload in $PAGER',
		'  : ctrl+k         palette',
		'  ?                help',
		'  H                states of all parts, all alarms',
		'  /                filter',
		'  q ctrl+c         quit',
		'',
		'Groups',
		'  d                dispatch now (asks)',
		'  o                its run',
		'  y                copy key',
		'  e                events and payload in $PAGER',
		'',
		'Jobs',
		'  x                run now (asks)',
		'  p                pause or resume',
		'  o                its last run',
	]);
	expect(shown.text()).toContain('Filter: route: key: state:');
});

test('leaving names a single group that would go', async () => {
	const port = createFakePort();
	port.answers.consequences = {activeRuns: 0, queuedRuns: 0, pendingGroups: 1};
	await using shown = await showShell(port, narrow);
	await shown.screen.press('q');
	await shown.pass(0);

	expect(shown.text()).toContain('1 pending group will be dispatched now (1 run starts).');
	expect(shown.text()).not.toContain('Nothing is under way');
});

test('a question is closed by its answer: a second y does nothing more', async () => {
	const port = createFakePort({jobs: [makeJob()]});
	await using shown = await showShell(port, narrow, {pane: 'groups'});
	await shown.screen.press('x', 'y');
	expect(shown.shell.view.get().overlay).toBeUndefined();
	await shown.pass(0);
	await shown.screen.press('y', 'esc', 'p');
	await shown.pass(0);

	expect(port.calls.map(({name}) => name)).toEqual(['runJob', 'setJobPaused']);
});

test('what an answer opens stays open', async () => {
	await using shown = await showShell(createFakePort(), narrow);
	const {shell} = shown;
	const help = {kind: 'help', query: '', top: 0, isSearching: false} as const;
	const run = () => {
		shell.view.set(state => ({...state, overlay: help}));
	};
	shell.view.set(state => ({
		...state,
		overlay: {kind: 'confirm', title: literal('Sure'), lines: [], act: literal('go on'), run},
	}));
	await shown.screen.press('y');

	expect(shell.view.get().overlay).toBe(help);
});

test.for([
	['q', {columns: 120, rows: 36}],
	['?', {columns: 120, rows: 36}],
	[':', narrow],
	['q', narrow],
	['T', {columns: 60, rows: 16}],
	['?', {columns: 60, rows: 16}],
] as const)('%s opens a box over the pane, of %j', async ([key, size]) => {
	const port = createFakePort({
		routes: [
			{...route, name: 'one'},
			{...route, name: 'two'},
		],
	});
	port.emit(received(makeDelivery({route: 'gh-review'})));
	await using shown = await showShell(port, size);
	const before = shown.screen.lines();
	await shown.screen.press(key);
	const lines = shown.screen.lines();

	expect(lines).toHaveLength(size.rows);
	expect(lines.slice(0, 2)).toEqual(before.slice(0, 2));
	expect(dialogRows(lines).length).toBeGreaterThan(2);
	expect(dialogRows(lines.slice(-1))).toEqual([]);
	await shown.screen.press('esc');
	expect(shown.screen.lines()).toEqual(before);
	expect(await freshPicture(shown)).toBe(shown.screen.picture());
});

test('what comes while a question is open is seen beside it, and the question is not drawn again for it', async () => {
	const port = createFakePort();
	for (let index = 0; index < 30; index += 1) {
		port.emit(received(makeDelivery({route: `first-${index}`})));
	}

	await using shown = await showShell(port, narrow);
	await shown.screen.press('q');
	await shown.pass(0);
	const question = dialogRows(shown.screen.lines());
	const from = shown.screen.written().length;
	port.emit(received(makeDelivery({route: 'later'})));
	await shown.pass(200);

	expect(shown.text()).toContain('later');
	expect(dialogRows(shown.screen.lines())).toEqual(question);
	expect(shown.screen.written().slice(from)).not.toContain('\u001B[2J');
	expect(await freshPicture(shown)).toBe(shown.screen.picture());
});

test('behind a box nothing stands out', async () => {
	const port = createFakePort();
	port.emit(received(makeDelivery({outcome: 'signature', status: 401})));
	await using shown = await showShell(port, narrow);
	const row = shown.screen.lines().findIndex(text => text.startsWith('>'));
	const colors = () =>
		new Set(
			Array.from({length: 80}, (_, column) => shown.screen.cell(row, column))
				.filter(({text}) => text.trim() !== '')
				.map(({foreground, bold}) => `${foreground} ${bold}`),
		);
	expect(colors().size).toBeGreaterThan(1);
	await shown.screen.press('q');

	expect(colors().size).toBe(1);
});

const forms: ReadonlyArray<readonly [string, (shell: Shell) => void]> = [
	[
		'a key',
		shell => {
			openKeyForm.run(shell);
		},
	],
	[
		'a question',
		shell => {
			const title = literal('Recover?');
			const fields = [field('why', 'text', {description: ''})];
			askForTold(shell, {title, lines: [], act: title, run() {}, fields});
		},
	],
	[
		'a tool',
		shell => {
			openTrial(shell, makeServer(), makeServerTool({args: ['text']}));
		},
	],
];

test.for(forms)(
	'the form of %s names save and leave, asks before it drops what was typed, and has it after help',
	async ([, open]) => {
		await using shown = await showShell(createFakePort(), {columns: 60, rows: 16});
		const {screen, shell} = shown;
		open(shell);
		await shown.pass(0);
		expect(screen.lines().at(-1)).toMatch(/ a [a-z ]+ esc leave /);
		await screen.press('esc');
		expect(shell.view.get().overlay).toBeUndefined();

		open(shell);
		await shown.pass(0);
		await screen.press('enter');
		await screen.type('typed-here');
		await screen.press('enter', '?');
		expect(screen.lines()[2]).toContain('── Help ──');
		expect(shown.text()).toContain('edit');
		await screen.press('esc');
		expect(shown.text()).toContain('typed-here');
		await screen.press('esc');
		expect(shown.text()).toContain('Leave without saving?');
		await screen.press('esc');
		expect(shown.text()).toContain('typed-here');
		await screen.press('esc', 'y');
		expect(shell.view.get().overlay).toBeUndefined();
	},
);

test('every form has one key that saves it', () => {
	const saving = [...dialogs.flatMap(({commands}) => commands), ...editorCommands].filter(({id}) =>
		/^(?:act-form\.do|key\.make|setup\.(?:next|write)|trial\.call|form\.send|install\.yes|editor\.save)$/.test(
			id,
		),
	);
	expect(saving.map(({keys}) => keys)).toEqual(Array.from({length: 8}, () => ['a']));
});
