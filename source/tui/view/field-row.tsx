import {Box} from 'ink';
import {useContext} from 'react';
import type {Safe} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {safe} from '../../terminal/text/safe.ts';
import {Field} from '../text/field.tsx';
import {T} from '../text/t.tsx';
import {ThemeContext} from './shell-context.ts';

export type FieldRowProps = {
	readonly label: Safe;
	readonly value: string;
	readonly onChange: (value: string) => void;
	/** At the right end: a count, or what is wrong. */
	readonly note: Safe;
	readonly width: number;
};

/** A text field of one row with its label and a note. */
export function FieldRow({label, value, onChange, note, width}: FieldRowProps) {
	const theme = useContext(ThemeContext);
	const labelCells = widthOf(label);
	const noteCells = Math.min(widthOf(note), Math.floor(width / 2));
	const fieldCells = Math.max(1, width - labelCells - noteCells - 1);
	return (
		<Box width={width} height={1} overflow="hidden" flexShrink={0}>
			<Box width={labelCells} height={1} flexShrink={0}>
				<T {...theme.accent}>{label}</T>
			</Box>
			<Box width={fieldCells} height={1} overflow="hidden" flexShrink={0}>
				<Field value={value} width={fieldCells} onChange={onChange} />
			</Box>
			<Box width={noteCells + 1} height={1} flexShrink={0}>
				<T {...theme.quiet}>{safe` ${note}`}</T>
			</Box>
		</Box>
	);
}
