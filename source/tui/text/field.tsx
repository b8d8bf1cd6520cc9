import {useContext, useEffect, useEffectEvent, useState} from 'react';
import {editLine, insertText, lineText, shownLine} from '../../terminal/text/line-editor.ts';
import {InputContext} from '../input/use-keys.ts';
import {T} from './t.tsx';

export type FieldProps = {
	readonly value: string;
	/** Gets every new value, cleaned and cut. */
	readonly onChange: (value: string) => void;
	/** Enter, unless the root handler takes it. */
	readonly onSubmit?: (value: string) => void;
	/** Cells. */
	readonly width: number;
	/** Characters (UTF-16 units); 500 by default. */
	readonly maxLength?: number;
};

/**
 * A one-line text field for filters and searches, with the keys of every line that is typed here: Ctrl-a, Ctrl-e, Ctrl-u, Ctrl-k, Ctrl-w, Delete, Home, End. A value never holds a line
 * break, a control character or half a character. It has the keyboard while it is there: the front-end hands it the keys that the root handler did not take. A value that comes from
 * elsewhere, as by completion, has the cursor behind it.
 */
export function Field({value, onChange, onSubmit, width, maxLength = 500}: FieldProps) {
	const frontend = useContext(InputContext);
	const [typed, setTyped] = useState(() => lineText(value));
	const line = typed.value === value ? typed : lineText(value);
	const take = (next: typeof line | undefined) => {
		if (next) {
			setTyped(next);
			if (next.value !== value) {
				onChange(next.value);
			}
		}
	};
	const onKey = useEffectEvent((key: {readonly id: string; readonly text: string}) => {
		if (key.id === 'enter') {
			onSubmit?.(value);
		} else {
			take(editLine(line, key, maxLength));
		}
	});
	const onPaste = useEffectEvent((text: string) => {
		take(insertText(line, text, maxLength));
	});
	useEffect(
		() =>
			frontend?.focusField({
				key(key) {
					onKey(key);
				},
				paste(text) {
					onPaste(text);
				},
			}),
		[frontend],
	);

	return <T>{shownLine(line, {width})}</T>;
}
