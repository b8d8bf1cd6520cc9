import {isDeepStrictEqual} from 'node:util';
import {z} from 'zod';
import {
	setting,
	units,
	type Change,
	type Difference,
	type DifferencesOf,
	type Frozen,
	type NotesOfAny,
} from './schema-parts.ts';

/** Declarations of settings by their key in the file. */
export type Declarations = Readonly<Record<string, z.core.$ZodType & {readonly notes: NotesOfAny}>>;

/** The settings of one mapping, with everything derived from their declarations. */
export type Settings<Fields extends Declarations> = {
	readonly fields: Fields;
	/** Schema of the mapping as written in the file; unknown keys are dropped. */
	readonly schema: z.ZodObject<{-readonly [Key in keyof Fields]: Fields[Key]}>;
	/** Converts a checked mapping to its typed value: fills in defaults, renames keys, converts times to milliseconds. A key without a value is left out. */
	readonly read: (written: Written<Fields> | null | undefined) => ValueOf<Fields>;
	/** Lists the differences of two typed values, in the order of the declarations. `inherited`: the `change` of settings that declare none. */
	readonly differences: DifferencesOf;
};

/** The output of `schema`. */
export type Written<Fields extends Declarations> = {
	readonly [Key in keyof Fields]?: z.output<Fields[Key]> | null | undefined;
};

type Camel<Key> = Key extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<Camel<Tail>>}`
	: Key;

/** Name of the typed value; `never` for settings with `at`, which other code fills in. */
type NameOf<Key, Field> = Field extends {readonly notes: {readonly at: unknown}}
	? never
	: Field extends {readonly notes: {readonly as: infer As extends string}}
		? As
		: Field extends {readonly notes: {readonly unit: string}}
			? `${Camel<Stem<Key>> & string}Ms`
			: Camel<Key>;

type Stem<Key> = Key extends `${infer Head}_${keyof typeof units}` ? Head : Key;

type ValueIn<Field> = Field extends {
	readonly notes: {readonly to: (written: never) => infer Value};
}
	? Value
	: Field extends {readonly notes: {readonly unit: string}}
		? number
		: Frozen<NonNullable<z.output<Field>>>;

type IsSure<Field> = Field extends {
	readonly notes: {readonly default: unknown} | {readonly required: true};
}
	? undefined extends ValueIn<Field>
		? false
		: true
	: false;

type Simplify<Type> = {[Key in keyof Type]: Type[Key]};

/** The typed value of settings. */
export type ValueOf<Fields extends Declarations> = Simplify<
	{
		readonly [
			Key in keyof Fields as IsSure<Fields[Key]> extends true ? NameOf<Key, Fields[Key]> : never
		]: ValueIn<Fields[Key]>;
	} & {
		readonly [
			Key in keyof Fields as IsSure<Fields[Key]> extends true ? never : NameOf<Key, Fields[Key]>
		]?: Exclude<ValueIn<Fields[Key]>, undefined>;
	}
>;

/** Derives schema, reader and differences from the declarations. */
export function defineSettings<Fields extends Declarations>(fields: Fields): Settings<Fields> {
	const all = Object.entries(fields).map(([key, {notes}]) => ({
		key,
		notes,
		places: placesOf(key, notes),
		convert: converterOf(notes),
	}));
	return {
		fields,
		schema: z.object(fields),
		read(written) {
			const values = all.flatMap(({key, notes, places: [place], convert}) => {
				if (notes.at || place === undefined) {
					return [];
				}

				const given: unknown = written?.[key] ?? notes.default;
				const value = given === undefined ? undefined : convert(given);
				return value === undefined ? [] : [[place, value] as const];
			});
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type follows each declaration as the code above does
			return Object.fromEntries(values) as ValueOf<Fields>;
		},
		differences: (before, after, inherited = 'at-once') =>
			all.flatMap(({key, notes, places}) =>
				differencesOf(
					{key, notes, change: notes.change ?? inherited},
					places.map(place => memberAt(before, place)),
					places.map(place => memberAt(after, place)),
				),
			),
	};
}

/** A nested mapping of settings; when it is absent, its defaults apply. */
export const group = <Fields extends Declarations>(
	inner: Settings<Fields>,
	description: string,
	notes: {readonly change?: Change} = {},
) =>
	setting<z.ZodType<Written<Fields>>, GroupNotes<Fields>>(
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the output of its schema is the written value
		inner.schema as unknown as z.ZodType<Written<Fields>>,
		description,
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of its settings are optional
		{...notes, default: {} as Frozen<Written<Fields>>, inner, to: inner.read},
	);

type GroupNotes<Fields extends Declarations> = {
	readonly change?: Change;
	readonly default: Frozen<NonNullable<Written<Fields>>>;
	readonly inner: Settings<Fields>;
	readonly to: (written: Written<Fields>) => ValueOf<Fields>;
};

/** A section of the file; when it is absent, its defaults apply. */
export const section = <Fields extends Declarations>(
	settings: Settings<Fields>,
	description: string,
) =>
	settings.schema
		.nullish()
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own schema has checked it
		.transform(written => settings.read(written as Written<Fields> | null | undefined))
		.meta({description});

const camelCase = (key: string): string =>
	key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const placesOf = (key: string, {at, as, unit}: NotesOfAny): readonly string[] =>
	at ?? [
		as ?? (unit === undefined ? camelCase(key) : `${camelCase(key.replace(`_${unit}`, ''))}Ms`),
	];

const converterOf = ({to, unit}: NotesOfAny): ((written: unknown) => unknown) => {
	if (to) {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the setting has checked it
		return written => to(written as never);
	}

	// At least 1: timers count in milliseconds.
	return written =>
		unit !== undefined && typeof written === 'number'
			? Math.max(1, Math.round(written * units[unit]))
			: written;
};

const memberAt = (value: unknown, place: string): unknown =>
	place
		.split('.')
		.reduce<unknown>(
			(inner, key) => (isObject(inner) ? Reflect.get(inner, key) : undefined),
			value,
		);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function differencesOf(
	{
		key,
		notes: {inner, unit, hidden, secret, identity},
		change,
	}: {readonly key: string; readonly notes: NotesOfAny; readonly change: Change},
	before: readonly unknown[],
	after: readonly unknown[],
): readonly Difference[] {
	if (isDeepStrictEqual(before, after)) {
		return [];
	}

	const [old, now] = [before[0], after[0]];
	if (inner && isObject(old ?? now)) {
		const inside = inner.differences(asObject(old), asObject(now), change);
		if (old !== undefined && now !== undefined ? inside.length > 0 : isEmpty(old ?? now)) {
			return inside.map(difference => ({...difference, key: `${key}.${difference.key}`}));
		}
	}

	const show = (value: unknown): string =>
		typeof value === 'number' && unit !== undefined
			? `${value / units[unit]}`
			: `${typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : 'unset'}`;
	const isShown = !hidden && !secret && before.length === 1 && !isObject(old) && !isObject(now);
	return [
		{
			key,
			change,
			isOther: identity === true,
			text: isShown ? `${show(old)} → ${show(now)}` : 'changed',
		},
	];
}

const asObject = (value: unknown): object | undefined => (isObject(value) ? value : undefined);

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
