import type {Safe} from '../../core/untrusted.ts';

/** `S` when it is made of literals alone, `never` when any part of it is an arbitrary string. */
type Literal<S extends string> = Partial<Record<S, unknown>> extends Record<S, unknown> ? never : S;

/**
 * Our own words as `Safe`: `literal('Traffic')`. Takes literals (and unions of literals) only; the compiler refuses a
 * `string`, also one hidden in a template.
 */
export function literal<const S extends string>(text: Literal<S>): Safe {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal in the source is ours, and the type proves it is one
	return text as string as Safe;
}

/**
 * A line put together from our own words and parts that are safe already: ``safe`${count} of ${total} ${route}` ``.
 * Numbers are written as they are. Nothing else can be put in.
 */
export function safe(words: TemplateStringsArray, ...parts: ReadonlyArray<Safe | number>): Safe {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- literals, numbers and safe parts stay safe when joined
	return String.raw({raw: words}, ...parts) as Safe;
}

export const empty: Safe = literal('');
