import TextInput from 'ink-text-input';
import {useContext, useEffect} from 'react';
import {singleLine} from '../../terminal/text/single-line.ts';
import {InputContext} from '../input/use-keys.ts';

export type FieldProps = {
	readonly value: string;
	/** Gets every new value, cleaned and cut. */
	readonly onChange: (value: string) => void;
	/** Enter, unless the root handler takes it. */
	readonly onSubmit?: (value: string) => void;
	/** Whether it gets keys; `true` by default. At most one field at a time. */
	readonly focus?: boolean;
	/** Characters (UTF-16 units); 500 by default. */
	readonly maxLength?: number;
	readonly placeholder?: string;
	/** Shown instead of each character. */
	readonly mask?: string;
};

/**
 * A one-line text field for filters and searches: the only place of ink-text-input. Whatever is typed or pasted passes
 * `singleLine()`, so a value never holds a line break, a control character or half a character. While it has the focus,
 * the front-end hands it the keys that the root handler did not take.
 */
export function Field(props: FieldProps) {
	const {value, onChange, onSubmit, focus = true, maxLength = 500, placeholder, mask} = props;
	const frontend = useContext(InputContext);
	useEffect(() => (focus ? frontend?.focusField() : undefined), [focus, frontend]);

	return (
		<TextInput
			value={value}
			focus={focus}
			onChange={next => {
				const cleaned = singleLine(next, maxLength);
				if (cleaned !== value) {
					onChange(cleaned);
				}
			}}
			{...(onSubmit && {onSubmit})}
			{...(placeholder !== undefined && {placeholder})}
			{...(mask !== undefined && {mask})}
		/>
	);
}
