import {Box, useWindowSize} from 'ink';
import {useState} from 'react';
import {expect, test} from 'vitest';
import {literal, safe} from '../../../source/terminal/text/safe.ts';
import {useKeys} from '../../../source/tui/input/use-keys.ts';
import {T} from '../../../source/tui/text/t.tsx';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {renderTui} from '../../helpers/screen.tsx';

function Counter() {
	const {columns, rows} = useWindowSize();
	const [count, setCount] = useState(0);
	useKeys(key => {
		if (key.id === 'j') {
			setCount(count + 1);
		}

		return true;
	});
	return (
		<Box width={columns} height={rows} flexDirection="column">
			<T color="red" bold>
				{safe`count ${count}`}
			</T>
			<T>{safe`${columns}x${rows}`}</T>
			<T>{literal('日本 ✓ end')}</T>
		</Box>
	);
}

test('the screen shows what was drawn, with colours, in a window of any size', async () => {
	await using screen = await renderTui(<Counter />, {columns: 20, rows: 4});
	expect(screen.lines()).toEqual(['count 0', '20x4', '日本 ✓ end', '']);
	expect(screen.cell(0, 0)).toMatchObject({text: 'c', foreground: '1', bold: true});
	expect(screen.cell(1, 0)).toMatchObject({foreground: 'default', bold: false});
	await screen.resize({columns: 40, rows: 6});
	expect(screen.lines()).toEqual(['count 0', '40x6', '日本 ✓ end', '', '', '']);
});

test('without colours nothing is coloured', async () => {
	await using screen = await renderTui(<Counter />, {columns: 20, rows: 4}, {colors: 0});
	expect(screen.cell(0, 0)).toMatchObject({text: 'c', foreground: 'default', bold: false});
});

test('each of the keys of one read sees what the one before it did', async () => {
	await using screen = await renderTui(<Counter />, {columns: 20, rows: 4});
	await screen.press('j');
	expect(screen.lines()[0]).toBe('count 1');
	await screen.type('jjj');
	expect(screen.lines()[0]).toBe('count 4');
});

test('Ink never writes a sequence that is not on our list', async () => {
	const screen = await renderTui(<Counter />, {columns: 20, rows: 4});
	await screen.type('jj');
	await screen.resize({columns: 10, rows: 3});
	await screen[Symbol.asyncDispose]();
	expect(screen.written()).toContain('\u001B[?1049h');
	expect(foreignSequences(screen.written())).toEqual([]);
});

test.for([
	['\u001B[3J'],
	['\u001B]8;;https://evil.example\u0007'],
	['\u001B[8m'],
	['\u001B[1;8m'],
	['\u001B]0;title\u0007'],
	['\u001B]52;c;?\u0007'],
	['\u009B31m'],
	['\u202E'],
	['\u0000'],
	['\u001Bc'],
])('%j is foreign', ([sequence]) => {
	expect(foreignSequences(`a${sequence}b`)).not.toEqual([]);
});
