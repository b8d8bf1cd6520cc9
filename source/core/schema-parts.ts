import {z} from 'zod';
import {timeWithOffset} from './clock.ts';
import type {JsonValue} from './json.ts';

/** What it takes for a changed setting to count: nothing, a new connection of its tool server, or a restart of the gateway. */
export type Change = 'at-once' | 'reconnect' | 'restart';

/** Units in which amounts are written, in milliseconds: in the program, time is milliseconds. */
export const units = {seconds: 1000, days: 86_400_000} as const;

/** A value that nobody changes. */
export type Frozen<Value> =
	Value extends ReadonlyArray<infer Member>
		? readonly Member[]
		: Value extends object
			? Readonly<Value>
			: Value;

/** One setting whose values differ. */
export type Difference = {
	/** As in the file: `timeout`, `tools.include`. */
	readonly key: string;
	readonly change: Change;
	/** Whether it is another thing now: see `SettingNotes.identity`. */
	readonly isOther: boolean;
	/** The values as they would be written, `30 → 60`, or `changed` where they are secret or too long. */
	readonly text: string;
};

/** Compares two typed values of one mapping. */
export type DifferencesOf = (
	before: object | undefined,
	after: object | undefined,
	inherited?: Change,
) => readonly Difference[];

/** All that is to be said of one setting besides its schema. */
export type SettingNotes<Schema extends z.core.$ZodType = z.core.$ZodType> = {
	/** What the manual and the JSON Schema say, as Markdown. */
	readonly description: string;
	/** As written in the file; absent: none, or it depends on something else. */
	readonly default?: Frozen<NonNullable<z.output<Schema>>>;
	/** Name of the typed value; absent: the key in camel case, with a `unit` `timeoutMs` for `timeout_seconds` and `timeout`. */
	readonly as?: string;
	/** Unit of the amount that is written; the typed value is in milliseconds, at least 1. */
	readonly unit?: keyof typeof units;
	/** Makes the typed value; `undefined`: there is none. */
	readonly to?: (written: NonNullable<z.output<Schema>>) => unknown;
	/** Where the typed value stands when more than this setting decides over it, as paths (`tls.client.cert`), so that it is not filled in by itself. Empty: nowhere. */
	readonly at?: readonly string[];
	/** Absent: what the mapping around it says, else `at-once`. */
	readonly change?: Change;
	/** What stands there is never shown. */
	readonly secret?: true;
	/** A change is told of without the values. */
	readonly hidden?: true;
	/** With another value it is another thing: approvals for its tools do not hold any more. */
	readonly identity?: true;
	/** A text of several lines. */
	readonly lines?: true;
	/** People change it in the file alone: no form has a field for it. */
	readonly byHand?: true;
	/** The settings of the mapping that it is. */
	readonly inner?: {
		readonly fields?: Readonly<Record<string, {readonly notes: NotesOfAny}>>;
		readonly differences: DifferencesOf;
	};
};

/** The notes of any setting. */
export type NotesOfAny = Omit<SettingNotes, 'default' | 'to'> & {
	readonly default?: unknown;
	readonly to?: (written: never) => unknown;
	readonly required?: true;
};

/** All that is to be said of a setting besides its schema and its description. */
type MoreNotes<Schema extends z.core.$ZodType> = Omit<SettingNotes<Schema>, 'description'>;

/** A setting that may be left out; a key without a value (`prompt:`) is the same as none. */
export const setting = <Schema extends z.core.$ZodType, const Notes extends MoreNotes<Schema>>(
	schema: Schema,
	description: string,
	notes?: Notes,
) => noted(z.nullish(schema), described(description, notes));

/** A setting that is true or false; `standard`: its default. */
export const flag = <const Notes extends Omit<MoreNotes<z.ZodBoolean>, 'default'>>(
	standard: boolean,
	description: string,
	notes?: Notes,
) => noted(z.nullish(z.boolean()), {...described(description, notes), default: standard});

/** A setting that must be there. */
export const requiredSetting = <
	Schema extends z.ZodType,
	const Notes extends Omit<MoreNotes<Schema>, 'default'>,
>(
	schema: Schema,
	description: string,
	notes?: Notes,
) => noted(schema.clone(), {...described(description, notes), required: true as const});

/** A setting that is taken as it comes, because something other than its type decides what a wrong value means; `json` is what the JSON Schema says of it. */
export const looseSetting = <const Notes extends MoreNotes<z.ZodUnknown>>(
	json: Readonly<Record<string, unknown>>,
	description: string,
	notes?: Notes,
) => noted(z.unknown().optional(), described(description, notes), json);

const described = <Notes>(description: string, notes: Notes | undefined) =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without notes there is none to be had
	({...notes, description}) as Notes & Pick<SettingNotes, 'description'>;

/** The notes stay with `schema`, which nothing else uses, and what a JSON Schema can hold of them is in there, under `x-…` what is ours alone. */
function noted<Schema extends z.ZodType, Notes extends NotesOfAny>(
	schema: Schema,
	notes: Notes,
	json: Readonly<Record<string, unknown>> = {},
): Schema & {readonly notes: Notes} {
	const {description, default: value, inner, change, secret: isSecret, lines, byHand} = notes;
	const meta: Record<string, unknown> = Object.defineProperties(
		{},
		// A spread would ask its getters.
		Object.getOwnPropertyDescriptors(json),
	);
	Object.assign(
		meta,
		{description},
		value !== undefined && !inner && {'x-default': value},
		change && {'x-change': change},
		isSecret && {'x-secret': true},
		lines && {'x-lines': true},
		byHand && {'x-by-hand': true},
	);
	z.globalRegistry.add(schema, meta);
	return Object.assign(schema, {notes});
}

export const wholeNumber = (minimum: number, maximum: number) =>
	z.number().int().min(minimum).max(maximum);

/** Seconds as written, fractions allowed; more than 0. */
export const seconds = (maximum: number) => z.number().gt(0).max(maximum);

export const nonEmptyText = z.string().min(1);

export const nonEmptyTexts = z.array(nonEmptyText);

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
export const nonBlankText = checked(z.string(), value =>
	value.trim() === '' ? 'must not be empty' : undefined,
).meta({minLength: 1});

export const webAddress = checked(nonEmptyText, value =>
	/^https?:$/.test(URL.parse(value)?.protocol ?? '')
		? undefined
		: 'must be a URL that starts with http:// or https://',
);

/** Headers that belong to the connection, not to who asks. @see RFC 9110 §7.6.1 */
const ofConnection =
	/^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Name of a header that may be set. @see RFC 9110 §5.1 */
export const settableHeaderName = checked(z.string(), name => {
	if (ofConnection.test(name)) {
		return 'is set by the program itself';
	}

	return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)
		? undefined
		: "is not a header's name: 1 to 128 letters, digits and hyphens";
});

/** Why `value` cannot be sent as a header; `undefined`: it can. Never holds it. @see RFC 9110 §5.5 */
export const problemWithHeader = (value: string): string | undefined =>
	/^[\t\x20-\x7E\x80-\xFF]*$/.test(value)
		? undefined
		: 'has a character that no header can hold: a line break, another control, or one beyond Latin-1';

/** Value of a header. */
export const headerText = checked(z.union([z.string(), z.number(), z.boolean()]), written =>
	problemWithHeader(String(written)),
).transform(String);

/** A point in time that is the same on every machine. */
export const isoTime = checked(z.string(), value =>
	Number.isNaN(timeWithOffset(value))
		? 'must be a time with its offset, as 2026-12-24T18:00:00Z'
		: undefined,
).meta({format: 'date-time'});

/** A mapping with known keys allows no others; and zod itself would leave out the default of what it transforms. */
const finish: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = ({jsonSchema}) => {
	const {'x-as': as, ...own} = jsonSchema;
	if (as !== undefined) {
		for (const key of Object.keys(jsonSchema)) {
			Reflect.deleteProperty(jsonSchema, key);
		}

		Object.assign(jsonSchema, as, own);
	}

	if (jsonSchema.properties) {
		jsonSchema.additionalProperties ??= false;
	}

	const {'x-default': written, ...rest} = jsonSchema;
	if (written !== undefined) {
		Object.assign(jsonSchema, rest, {default: written});
		delete jsonSchema['x-default'];
	}
};

/** The JSON Schema (draft 2020-12) of what may be written. */
export const jsonSchemaOf = (schema: z.ZodType) =>
	// A value of any kind has no narrower schema.
	z.toJSONSchema(schema, {io: 'input', unrepresentable: 'any', override: finish});

/** What the JSON Schema says of a setting that is loose in the file and checked by `schema` later. Made when a JSON Schema is asked for: no start waits for it. */
export const looseJsonOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => ({
	get 'x-as'() {
		return {...jsonSchemaOf(schema), $schema: undefined};
	},
});
