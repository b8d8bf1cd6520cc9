import {Text, type TextProps} from 'ink';
import type {ReactElement} from 'react';
import type {Safe} from '../../core/untrusted.ts';

/** What may stand inside `<T>`: safe text, numbers, other `<T>`, nothing. */
type SafeNode = Safe | number | ReactElement | null | undefined | false | readonly SafeNode[];

type TProps = Omit<TextProps, 'children'> & {readonly children?: SafeNode};

/**
 * The only way to put text on the screen, and the only file that imports Ink's `Text`; `<FieldRow>` alone also draws with `ink-text-input`, which imports it too, and gives it safe text. A stranger's text comes in through
 * `escapeLine` or `escapeBlock` of core/untrusted, our own words through `literal()` or `safe` of `safe.ts`. Truncates by default, so that
 * a row never becomes two; give it text that `fit()` has cut already, for Ink keeps every text it measured.
 */
export function T({wrap = 'truncate', children, ...rest}: TProps) {
	return (
		<Text wrap={wrap} {...rest}>
			{children}
		</Text>
	);
}
