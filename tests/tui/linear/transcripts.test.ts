import {expect, test} from 'vitest';
import type {StopConsequences} from '../../../source/gateway/port.ts';
import {openPane} from '../../../source/tui/acts/navigate.ts';
import {showKey} from '../../../source/tui/dialogs/key.ts';
import type {Draft} from '../../../source/tui/editor/draft.ts';
import {editor, newEditor} from '../../../source/tui/editor/editor-state.ts';
import {openLinear, type SpokenShell} from '../../helpers/linear.ts';
import {makeShownTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {makeKey} from '../../helpers/make-key.ts';
import {makeDelivery, makeSession} from '../../helpers/make.ts';
import {createWorld, waitingCall, waitingForm} from './world.ts';

type Step = string | ((spoken: SpokenShell) => Promise<void>);

const waits = (ms: number) => async (spoken: SpokenShell) => spoken.pass(ms);
const interrupts = async (spoken: SpokenShell) => spoken.interrupt();
const pastes =
	(...lines: readonly string[]) =>
	async (spoken: SpokenShell) =>
		spoken.paste(...lines);

const long = makeToolApproval({
	args: Object.fromEntries(
		Array.from({length: 30}, (_, index) => [`field${index}`, `value ${index}`]),
	),
});

const destroys = makeToolApproval({
	tool: makeShownTool({tool: 'delete_repo', claims: {destructive: true}}),
	mustTypeName: true,
	scopes: ['once'],
});

const scripts: Readonly<
	Record<
		string,
		{readonly waiting?: typeof waitingCall; readonly form?: true; readonly steps: readonly Step[]}
	>
> = {
	traffic: {
		steps: [
			'list',
			'more',
			'more',
			'13',
			'find draft',
			'row 2',
			's',
			'1',
			'back',
			'filter',
			'filter route:gh-push',
			'filter wrong:word',
			'filter off',
			'do',
			'mark',
			'y',
			'cancel',
			'r',
			'no',
			'14',
			'replay',
			'yes',
			'follow',
			'',
		],
	},
	groups: {
		steps: [
			'groups',
			'1',
			'd',
			'yes',
			'jobs',
			'1',
			'do',
			'run now',
			'no',
			'groups',
			'filter state:pending',
		],
	},
	tools: {
		steps: [
			'tools',
			'2',
			'1',
			'do',
			'c',
			'try a tool',
			'1',
			'',
			'Bob',
			'back',
			'=call',
			'',
			'call',
			'cancel',
			'filter state:connected',
		],
	},
	logins: {steps: ['logins', '1', 'do', 'log in with a code', 'l', 'Q']},
	subs: {
		steps: [
			'subs',
			'1',
			'filter source:static',
			'filter off',
			'1',
			'pause',
			'yes',
			'delete',
			'gh-push',
			'cancel',
			'delete',
			'gh-review',
		],
	},
	approvals: {steps: ['pane approvals', '1', 'do', 'revoke', 'yes', 'approvals']},
	runs: {steps: ['runs', '1', 'cancel', 'no', 'filter state:done', '1', 'its delivery']},
	logs: {steps: ['logs', '1', 'errors', 'list', 'errors', 'filter level:info', 'w']},
	'a call that is allowed': {
		waiting: waitingCall,
		steps: ['approvals', 'help', '1', '', 'about', 'wait', 'allow'],
	},
	'a call that is allowed too early': {
		waiting: waitingCall,
		steps: [pastes('approvals', 'allow'), pastes('allow', 'allow'), waits(600), 'allow run'],
	},
	'a call that is denied': {
		waiting: waitingCall,
		steps: ['approvals', 'deny reason', 'Not in this repository'],
	},
	'a long call': {
		waiting: long,
		steps: ['approvals', 'allow', 'more', 'allow', 'more', 'more', 'deny'],
	},
	'a tool that destroys': {
		waiting: destroys,
		steps: ['approvals', 'allow', 'create_issue', pastes('delete_repo', 'list'), 'delete_repo'],
	},
	'a rule': {
		waiting: waitingCall,
		steps: ['approvals', 'always', 'exact', 'mark 1', 'marked', 'back', 'leave'],
	},
	'a form': {
		form: true,
		steps: ['approvals', '', 'Acme', '7', '2', '1234', 'field 1', 'Acme 2', 'done', 'send'],
	},
	'a chat': {
		steps: [
			'chat',
			'write',
			'Where is Bern?',
			waits(300),
			'stop',
			'find',
			waits(300),
			'bern',
			waits(300),
			'1',
			waits(300),
			'copy',
			'write',
			'back',
			'quit',
			'stay',
			'aside',
		],
	},
	quit: {steps: ['quit', 'stay', interrupts, interrupts]},
	nonsense: {
		steps: [
			'pains',
			'xyzzy',
			'99',
			'',
			'status',
			'panes',
			'8',
			'palette gh-push',
			'1',
			'help',
			'help replay',
			'do all',
		],
	},
};

test.for(Object.keys(scripts))('%s', async name => {
	const {waiting, form, steps = []} = scripts[name] ?? {};
	const port = createWorld();
	port.sessions.set('ses_1', makeSession(['Where is Bern?', 'In the **middle**.']));
	await using spoken = await openLinear(port);
	if (waiting ?? form) {
		port.emit({
			type: 'approval-requested',
			at: spoken.clock.now(),
			approval: waiting ?? waitingForm,
		});
		await spoken.pass(600);
	}

	for (const step of steps) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await (typeof step === 'string' ? spoken.say(step) : step(spoken));
	}

	const did = port.calls.map(call => `= ${call.name} ${JSON.stringify(call.args)}`);
	await expect(`${spoken.transcript()}\n${did.join('\n')}\n`).toMatchFileSnapshot(
		`transcripts/${name.replaceAll(' ', '-')}.txt`,
	);
});

test('nothing is allowed within half a second of its last line', async () => {
	const port = createWorld({approvals: [waitingCall]});
	await using spoken = await openLinear(port);
	await spoken.hurry('approvals', 'allow');
	expect(spoken.heard()).toContain('Not taken: say it half a second after it was read');
	expect(port.calls).toEqual([]);

	await spoken.pass(600);
	await spoken.say('allow');
	expect(port.calls).toMatchObject([
		{name: 'settleApproval', args: [1, {answer: {choice: 'allow', scope: 'once'}}]},
	]);
});

test('a request that ends elsewhere says so, and what is typed for it does nothing', async () => {
	const port = createWorld({approvals: [waitingCall]});
	await using spoken = await openLinear(port);
	await spoken.say('approvals');
	spoken.heard();
	port.emit({
		type: 'approval-settled',
		at: spoken.clock.now(),
		approval: {...waitingCall, decision: {outcome: 'timeout', by: 'svc', at: spoken.clock.now()}},
	} as never);
	await spoken.pass(100);
	expect(spoken.heard()).toContain('github-tools create_issue waits no more');

	await spoken.say('allow');
	expect(port.calls).toEqual([]);
});

test('what begins to need a person is told once, with the bell, and not more often than every three seconds', async () => {
	const port = createWorld();
	await using spoken = await openLinear(port);
	spoken.heard();
	for (const id of [1, 2, 3]) {
		port.emit({
			type: 'approval-requested',
			at: spoken.clock.now(),
			approval: makeToolApproval({id}),
		});
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await spoken.pass(200);
	}

	expect(spoken.desktop.rings).toBe(1);
	expect(spoken.heard().match(/Approval:/g)).toHaveLength(1);
	await spoken.pass(4000);
	expect(spoken.heard()).toMatch(/Approval: .* 1 more waits: say status\./);
	await spoken.pass(20_000);
	expect(spoken.heard()).toBe('');
});

test('who types a line hears what needs a person when it is ended, or after ten seconds', async () => {
	const port = createWorld();
	await using spoken = await openLinear(port);
	const request = (id: number) => {
		port.emit({
			type: 'approval-requested',
			at: spoken.clock.now(),
			approval: makeToolApproval({id}),
		});
	};
	spoken.heard();
	spoken.type(true);
	request(1);
	await spoken.pass(9000);
	expect(spoken.heard()).toBe('');
	await spoken.pass(2000);
	expect(spoken.heard()).toContain('Approval:');

	await spoken.pass(5000);
	request(2);
	await spoken.pass(1000);
	expect(spoken.heard()).toBe('');
	spoken.type(false);
	await spoken.pass(1000);
	expect(spoken.heard()).toContain('Approval:');
});

test('how long somebody is not interrupted is counted anew for what comes later', async () => {
	const port = createWorld();
	await using spoken = await openLinear(port);
	spoken.heard();
	spoken.type(true);
	port.emit({
		type: 'approval-requested',
		at: spoken.clock.now(),
		approval: makeToolApproval({id: 1}),
	});
	await spoken.pass(1000);
	port.emit({
		type: 'approval-settled',
		at: spoken.clock.now(),
		approval: {
			...makeToolApproval({id: 1}),
			decision: {outcome: 'denied', by: 'somebody', at: spoken.clock.now()},
		},
	});
	await spoken.pass(60_000);
	expect(spoken.heard()).toBe('');
	port.emit({
		type: 'approval-requested',
		at: spoken.clock.now(),
		approval: makeToolApproval({id: 2}),
	});
	await spoken.pass(5000);
	expect(spoken.heard()).toBe('');
	await spoken.pass(6000);
	expect(spoken.heard()).toContain('Approval:');
});

test('a new key is read once, however often the question is', async () => {
	await using spoken = await openLinear(createWorld());
	const secret = 'svc_live_0123456789';
	showKey(spoken.shell, {key: makeKey(), secret}, {isRotated: false});
	await spoken.pass(600);
	expect(spoken.heard()).toContain(secret);
	await spoken.say('again');
	expect(spoken.heard()).toContain('was read once');
	expect(spoken.transcript().split(secret)).toHaveLength(2);
});

test('Ctrl-C behind a line that is still worked on asks for the next one once', async () => {
	await using spoken = await openLinear(createWorld());
	spoken.heard();
	await spoken.regret('status');
	const [, after = ''] = spoken.heard().split('^C');
	expect(after.split('> ')).toHaveLength(2);
});

test('a route that is edited says its filters and how many secrets it has, never which', async () => {
	await using spoken = await openLinear(createWorld());
	const definition = {
		filters: [{field: 'action', equals: 'opened'}],
		secret: ['first-of-it', 'second-of-it'],
	};
	const draft: Draft = {
		name: 'hook',
		from: 'hook',
		isNew: false,
		source: 'dynamic',
		fingerprint: 'none',
		traffic: '',
		base: definition,
		definition,
		past: [],
	};
	openPane(spoken.shell, 'subs');
	spoken.shell.local(editor).set(() =>
		newEditor(draft, [
			{path: ['filters'], kind: 'json', description: 'What must hold'},
			{path: ['secret'], kind: 'texts', description: 'What it is signed with', secret: true},
		]),
	);
	await spoken.pass(600);
	spoken.heard();
	await spoken.say('fields');
	const fields = spoken.heard();
	expect(fields).toContain('filters.0: action equals opened');
	expect(fields).toMatch(/secret\.0: .*set.*\n.*secret\.1: .*set/);
	await spoken.say('filters.0');
	expect(spoken.heard()).toContain('Now: action equals opened');
	expect(spoken.transcript()).not.toContain('of-it');
});

test('more reads on what was read last: the list, once a person is back at it', async () => {
	const port = createWorld();
	const second = port.deliveries.get('d00002');
	if (second) {
		const fields = Array.from({length: 60}, (_, index) => [`field${index}`, index]);
		const body = Buffer.from(JSON.stringify(Object.fromEntries(fields)));
		port.deliveries.set('d00002', {...second, body});
	}

	await using spoken = await openLinear(port);
	await spoken.say('list', 'more', '13');
	expect(spoken.heard()).toMatch(/more lines: say more/);

	await spoken.say('back', 'more');
	expect(spoken.heard()).toContain('That was all.');

	await spoken.say('13', 'filter event:pull_request', 'more');
	expect(spoken.heard()).toMatch(/^11\. .*acme\/api#21/m);
});

test('what leaving means for a gateway that goes on is said once, however late the gateway answers', async () => {
	const answer = Promise.withResolvers<StopConsequences>();
	const port = {...createWorld(), embedded: false, stopConsequences: async () => answer.promise};
	await using spoken = await openLinear(port);
	// The offer of a first key.
	await spoken.say('cancel');
	spoken.heard();

	await spoken.say('quit');
	answer.resolve({activeRuns: 0, queuedRuns: 0, pendingGroups: 0});
	await spoken.pass(100);

	expect(spoken.heard().match(/Only this screen closes/g)).toHaveLength(1);
});

test('who follows hears rows without a prompt between them, and is asked again after Enter', async () => {
	const port = createWorld();
	await using spoken = await openLinear(port);
	await spoken.say('follow');
	for (const number of [7, 8]) {
		port.emit({
			type: 'delivery-received',
			at: spoken.clock.now(),
			delivery: makeDelivery({id: `e0000${number}`, deliveryId: `late-${number}`}),
		} as never);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await spoken.pass(1000);
	}

	const [, heard = ''] = spoken.heard().split('Enter ends it.\n');
	expect(heard.trimEnd().split('\n')).toHaveLength(2);
	expect(heard).not.toContain('>');

	await spoken.say('');
	expect(spoken.heard()).toMatch(/No longer following\.\nsvc traffic> $/);
});

test('a row does not run into a line that is begun, and what is typed of it is shown again behind a prompt', async () => {
	const port = createWorld();
	await using spoken = await openLinear(port);
	await spoken.say('follow');
	spoken.heard();
	spoken.type(true);
	port.emit({
		type: 'delivery-received',
		at: spoken.clock.now(),
		delivery: makeDelivery({id: 'e00007', deliveryId: 'late-7'}),
	} as never);
	await spoken.pass(1000);
	expect(spoken.heard()).toMatch(/^\n\S.*\nsvc traffic> $/);
});
