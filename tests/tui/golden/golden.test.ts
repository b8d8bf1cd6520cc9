import {readdirSync} from 'node:fs';
import {UnicodeGraphemesAddon} from '@xterm/addon-unicode-graphemes';
import {Unicode11Addon} from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import {beforeAll, expect, test} from 'vitest';
import {cellsOf, type Screen} from '../../../scripts/screenshot/cells.ts';
import type {ToolApproval} from '../../../source/core/approval.ts';
import {openPane} from '../../../source/tui/acts/navigate.ts';
import {approvalSheet, openSheet} from '../../../source/tui/acts/sheet.ts';
import {changeChat} from '../../../source/tui/panes/chat/chat-state.ts';
import {panes} from '../../../source/tui/panes/panes.ts';
import {createShell} from '../../../source/tui/shell/create-shell.ts';
import type {Shell} from '../../../source/tui/shell/shell.ts';
import {drawScreen, type DrawnScreen} from '../../../source/tui/snapshot/draw-screen.tsx';
import {nobodysDesktop} from '../../../source/tui/snapshot/nobody.ts';
import {setColorLevel} from '../../helpers/color-level.ts';
import {createFakeClock, type FakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {makeBuiltInTool, makeToolApproval} from '../../helpers/make-approval.ts';
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
		approvalSheet.now(shell) === undefined && list !== undefined && list.get().window.cursor !== -1;
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

test('there is a golden frame for every pane, state and size, and no other', () => {
	const wanted = [
		...panes.flatMap(({id}) => cases.map(({state, size}) => nameOf(id, state, size))),
		...Object.keys(sheets).flatMap(name =>
			sizes.map(({columns, rows}) => `${name}-${columns}x${rows}.txt`),
		),
	];
	expect(readdirSync(goldenFolder).toSorted()).toEqual(wanted.toSorted());
});
