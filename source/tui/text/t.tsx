import {Text, type TextProps} from 'ink';
import type {ReactElement} from 'react';
import type {Safe} from '../../core/untrusted.ts';

/** Allowed children of `<T>`: safe text, numbers, other `<T>`, nothing. */
type SafeNode = Safe | number | ReactElement | null | undefined | false | readonly SafeNode[];

type TProps = Omit<TextProps, 'children'> & {readonly children?: SafeNode};

/**
 * The only way to put text on the screen, and the only file that imports Ink's `Text` (`<FieldRow>` passes safe text to `ink-text-input`, which imports it too).
 * Strangers' text must come through `escapeLine` or `escapeBlock` of core/untrusted, svc's own through `literal()` or `safe` of `safe.ts`. Truncates by default,
 * so that a row never wraps; pass text already cut by `fit()`, because Ink caches every text it measures.
 */
export function T({wrap = 'truncate', children, ...rest}: TProps) {
	return (
		<Text wrap={wrap} {...rest}>
			{children}
		</Text>
	);
}
