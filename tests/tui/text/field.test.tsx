import {Box} from 'ink';
import {useState} from 'react';
import {expect, test} from 'vitest';
import {cell} from '../../../source/core/untrusted.ts';
import {useKeys} from '../../../source/tui/input/use-keys.ts';
import {Field} from '../../../source/tui/text/field.tsx';
import {T} from '../../../source/tui/text/t.tsx';
import {foreignSequences} from '../../helpers/foreign-sequences.ts';
import {renderTui} from '../../helpers/screen.tsx';

function Form({
	taken,
	submitted,
	maxLength,
}: {
	readonly taken: string[];
	readonly submitted: string[];
	readonly maxLength?: number;
}) {
	const [value, setValue] = useState('');
	const [open, setOpen] = useState(true);
	useKeys(key => {
		if (key.id === 'esc') {
			setOpen(false);
			return true;
		}

		if (!open) {
			taken.push(key.id);
			return true;
		}

		return key.id === 'ctrl+g';
	});
	return (
		<Box flexDirection="column" width={40} height={4}>
			<T>{cell(`value=${value}`).text}</T>
			{open && (
				<Field
					value={value}
					width={30}
					onChange={setValue}
					onSubmit={text => submitted.push(text)}
					{...(maxLength !== undefined && {maxLength})}
				/>
			)}
		</Box>
	);
}

const size = {columns: 40, rows: 4};

const open = async (maxLength?: number) => {
	const taken: string[] = [];
	const submitted: string[] = [];
	const screen = await renderTui(
		<Form taken={taken} submitted={submitted} {...(maxLength !== undefined && {maxLength})} />,
		size,
	);
	return {screen, taken, submitted};
};

test('text and Enter that came in one read are single keys', async () => {
	const {screen, submitted} = await open();
	await using _ = screen;
	await screen.type('abc\r');
	expect(screen.lines()[0]).toBe('value=abc');
	expect(submitted).toEqual(['abc']);
});

test('the root handler sees keys first, and what it takes is not typed', async () => {
	const {screen, taken} = await open();
	await using _ = screen;
	await screen.press('a', 'ctrl+g', 'b', 'esc', 'c');
	expect(screen.lines()[0]).toBe('value=ab');
	expect(taken).toEqual(['c']);
	expect(screen.frontend.fieldFocused()).toBe(false);
});

test('a pasted text stands at the cursor on one line, without its controls', async () => {
	const {screen} = await open();
	await using _ = screen;
	await screen.type('ac');
	await screen.press('left');
	await screen.paste('x\r\ny\u001B[31m');
	expect(screen.lines()[0]).toBe('value=ax y[31mc');
});

test('Tab and what means nothing in a line type nothing', async () => {
	const {screen} = await open();
	await using _ = screen;
	await screen.press('a', 'b', 'tab', 'shift+tab', 'up', 'alt+f', 'ctrl+t');
	expect(screen.lines()[0]).toBe('value=ab');
});

test("the keys of the shell's line are those of the field", async () => {
	const {screen} = await open();
	await using _ = screen;
	const value = () => screen.lines()[0]?.replace('value=', '');
	await screen.type('one two three');
	await screen.press('ctrl+w');
	expect(value()).toBe('one two');
	await screen.press('ctrl+a', 'x', 'ctrl+e', 'y', 'home', 'delete', 'right', 'ctrl+k');
	expect(value()).toBe('o');
	expect(screen.lines()[1]).toBe('o█');
	await screen.type('k then');
	await screen.press('left', 'left', 'left', 'left', 'ctrl+u');
	expect(value()).toBe('then');
	expect(screen.lines()[1]).toBe('█then');
});

test('Backspace never leaves half a character', async () => {
	const {screen, submitted} = await open();
	await using _ = screen;
	await screen.type('日👍');
	await screen.press('backspace', 'enter', 'backspace', 'enter');
	expect(submitted).toEqual(['日', '']);
});

test('a value is cut at its longest', async () => {
	const {screen} = await open(3);
	await using _ = screen;
	await screen.type('abcdef');
	expect(screen.lines()[0]).toBe('value=abc');
	await screen.paste('日本語');
	expect(screen.lines()[0]).toBe('value=abc');
});

test('raw mode and bracketed paste are on while the program runs, and given back', async () => {
	const {screen} = await open();
	expect(screen.isRaw()).toBe(true);
	expect(screen.written()).toContain('\u001B[?2004h');
	await screen[Symbol.asyncDispose]();
	expect(screen.isRaw()).toBe(false);
	expect(screen.written()).toContain('\u001B[?2004l');
	expect(foreignSequences(screen.written())).toEqual([]);
});
