import {Box} from 'ink';
import {useState} from 'react';
import {expect, test} from 'vitest';
import {cell} from '../../../source/core/untrusted.ts';
import {useKeys} from '../../../source/tui/input/use-keys.ts';
import {Field} from '../../../source/tui/text/field.tsx';
import {T} from '../../../source/tui/text/t.tsx';
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

		return key.id === 'ctrl+k';
	});
	return (
		<Box flexDirection="column" width={40} height={4}>
			<T>{cell(`value=${value}`).text}</T>
			{open && (
				<Field
					value={value}
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
