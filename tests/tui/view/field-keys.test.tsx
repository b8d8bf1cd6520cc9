import {expect, test} from 'vitest';
import {bytesOfKey} from '../../../source/terminal/input/key-event.ts';
import {help} from '../../../source/tui/dialogs/help.ts';
import {palette} from '../../../source/tui/dialogs/palette.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {showShell, type ShownShell} from '../../helpers/show-shell.tsx';

const press = (...keys: readonly string[]) => keys.map(key => bytesOfKey(key)).join('');
const paste = (text: string) => `\u001B[200~${text}\u001B[201~`;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789_ABC';

/** What is typed into an empty field of 37 cells, what is shown of it then, and its value where that is more. */
const cases: ReadonlyArray<
	readonly [name: string, bytes: readonly string[], shown: string, value?: string]
> = [
	['text in one read', ['abc d'], 'abc d█'],
	['capitals and signs', ['A/?:[{~'], 'A/?:[{~█'],
	['letters of the kitty protocol', ['\u001B[97u\u001B[98;2u'], 'aB█'],
	['left', ['abc', press('left'), 'x'], 'abx█c'],
	['left at the start', ['ab', press('left', 'left', 'left'), 'x'], 'x█ab'],
	['left over an emoji', ['a👍b', press('left', 'left'), 'x'], 'ax█👍b'],
	['right', ['abc', press('left', 'left', 'right'), 'x'], 'abx█c'],
	['right at the end', ['ab', press('right'), 'x'], 'abx█'],
	['home', ['abc', press('home'), 'x'], 'x█abc'],
	['end', ['abc', press('home', 'end'), 'x'], 'abcx█'],
	['ctrl+a', ['abc', press('ctrl+a'), 'x'], 'x█abc'],
	['ctrl+e', ['abc', press('home', 'ctrl+e'), 'x'], 'abcx█'],
	['backspace', ['abc', press('backspace'), 'x'], 'abx█'],
	['backspace held down', ['abcdef', '\u007F\u007F\u007F'], 'abc█'],
	['backspace in the line', ['abc', press('left', 'backspace'), 'x'], 'ax█c'],
	['backspace at the start', ['abc', press('home', 'backspace'), 'x'], 'x█abc'],
	['backspace in an empty line', ['a', press('backspace', 'backspace'), 'x'], 'x█'],
	['backspace after wide characters', ['日本', press('backspace')], '日█'],
	['backspace after an emoji', ['a👍', press('backspace')], 'a█'],
	['backspace after an emoji of parts', ['a👍🏽b', press('left', 'backspace')], 'a█b'],
	[
		'backspace after a letter with a mark',
		[paste('e\u0301\u0323x'), press('left', 'backspace')],
		'█x',
	],
	['text before a flag', ['🇩🇪🇫🇷', press('left'), 'x'], 'DEFx█R'],
	['delete', ['abc', press('home', 'delete')], '█bc'],
	['delete at the end', ['abc', press('delete'), 'x'], 'abcx█'],
	['delete of an emoji', ['a👍b', press('home', 'right', 'delete')], 'a█b'],
	['ctrl+u', ['abc', press('left', 'ctrl+u')], '█c'],
	['ctrl+k', ['abc', press('left', 'left', 'ctrl+k')], 'a█'],
	['ctrl+w', ['one two', press('ctrl+w'), 'x'], 'one x█'],
	['ctrl+w over blanks', ['one two ', press('ctrl+w', 'ctrl+w')], '█'],
	['ctrl+h', ['abc', press('ctrl+h')], 'ab█'],
	[
		'keys that mean nothing',
		['abc', press('ctrl+d', 'alt+f', 'ctrl+t', 'insert', 'ctrl+b', 'pgup')],
		'abc█',
	],
	['a paste in the line', ['ac', press('left'), paste('x\r\ny\u001B[31m')], 'ax y[31m█c'],
	[
		'a paste of tabs, controls and marks of direction',
		[paste('\ta\u0000\u202Eb\u200B\n')],
		' ab █',
	],
	[
		'a paste of more than fits',
		[paste('z'.repeat(3000)), 'a', press('backspace'), 'd'],
		'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzd█',
		`${'z'.repeat(499)}d`,
	],
	[
		'text that scrolls',
		[alphabet],
		'efghijklmnopqrstuvwxyz0123456789_ABC█',
		'abcdefghijklmnopqrstuvwxyz0123456789_ABC',
	],
	[
		'text that scrolls, backspace',
		[paste(alphabet), press('backspace', 'backspace'), 'X'],
		'defghijklmnopqrstuvwxyz0123456789_AX█',
		'abcdefghijklmnopqrstuvwxyz0123456789_AX',
	],
	[
		'text that scrolls, home',
		[paste(alphabet), press('home'), 'X'],
		'X█abcdefghijklmnopqrstuvwxyz01234567…',
		'Xabcdefghijklmnopqrstuvwxyz0123456789_ABC',
	],
	[
		'text that scrolls, in it',
		[paste(alphabet), press('left', 'left', 'left'), 'X', press('backspace', 'backspace')],
		'abcdefghijklmnopqrstuvwxyz0123456789█',
		'abcdefghijklmnopqrstuvwxyz0123456789ABC',
	],
	[
		'text that scrolls, back to where nothing is before it',
		[paste(alphabet), press('ctrl+w'), 'X'],
		'X█',
		'X',
	],
	[
		'wide text that scrolls',
		['日本語'.repeat(7), press('backspace', 'left', 'left'), 'X'],
		'本語日本語日本語日本語日本語日本語X█…',
		'日本語日本語日本語日本語日本語日本語X日本',
	],
];

type Field = {
	readonly open: (shown: ShownShell) => Promise<void>;
	/** Around the text. */
	readonly label: string;
	readonly note: string;
	readonly set: (shown: ShownShell, value: string) => void;
	readonly valueOf: (shown: ShownShell) => string | undefined;
};

const ofOverlay = (kind: 'help' | 'palette'): Pick<Field, 'set' | 'valueOf'> => ({
	set({shell}, query) {
		shell.view.set(view => ({
			...view,
			...(view.overlay?.kind === kind && {overlay: {...view.overlay, query}}),
		}));
	},
	valueOf({shell}) {
		return (kind === 'help' ? help : palette).now(shell)?.query;
	},
});

const fields: Readonly<Record<string, Field>> = {
	search: {
		async open({shell, screen}) {
			shell.view.set(view => ({...view, field: 'search'}));
			await screen.settled();
		},
		label: 'search ',
		note: 'enter, then n N',
		set({shell}, search) {
			shell.view.set(view => ({...view, search}));
		},
		valueOf: ({shell}) => shell.view.get().search,
	},
	filter: {
		open: async ({screen}) => screen.press('/'),
		label: '/ ',
		note: 'esc clears',
		set: ({shell}, value) => shell.openList()?.setFilter(value),
		valueOf: ({shell}) => shell.openList()?.get().filterText,
	},
	help: {
		open: async ({screen}) => screen.press('?', '/'),
		label: 'search ',
		note: '',
		...ofOverlay('help'),
	},
	palette: {
		open: async ({screen}) => screen.press(':'),
		label: '> ',
		note: '',
		...ofOverlay('palette'),
	},
};

/** An open field on a small screen. */
async function openField({open, label, note, set, valueOf}: Field) {
	const shown = await showShell(createFakePort(), {columns: 60, rows: 16});
	const {screen} = shown;
	await open(shown);
	return {
		async clear() {
			set(shown, '');
			await screen.settled();
		},
		type: async (...bytes: readonly string[]) => screen.type(bytes.join('')),
		/** The text with the cursor. */
		shown() {
			const row = screen.lines().findLast(line => line.includes('█')) ?? '';
			const start = row.indexOf(label) + label.length;
			return row
				.slice(start, row.length - note.length)
				.split('  ')[0]
				?.trimEnd();
		},
		value: () => valueOf(shown),
		[Symbol.asyncDispose]: async () => shown[Symbol.asyncDispose](),
	};
}

test('every key does in a field what it does in a line of ours, and the field shows it', async () => {
	await using field = await openField(fields['search'] as Field);
	const found = [];
	for (const [name, bytes, , value] of cases) {
		await field.clear();
		await field.type(...bytes);
		found.push([name, bytes, field.shown(), ...(value === undefined ? [] : [field.value()])]);
	}

	expect(found).toEqual(cases);
});

test.for(Object.entries(fields))(
	'a line is typed and mended in the field of %s',
	async ([, of]) => {
		await using field = await openField(of);
		await field.type('a👍b', press('left', 'backspace', 'home', 'delete', 'end'), 'é');
		await field.type(paste('x\ny'), press('ctrl+w'), 'c d', press('ctrl+w', 'ctrl+a'), 'z');
		await field.type(press('ctrl+e', 'backspace', 'left', 'ctrl+u'));

		expect([field.shown(), field.value()]).toEqual(['█c', 'c']);
	},
);

test('an open field gives raw mode and bracketed paste back with the screen', async () => {
	const shown = await showShell(createFakePort(), {columns: 60, rows: 16});
	const {screen} = shown;
	await screen.press('/', 'a');
	expect(screen.isRaw()).toBe(true);
	expect(screen.written()).toContain('\u001B[?2004h');
	await shown[Symbol.asyncDispose]();

	expect(screen.isRaw()).toBe(false);
	expect(screen.written()).toContain('\u001B[?2004l');
	expect(foreignSequences(screen.written())).toEqual([]);
});
