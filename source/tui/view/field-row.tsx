import {Box} from 'ink';
import TextInput from 'ink-text-input';
import {useContext, useEffect, useEffectEvent, useLayoutEffect, useRef, useState} from 'react';
import type {Safe} from '../../core/untrusted.ts';
import type {KeyEvent} from '../../terminal/input/key-event.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {
	cursorSign,
	editLine,
	insertText,
	lineText,
	shownParts,
	type LineText,
} from '../../terminal/text/line-editor.ts';
import {safe} from '../../terminal/text/safe.ts';
import {InputContext} from '../input/use-keys.ts';
import {T} from '../text/t.tsx';
import {ThemeContext} from './shell-context.ts';

type FieldRowProps = {
	readonly label: Safe;
	readonly value: string;
	/** Receives every new value, escaped and cut. */
	readonly onChange: (value: string) => void;
	/** At the right end: a count or a problem. */
	readonly note: Safe;
	/** Cells. */
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
				<TypedLine value={value} width={fieldCells} onChange={onChange} />
			</Box>
			<Box width={noteCells + 1} height={1} flexShrink={0}>
				<T {...theme.quiet}>{safe` ${note}`}</T>
			</Box>
		</Box>
	);
}

/** Characters (UTF-16 units) that a field takes. */
const maxLength = 500;

/**
 * The line of a field; focused while it is drawn. `<TextInput>` holds the visible part of the text before the cursor: its own cursor is then at the end of its
 * value, where it handles text and Backspace correctly; Ink passes it those keys. Elsewhere it would cut UTF-16 units, not scroll, treat Delete as Backspace, and
 * type the letter of Ctrl-a, so all other keys and pastes go to `line-editor`. After a change from outside, such as a completion, the cursor is at the end.
 */
function TypedLine({value, width, onChange}: Omit<FieldRowProps, 'label' | 'note'>) {
	const frontend = useContext(InputContext);
	const [typed, setTyped] = useState(() => ({line: lineText(value), edits: 0}));
	const line = typed.line.value === value ? typed.line : lineText(value);
	const {before, after} = shownParts(line, {width});
	// Keys may arrive faster than frames: each edit continues from the last one, drawn or not.
	const latest = useRef(typed);
	useLayoutEffect(() => {
		if (latest.current.edits === typed.edits) {
			latest.current = {...typed, line};
		}
	});
	const edit = (change: (line: LineText) => LineText | undefined) => {
		const {line: now, edits} = latest.current;
		const next = change(now);
		if (next) {
			latest.current = {line: next, edits: edits + 1};
			setTyped(latest.current);
			if (next.value !== now.value) {
				onChange(next.value);
			}
		}
	};
	const onKey = useEffectEvent((key: KeyEvent) => {
		if (key.text !== '' || (key.id === 'backspace' && before !== '')) {
			frontend?.typeIntoInk(key);
		} else {
			edit(now => editLine(now, key, maxLength));
		}
	});
	const onPaste = useEffectEvent((text: string) => edit(now => insertText(now, text, maxLength)));
	useEffect(
		() => frontend?.focusField({key: key => onKey(key), paste: text => onPaste(text)}),
		[frontend],
	);

	return (
		<>
			<TextInput
				// Its cursor cannot be moved from outside: a new instance begins at the end of its value.
				key={`${typed.edits} ${before}`}
				value={before}
				// Its cursor covers a character; this field's cursor is between two.
				showCursor={false}
				onChange={next =>
					edit(now =>
						next.length > before.length
							? insertText(now, next.slice(before.length), maxLength)
							: editLine(now, {id: 'backspace', text: ''}, maxLength),
					)
				}
			/>
			<T>{safe`${cursorSign}${after}`}</T>
		</>
	);
}
