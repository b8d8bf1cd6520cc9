import {expect, test} from 'vitest';
import {lineText} from '../../../source/terminal/text/line-editor.ts';
import {change, openPane} from '../../../source/tui/acts/navigate.ts';
import {goToStep} from '../../../source/tui/acts/sheet.ts';
import {scopesNow} from '../../../source/tui/commands/scopes.ts';
import {acts, commands} from '../../../source/tui/commands/table.ts';
import {formNow} from '../../../source/tui/dialogs/form.ts';
import {keyOffer, openKeyForm, showKey} from '../../../source/tui/dialogs/key.ts';
import {newSetup, type SetupCard, type SetupStage} from '../../../source/tui/dialogs/setup-card.ts';
import {newTrial} from '../../../source/tui/dialogs/trial.ts';
import {askNow} from '../../../source/tui/linear/ask-now.ts';
import {commandsHere} from '../../../source/tui/linear/find-command.ts';
import {meaningless} from '../../../source/tui/linear/meaningless.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {openLinear} from '../../helpers/linear.ts';
import {makeKey} from '../../helpers/make-key.ts';
import {makeServerTool} from '../../helpers/make-server.ts';
import {openRoutes} from '../editor/open-form.tsx';
import {createWorld, waitingCall, waitingForm} from './world.ts';

const listed = panes
	.flatMap(({sections}) => sections)
	.filter(({listing}) => listing)
	.map(({id}) => id);

const meant = commands.filter(({id}) => !meaningless.has(id));

/** Scopes that are asked in questions, each reached below. */
const asked: ReadonlyArray<readonly [string, (shell: Shell) => void]> = [
	[
		'quit',
		shell =>
			change(shell, {
				overlay: {kind: 'quit', consequences: {activeRuns: 0, queuedRuns: 0, pendingGroups: 0}},
			}),
	],
	[
		'confirm',
		shell =>
			change(shell, {
				overlay: {
					kind: 'confirm',
					title: shell.version,
					lines: [],
					act: shell.version,
					run() {},
					other: {label: shell.version, run() {}},
				},
			}),
	],
	[
		'first-run',
		shell => change(shell, {overlay: {kind: 'first-run', card: {steps: [], route: 'gh'}}}),
	],
	[
		'answer',
		shell =>
			change(shell, {
				overlay: {kind: 'answer', trial: trialOf(), isError: false, text: shell.version, top: 0},
			}),
	],
	['chat', shell => openPane(shell, 'chat')],
	['trial', shell => change(shell, {overlay: {kind: 'trial', ...trialOf()}})],
	['key', shell => keyOffer.open(shell, {})],
	['key', openKeyForm],
	['key', shell => showKey(shell, {key: makeKey(), secret: 's'}, {isRotated: false})],
	['setup', shell => change(shell, {overlay: {kind: 'setup', card: cardAt({kind: 'form'})}})],
	[
		'setup',
		shell =>
			change(shell, {
				overlay: {
					kind: 'setup',
					card: cardAt({
						kind: 'done',
						written: {file: 'config.yaml', secret: 'made', restartNeeded: []},
					}),
				},
			}),
	],
];

const cardAt = (stage: SetupStage): SetupCard => ({
	...newSetup({enabled: true, host: '127.0.0.1', port: 1, hasSecret: true}),
	index: 2,
	stage,
});

const trialOf = () => newTrial(makeServerTool(), {profile: 'default', server: 'crm'});

test('every command is one of the linear mode, or says what stands in its place there', () => {
	const scopes = new Set([
		'global',
		'banner',
		...listed,
		...asked.map(([scope]) => scope),
		'approval',
		'approval-text',
		'form',
		'install',
		'install-text',
		'editor',
		'editor-diff',
		'editor-conflict',
		'editor-saved',
	]);

	expect(meant.filter(({scope}) => !scopes.has(scope)).map(({id}) => id)).toEqual([]);
	expect(
		[...meaningless.keys()].filter(id => commands.every(command => command.id !== id)),
	).toEqual([]);
});

test.for(listed)('what can be done in %s is done by its title, its key and its name', async id => {
	const port = createWorld({approvals: [waitingCall]});
	await using spoken = await openLinear(port);
	const pane = panes.find(({sections}) => sections.some(section => section.id === id));
	const section = pane?.sections.find(one => one.id === id);
	await spoken.say(`pane ${pane?.id}`, section?.title ?? '', '1');
	const here = commandsHere(spoken.shell).map(command => command.id);
	const usable = acts.filter(
		act =>
			[id, 'global', 'banner'].includes(act.scope) &&
			!meaningless.has(act.id) &&
			act.when?.(spoken.shell) !== false,
	);

	expect(spoken.shell.section().id).toBe(id);
	expect(usable.length).toBeGreaterThan(5);
	expect(here).toEqual(expect.arrayContaining(usable.map(act => act.id)));
});

const everywhere: ReadonlySet<string> = new Set(['global', 'banner']);

/** Those of the scopes that have the keyboard now which the question does not offer. */
const missing = (shell: Shell): readonly string[] => {
	const offered = new Set(askNow(shell)?.choices.map(({keys}) => keys));
	const {scopes} = scopesNow(shell);
	return meant
		.filter(
			({scope, when}) =>
				scopes.some(one => one === scope && !everywhere.has(one)) && when?.(shell) !== false,
		)
		.filter(({keys}) => !offered.has(keys))
		.map(({id}) => id);
};

test.for(asked)('what can be answered to %s is offered', async ([, open]) => {
	await using spoken = await openLinear(createWorld());
	open(spoken.shell);
	await spoken.pass(600);
	if (formNow(spoken.shell)) {
		await spoken.say('done');
	}

	// The way out of a form is the same word at each of its fields.
	expect(missing(spoken.shell).filter(id => id !== 'trial.close')).toEqual([]);
	expect(askNow(spoken.shell)?.choices.length).toBeGreaterThan(1);
});

test('every step of an approval offers what its keys do', async () => {
	const port = createWorld({approvals: [waitingCall]});
	await using spoken = await openLinear(port);
	await spoken.say('approvals');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('always');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('back', 'deny all');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('back', 'deny reason');
	expect(missing(spoken.shell)).toEqual([]);
	goToStep(spoken.shell, {kind: 'name', scope: 'once', text: lineText()});
	await spoken.pass(600);
	expect(missing(spoken.shell)).toEqual([]);
	goToStep(spoken.shell, {kind: 'by-hand'});
	await spoken.pass(600);
	expect(missing(spoken.shell)).toEqual([]);
});

test('a form of a server can be sent, denied and left', async () => {
	await using spoken = await openLinear(createWorld({approvals: [waitingForm]}));
	await spoken.say('approvals', 'Acme', 'done');
	expect(missing(spoken.shell).filter(id => id !== 'form.copy')).toEqual([]);
});

test('an install link can be installed, renamed and dropped', async () => {
	await using spoken = await openLinear(createWorld());
	const config = Buffer.from(JSON.stringify({command: 'crm-server', args: ['--stdio']})).toString(
		'base64url',
	);
	await spoken.say('/install', `svc://mcp/install?name=other&config=${config}`);
	expect(spoken.transcript()).toContain('crm-server');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('rename', 'back', 'install');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('other');
	expect(spoken.transcript()).toContain('is installed, untrusted');
});

test('the form of a route offers what its keys do, in each of its steps', async () => {
	await using routes = await openRoutes();
	await using spoken = await openLinear(routes.port, {pane: 'subs'});
	const heard = async (text: string) => {
		for (let round = 0; round < 2000 && !spoken.transcript().includes(text); round += 1) {
			// oxlint-disable-next-line no-await-in-loop -- files are read and written meanwhile
			await spoken.pass(1);
		}

		expect(spoken.transcript()).toContain(text);
	};
	await spoken.say('list', '2', 'e');
	await heard('Editing route hook');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('deliver_only', 'perhaps', 'yes');
	await spoken.pass(1000);
	await spoken.say('save');
	await heard('Not saved: deliver_only');
	await spoken.say('undo', 'prompt', 'lines', 'Look at {number}', 'twice', '.', 'save');
	await heard(String.raw`+    "prompt": "Look at {number}\ntwice",`);
	expect(missing(spoken.shell)).toEqual([]);
	expect(routes.subscriptions()['hook']?.['prompt']).toBe('Look at {number}');
	await spoken.say('save');
	await heard('Saved hook');
	expect(routes.subscriptions()['hook']?.['prompt']).toBe('Look at {number}\ntwice');

	await spoken.say('add a route', '1');
	await heard('name>');
	await spoken.say('hook two', 'name', 'fresh', 'prompt', 'Hello', 'save');
	await heard('Saving changes');
	await spoken.say('save');
	await heard('Secret, which will not be shown again');
	expect(missing(spoken.shell)).toEqual([]);
	await spoken.say('copy the URL', 'done');
	expect(spoken.desktop.copied).toEqual(['http://127.0.0.1:8644/webhooks/fresh']);
	expect(routes.subscriptions()['fresh']?.['prompt']).toBe('Hello');
});

test('what is asked takes the place of what was being read: more does not go on with it', async () => {
	await using spoken = await openLinear(createWorld({approvals: [waitingCall]}));
	await spoken.say('help e');
	expect(spoken.heard()).toMatch(/\d+ more lines: say more\./);
	await spoken.say('approvals', 'more');
	expect(spoken.heard()).toContain('"more" is no answer here');
});
