import {readdirSync} from 'node:fs';
import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import {Unicode11Addon} from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import {beforeAll, expect, test} from 'vitest';
import {cellsOf, type Screen} from '../../../scripts/screenshot/cells.ts';
import {routeFields} from '../../../source/config/route-edit/route-fields.ts';
import type {ToolApproval} from '../../../source/core/approval.ts';
import {SvcError} from '../../../source/core/errors.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import type {RouteDefinition, RouteDraft} from '../../../source/core/route-editor.ts';
import {openPane} from '../../../source/tui/acts/navigate.ts';
import {approvalSheet, openSheet} from '../../../source/tui/acts/sheet.ts';
import {changeEditor, editorNow} from '../../../source/tui/editor/editor-state.ts';
import {editRoute} from '../../../source/tui/editor/open-editor.ts';
import {refresh} from '../../../source/tui/editor/refresh.ts';
import {reviewSave} from '../../../source/tui/editor/save-draft.ts';
import {changeChat} from '../../../source/tui/panes/chat/chat-state.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {createShell} from '../../../source/tui/shell/create-shell.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {drawScreen, type DrawnScreen} from '../../../source/tui/snapshot/draw-screen.tsx';
import {nobodysDesktop} from '../../../source/tui/snapshot/nobody.ts';
import {setColorLevel} from '../../helpers/color-level.ts';
import {createFakeClock, type FakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {makeBuiltInTool, makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery, received} from '../../helpers/make.ts';
import {testNow} from '../../helpers/show-shell.tsx';
import {differenceFrom, goldenFolder, goldenText, textOfRow} from './golden-file.ts';
import {worlds} from './worlds.ts';

const sizes = [
	{columns: 120, rows: 36},
	{columns: 80, rows: 24},
	{columns: 60, rows: 16},
] as const;
const shownThemes = ['dark', 'light', 'mono'] as const;
const states = ['empty', 'busy', 'error'] as const;

const cases = states.flatMap(state => sizes.map(size => ({state, size, ...size})));
const nameOf = (pane: string, state: string, {columns, rows}: (typeof sizes)[number]) =>
	`${pane}-${state}-${columns}x${rows}.txt`;

beforeAll(async () => {
	await setColorLevel(3);
});

/** Until nothing moves; no time passes. */
async function still(screen: DrawnScreen): Promise<void> {
	for (let quiet = 0; quiet < 3;) {
		// oxlint-disable-next-line no-await-in-loop -- turn after turn
		quiet = (await screen.turn()) ? 0 : quiet + 1;
	}
}

/** A second passes, in which the pane loads what it shows. */
async function second(screen: DrawnScreen, clock: FakeClock): Promise<void> {
	for (const ms of [250, 450, 300]) {
		clock.advance(ms);
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await still(screen);
	}
}

const isSelected = (row: string) => row.startsWith('>');

/** What must hold of every frame, whatever it shows. */
function check(shell: Shell, frame: string, screen: Screen): void {
	const {columns, rows} = shell.view.get().size;
	expect(foreignSequences(frame)).toEqual([]);
	expect(screen).toHaveLength(rows);
	expect(
		screen.filter(row => row.reduce((sum, cell) => sum + cell.columns, 0) !== columns),
	).toEqual([]);
	const list = shell.openList();
	const hasSelection =
		editorNow(shell) !== undefined ||
		(approvalSheet.now(shell) === undefined &&
			list !== undefined &&
			list.get().window.cursor !== -1);
	expect(screen.map(textOfRow).some(isSelected)).toBe(hasSelection);
}

/** Where a terminal that goes by another table puts a character elsewhere than we do. */
async function disagreements(screen: Screen, unicode: '11' | 'graphemes') {
	const terminal = new xterm.Terminal({
		cols: 130,
		rows: screen.length + 1,
		allowProposedApi: true,
		convertEol: true,
	});
	terminal.loadAddon(unicode === '11' ? new Unicode11Addon() : new UnicodeGraphemesAddon());
	terminal.unicode.activeVersion = unicode === '11' ? '11' : '15-graphemes';
	await new Promise<void>(resolve => {
		terminal.write(screen.map(textOfRow).join('\n'), resolve);
	});
	const wrong = screen.flatMap((row, index) => {
		let column = 0;
		const line = terminal.buffer.active.getLine(index);
		return row.flatMap(({text, columns}) => {
			const shown = line?.getCell(column)?.getChars() || ' ';
			column += columns;
			return shown === text ? [] : [`${index}: "${text}" is "${shown}"`];
		});
	});
	terminal.dispose();
	return wrong;
}

/** The screen in each theme, which say the same. */
async function framesOf(shell: Shell, screen: DrawnScreen) {
	const {size} = shell.view.get();
	const frames = [];
	for (const theme of shownThemes) {
		shell.view.set(now => ({...now, theme}));
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		await still(screen);
		const cells = cellsOf(screen.frame(), size);
		check(shell, screen.frame(), cells);
		frames.push({theme, screen: cells});
	}

	const [dark, ...others] = frames.map(frame => frame.screen.map(textOfRow));
	expect(others).toEqual(others.map(() => dark));
	for (const unicode of ['11', 'graphemes'] as const) {
		// oxlint-disable-next-line no-await-in-loop -- as above
		expect(await disagreements(frames[0]?.screen ?? [], unicode)).toEqual([]);
	}

	return frames;
}

test.for(cases)('every pane, $state, $columns×$rows', async ({state, size}) => {
	const clock = createFakeClock(testNow);
	const world = worlds[state](clock);
	using shell = createShell(
		{...world, clock, desktop: nobodysDesktop},
		{size, theme: 'dark', ssh: false, version: '1.0.0'},
	);
	await using screen = drawScreen(shell);
	const differences: string[] = [];
	for (const {id} of panes) {
		openPane(shell, id);
		const {chat} = world;
		if (id === 'chat' && chat) {
			changeChat(shell, () => chat);
		}

		if (state !== 'error') {
			// A gateway says each second that it is there.
			world.port.emit();
		}

		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await second(screen, clock);
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		const frames = await framesOf(shell, screen);
		const name = nameOf(id, state, size);
		const text = goldenText(`${id}, ${state}, ${size.columns}×${size.rows}`, frames);
		differences.push(...[differenceFrom(name, text)].filter(one => one !== undefined));
	}

	expect(differences.join('\n\n')).toBe('');
});

/** Calls of tools of svc itself, as the sheet shows them. */
const sheets: Readonly<Record<string, Partial<ToolApproval>>> = {
	'sheet-command': {
		tool: makeBuiltInTool('terminal'),
		args: {command: 'set -e\nfor one in src/*.ts; do\n\twc -l "$one"  \ndone \u202e'},
		preview: {
			title: 'command',
			facts: [
				{name: 'workdir', value: '/home/ada/work'},
				{name: 'time limit', value: '120 s'},
			],
			lines: ['set -e', 'for one in src/*.ts; do', '\twc -l "$one"  ', 'done \u202e'],
		},
	},
	'sheet-change': {
		tool: makeBuiltInTool('edit_file'),
		args: {path: 'src/math.ts', old_text: 'a - b', new_text: 'a + b'},
		preview: {
			title: 'change',
			facts: [{name: 'file', value: '/home/ada/work/src/math.ts'}],
			lines: [
				'@@ -1,3 +1,3 @@',
				' export function add(a, b) {',
				'-\treturn a - b;',
				'+\treturn a + b;',
				' }',
			],
		},
	},
	'sheet-open': {
		tool: makeBuiltInTool(
			'terminal',
			'no sandbox works here: bubblewrap is not on PATH; it runs with all rights of the gateway',
		),
		scopes: ['once'],
		args: {command: 'npm test'},
		preview: {
			title: 'command',
			facts: [{name: 'workdir', value: '/home/ada/work'}],
			lines: ['npm test'],
		},
	},
};

test.for(sizes)('the sheet of a call of a tool of svc itself, $columns×$rows', async size => {
	const clock = createFakeClock(testNow);
	const differences: string[] = [];
	for (const [name, call] of Object.entries(sheets)) {
		const approval = makeToolApproval({
			...call,
			requestedAt: testNow - 30_000,
			deadline: testNow + 271_000,
		});
		using shell = createShell(
			{
				...worlds.empty(clock),
				port: createFakePort({approvals: [approval]}),
				clock,
				desktop: nobodysDesktop,
			},
			{size, theme: 'dark', ssh: false, version: '1.0.0'},
		);
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await using screen = drawScreen(shell);
		openSheet(shell, approval);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await second(screen, clock);
		// oxlint-disable-next-line no-await-in-loop -- as above
		const frames = await framesOf(shell, screen);
		const {columns, rows} = size;
		differences.push(
			...[
				differenceFrom(
					`${name}-${columns}x${rows}.txt`,
					goldenText(`${name}, ${columns}×${rows}`, frames),
				),
			].filter(one => one !== undefined),
		);
	}

	expect(differences.join('\n\n')).toBe('');
});

const definition: JsonObject = {
	events: ['pull_request'],
	secret: '<kept: secret, 43 bytes>',
	rotated_on: '2026-11-20',
	filters: [{field: 'action', in: ['opened', 'synchronize']}],
	prompt: `Review {repository.full_name}#{number}: {pull_request.title}\n\n${'Look at the diff for bugs, and at the tests for what they leave out. '.repeat(2)}`,
	deliver: 'forge_comment',
	deliver_extra: {repo: '{repository.full_name}', pr_number: '{number}'},
};

const readForm: RouteDefinition = {
	name: 'gh-review',
	source: 'dynamic',
	file: '/home/ada/.svc/webhook_subscriptions.json',
	line: 2,
	lines: {},
	definition,
	fingerprint: 'one',
};

/** A port that knows one route as its files have it. */
function formPort(port: FakePort): FakePort {
	const delivery = makeDelivery({id: 'd7f3a1c9'});
	return Object.assign(port, {
		listRouteFields: async () => routeFields(),
		listDeliveries: async () => [delivery],
		listPayloadKeys: async () => ({deliveries: 0, keys: []}),
		readRoute: async () => readForm,
		readTargetProblem: async () => '"gh" is not installed; install it or set forge.cli',
		checkRoute: async (_name: string, {definition: draft}: RouteDraft) => ({
			problems:
				draft['concurrency'] === 0 ? [{path: 'concurrency', message: 'must be at least 1'}] : [],
			warnings: [],
		}),
		previewRoute: async () => ({
			prompt: 'Review acme/api#4211: Fix flaky test in api\n\nLook at the diff for bugs.',
			promptLength: 71,
			extra: {repo: 'acme/api', pr_number: '4211'},
			trace: [{step: 'dispatch', verdict: 'pass', detail: 'accepted'}],
			notes: [],
		}),
		backtestRoute: async () => ({
			deliveries: 194,
			leftOut: 0,
			today: {passed: 85, runs: 85},
			edited: {passed: 85, runs: 85},
			filterPasses: [85],
			medianPrompt: 212,
			notes: [],
		}),
		async planRouteSave() {
			throw new SvcError('route_conflict', 'Cannot save route "gh-review": it was changed');
		},
	});
}

/** What is done in the form of a route before it is shown. */
const forms: Readonly<Record<string, (shell: Shell, port: FakePort) => void>> = {
	form() {},
	'form-prompt'(shell) {
		changeEditor(shell, state => ({...state, place: {key: 'prompt', option: 0}}));
	},
	'form-unfolded'(shell) {
		changeEditor(shell, state => ({
			...state,
			isUnfolded: true,
			place: {key: 'rate_limit', option: 0},
		}));
	},
	'form-wrong'(shell, port) {
		const [rate, lost] = [{outcome: 'rate', status: 429} as const, testNow - 60_000];
		port.emit(received(makeDelivery({...rate, id: 'lost', route: 'gh-review', receivedAt: lost})));
		changeEditor(shell, state => ({
			...state,
			place: {key: 'concurrency', option: 0},
			draft: {...state.draft, definition: {...definition, concurrency: 0}},
		}));
		refresh(shell);
	},
	'form-conflict'(shell, port) {
		port.readRoute = async () => ({
			...readForm,
			fingerprint: 'two',
			definition: {...definition, events: ['pull_request', 'issues']},
		});
		changeEditor(shell, state => ({
			...state,
			draft: {...state.draft, definition: {...definition, deliver: 'log'}},
		}));
		reviewSave(shell);
	},
};

test.for(sizes)('the form of a route, $columns×$rows', async size => {
	const differences: string[] = [];
	for (const [name, act] of Object.entries(forms)) {
		const clock = createFakeClock(testNow);
		const world = worlds.busy(clock);
		const port = formPort(world.port);
		using shell = createShell(
			{...world, clock, desktop: nobodysDesktop},
			{size, theme: 'dark', ssh: false, version: '1.0.0'},
		);
		// oxlint-disable-next-line no-await-in-loop -- one screen after the other
		await using screen = drawScreen(shell);
		openPane(shell, 'routes');
		const [route] = port.getState().routes;
		if (route) {
			editRoute(shell, {...route, name: 'gh-review', source: 'dynamic'});
		}

		// oxlint-disable-next-line no-await-in-loop -- as above
		await second(screen, clock);
		act(shell, port);
		// oxlint-disable-next-line no-await-in-loop -- as above
		await second(screen, clock);
		// oxlint-disable-next-line no-await-in-loop -- as above
		const frames = await framesOf(shell, screen);
		const {columns, rows} = size;
		differences.push(
			...[
				differenceFrom(
					`${name}-${columns}x${rows}.txt`,
					goldenText(`${name}, ${columns}×${rows}`, frames),
				),
			].filter(one => one !== undefined),
		);
	}

	expect(differences.join('\n\n')).toBe('');
});

test('there is a golden frame for every pane, state and size, and no other', () => {
	const wanted = [
		...panes.flatMap(({id}) => cases.map(({state, size}) => nameOf(id, state, size))),
		...[...Object.keys(sheets), ...Object.keys(forms)].flatMap(name =>
			sizes.map(({columns, rows}) => `${name}-${columns}x${rows}.txt`),
		),
	];
	expect(readdirSync(goldenFolder).toSorted()).toEqual(wanted.toSorted());
});
