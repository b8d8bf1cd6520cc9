import type {Safe} from '../../core/untrusted.ts';

/** `S` if it consists of literals only, `never` if any part is an arbitrary string. */
type Literal<S extends string> = Partial<Record<S, unknown>> extends Record<S, unknown> ? never : S;

/** svc's own words as `Safe`: `literal('Traffic')`. Accepts only literals (and unions of them); the compiler rejects a `string`, even within a template. */
export function literal<const S extends string>(text: Literal<S>): Safe {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a literal in the source is ours, and the type proves it is one
	return text as string as Safe;
}

/** Joins svc's own words and safe parts to a line: ``safe`${count} of ${total} ${route}` ``. Numbers are written as they are; nothing else is accepted. */
export function safe(words: TemplateStringsArray, ...parts: ReadonlyArray<Safe | number>): Safe {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- literals, numbers and safe parts stay safe when joined
	return String.raw({raw: words}, ...parts) as Safe;
}

export const empty: Safe = literal('');
