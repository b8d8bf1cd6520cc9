import * as fc from 'fast-check';
import type {FilterSpec} from '../../source/config/route.ts';
import type {JsonValue} from '../../source/core/json.ts';

const hostileKey = fc.oneof(
	fc.constantFrom('__proto__', 'constructor', 'toString', 'payload', 'a', 'b', '', 'length', '0'),
	fc.string({maxLength: 8}),
);

/** JSON of any shape, with the names that objects inherit among its keys. */
export const {payload: anyPayload} = fc.letrec<{payload: JsonValue}>(tie => ({
	payload: fc.oneof(
		{depthSize: 'medium', withCrossShrink: true},
		fc.constantFrom(null, true, false, 0, -0, 1.5, 1e300),
		fc.string({unit: 'binary', maxLength: 30}),
		fc.array(tie('payload'), {maxLength: 5}),
		fc
			.array(fc.tuple(hostileKey, tie('payload')), {maxLength: 5})
			// Own members, also one that is called __proto__.
			.map(members => Object.fromEntries(members)),
	),
}));

/** Dotted paths, a few of which exist. */
export const anyPath = fc
	.array(hostileKey, {minLength: 1, maxLength: 6})
	.map(names => names.join('.'));

/** Templates, whole and broken. */
export const anyTemplate = fc
	.array(
		fc.oneof(
			anyPath.map(path => `{${path}}`),
			fc.constantFrom('{__raw__}', '{event_type}', '{', '}', '{{', '{}', '\n', '{a\n}'),
			fc.string({unit: 'binary', maxLength: 10}),
		),
		{maxLength: 12},
	)
	.map(parts => parts.join(''));

/** Filters of every operator, nested a few levels. */
export const {filter: anyFilter} = fc.letrec<{filter: FilterSpec}>(tie => {
	const nested = fc.array(tie('filter'), {minLength: 1, maxLength: 3});
	return {
		filter: fc.oneof(
			{depthSize: 'small', withCrossShrink: true},
			fc.record({
				field: fc.oneof(anyPath, fc.constantFrom('headers.x-a', 'headers.cookie', 'event')),
				exists: fc.boolean(),
			}),
			fc.record({field: anyPath, equals: anyPayload}),
			fc.record({field: anyPath, not_equals: anyPayload}),
			fc.record({field: anyPath, contains: anyPayload}),
			fc.record({field: anyPath, in: fc.array(anyPayload, {maxLength: 3})}),
			fc.record({
				field: anyPath,
				regex: fc.constantFrom('^(a+)+$', '.*', '(?i)x|y', String.raw`\p{L}+`),
			}),
			nested.map(all => ({all})),
			nested.map(any => ({any})),
			nested.map(not => ({not})),
			fc.constant({}),
		),
	};
});
