import {z} from 'zod';
import type {JsonValue} from './json.ts';

/** What the JSON Schema says of a setting besides its type. */
export type SettingNotes = {
	readonly description: string;
	/** As written in the file. */
	readonly default?: JsonValue;
};

/** A setting that may be left out; a key without a value (`prompt:`) is the same as none. */
export const setting = <Schema extends z.ZodType>(schema: Schema, notes: SettingNotes) =>
	schema.nullish().meta(notes);

/** A setting that is taken as it comes, because something other than its type decides what a wrong value means. */
export const looseSetting = (notes: Readonly<Record<string, unknown>>) =>
	z.unknown().optional().meta(notes);

/** A section whose content this version does not look into. */
export const looseSection = (description: string) =>
	setting(z.record(z.string(), z.unknown()), {description});

export const wholeNumber = (minimum: number, maximum: number) =>
	z.number().int().min(minimum).max(maximum);

/** Seconds as written, fractions allowed; more than 0. */
export const seconds = (maximum: number) => z.number().gt(0).max(maximum);

export const text = z.string().min(1);

export const texts = z.array(text);

/** One secret, or several of which any passes. May be empty: that inherits nothing. */
export const secret = z.union([z.string(), z.array(z.string())]);

/** Any JSON value; the parsers of this program make no other (see `plain-data.ts`). */
export const anyJson = z.custom<JsonValue>(value => value !== undefined);

/** Adds `problem(value)` as an issue when it is not `undefined`. */
export const checked = <Schema extends z.ZodType>(
	schema: Schema,
	problem: (value: z.output<Schema>) => string | undefined,
) =>
	schema.superRefine((value, context) => {
		const message = problem(value);
		if (message !== undefined) {
			context.addIssue({code: 'custom', message});
		}
	});

/** Text with something to see in it. */
export const visibleText = checked(z.string(), value =>
	value.trim() === '' ? 'must not be empty' : undefined,
).meta({minLength: 1});

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A point in time that is the same on every machine. */
export const isoTime = checked(z.string(), value =>
	moment.test(value) && !Number.isNaN(Date.parse(value))
		? undefined
		: 'must be a time with its offset, as 2026-12-24T18:00:00Z',
).meta({format: 'date-time'});

/** A mapping with known keys allows no others. */
const closed: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = ({jsonSchema}) => {
	if (jsonSchema.properties) {
		jsonSchema.additionalProperties ??= false;
	}
};

/** The JSON Schema (draft 2020-12) of what may be written. */
export const jsonSchemaOf = (schema: z.ZodType) =>
	// A value of any kind has no narrower schema.
	z.toJSONSchema(schema, {io: 'input', unrepresentable: 'any', override: closed});

/** What the JSON Schema says of a setting that is loose in the file and checked by `schema` later. */
export const notesOf = (
	schema: z.ZodType,
	description: string,
): Readonly<Record<string, unknown>> => ({
	...jsonSchemaOf(schema),
	$schema: undefined,
	description,
});
