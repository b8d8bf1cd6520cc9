import {z} from 'zod';
import {timeWithOffset} from './clock.ts';
import type {JsonValue} from './json.ts';

/** When a changed setting takes effect: at once, after its tool server reconnects, or after a restart of the gateway. */
export type Change = 'at-once' | 'reconnect' | 'restart';

/** Units of written amounts, in milliseconds. */
export const units = {seconds: 1000, days: 86_400_000} as const;

/** A read-only value. */
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
	/** Whether the change makes its mapping another server: see `SettingNotes.identity`. */
	readonly isOther: boolean;
	/** The values as written in the file, `30 → 60`, or `changed` if they are secret or too long. */
	readonly text: string;
};

/** Compares two typed values of one mapping. */
export type DifferencesOf = (
	before: object | undefined,
	after: object | undefined,
	inherited?: Change,
) => readonly Difference[];

/** The facts about one setting besides its schema. */
export type SettingNotes<Schema extends z.core.$ZodType = z.core.$ZodType> = {
	/** Text for the manual and the JSON Schema, as Markdown. */
	readonly description: string;
	/** The default as written in the file; absent: none, or it depends on other settings. */
	readonly default?: Frozen<NonNullable<z.output<Schema>>>;
	/** Name of the typed value; absent: the key in camel case. With a `unit` both `timeout_seconds` and `timeout` become `timeoutMs`. */
	readonly as?: string;
	/** Unit of the written amount; the typed value is in milliseconds, at least 1. */
	readonly unit?: keyof typeof units;
	/** Converts the written to the typed value; returns `undefined` for no value. */
	readonly to?: (written: NonNullable<z.output<Schema>>) => unknown;
	/** Set if the typed value depends on other settings, too, and is filled in by other code: its paths there, `tls.client.cert`; empty: it has none. */
	readonly at?: readonly string[];
	/** When a change takes effect; absent: as for its mapping, else `at-once`. */
	readonly change?: Change;
	/** The value is never shown. */
	readonly secret?: true;
	/** Changes are reported without the values. */
	readonly hidden?: true;
	/** A change makes the tool server another one: approvals for its tools end. */
	readonly identity?: true;
	/** The value is a text of several lines. */
	readonly lines?: true;
	/** Forms have no field for the setting: people change it only in the file. */
	readonly byHand?: true;
	/** For a setting that is a mapping: the settings in it. */
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

/** The facts about a setting besides its schema and its description. */
type MoreNotes<Schema extends z.core.$ZodType> = Omit<SettingNotes<Schema>, 'description'>;

/** An optional setting; a key without a value (`prompt:`) counts as absent. */
export const setting = <Schema extends z.core.$ZodType, const Notes extends MoreNotes<Schema>>(
	schema: Schema,
	description: string,
	notes?: Notes,
) => noted(z.nullish(schema), described(description, notes));

/** A boolean setting; `standard`: its default. */
export const flag = <const Notes extends Omit<MoreNotes<z.ZodBoolean>, 'default'>>(
	standard: boolean,
	description: string,
	notes?: Notes,
) => noted(z.nullish(z.boolean()), {...described(description, notes), default: standard});

/** A required setting. */
export const requiredSetting = <
	Schema extends z.ZodType,
	const Notes extends Omit<MoreNotes<Schema>, 'default'>,
>(
	schema: Schema,
	description: string,
	notes?: Notes,
) => noted(schema.clone(), {...described(description, notes), required: true as const});

/** A setting whose type is not checked here, because other code handles invalid values; `json`: its JSON Schema. */
export const looseSetting = <const Notes extends MoreNotes<z.ZodUnknown>>(
	json: Readonly<Record<string, unknown>>,
	description: string,
	notes?: Notes,
) => noted(z.unknown().optional(), described(description, notes), json);

const described = <Notes>(description: string, notes: Notes | undefined) =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without notes the type promises none
	({...notes, description}) as Notes & Pick<SettingNotes, 'description'>;

/** Attaches the notes to `schema`, which must not be used elsewhere, and registers them for the JSON Schema, in which our own keywords begin with `x-`. */
function noted<Schema extends z.ZodType, Notes extends NotesOfAny>(
	schema: Schema,
	notes: Notes,
	json: Readonly<Record<string, unknown>> = {},
): Schema & {readonly notes: Notes} {
	const {description, default: value, inner, change, secret: isSecret, lines, byHand} = notes;
	const meta: Record<string, unknown> = Object.defineProperties(
		{},
		// A spread would call the getters of `json`, which are lazy.
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

/** One secret, or a list of secrets, any of which is accepted. An empty value is allowed; it prevents inheriting another secret. */
export const secret = z.union([z.string(), z.array(z.string())]);

/** Any JSON value. Not checked: the parsers of this program return no other values (see `plain-data.ts`). */
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

/** Text with more than white space. */
export const nonBlankText = checked(z.string(), value =>
	value.trim() === '' ? 'must not be empty' : undefined,
).meta({minLength: 1});

export const webAddress = checked(nonEmptyText, value =>
	/^https?:$/.test(URL.parse(value)?.protocol ?? '')
		? undefined
		: 'must be a URL that starts with http:// or https://',
);

/** Connection headers, which only the program itself may set. @see RFC 9110 §7.6.1 */
const ofConnection =
	/^(?:connection|content-length|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Name of a header that users may set. @see RFC 9110 §5.1 */
export const settableHeaderName = checked(z.string(), name => {
	if (ofConnection.test(name)) {
		return 'is set by the program itself';
	}

	return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)
		? undefined
		: "is not a header's name: 1 to 128 letters, digits and hyphens";
});

/** The problem with `value` as the value of a header; `undefined`: none. Does not repeat the value. @see RFC 9110 §5.5 */
export const problemWithHeader = (value: string): string | undefined =>
	/^[\t\x20-\x7E\x80-\xFF]*$/.test(value)
		? undefined
		: 'has a character that no header can hold: a line break, another control, or one beyond Latin-1';

/** Value of a header. */
export const headerText = checked(z.union([z.string(), z.number(), z.boolean()]), written =>
	problemWithHeader(String(written)),
).transform(String);

/** A time with a UTC offset. */
export const isoTime = checked(z.string(), value =>
	Number.isNaN(timeWithOffset(value))
		? 'must be a time with its offset, as 2026-12-24T18:00:00Z'
		: undefined,
).meta({format: 'date-time'});

/** Forbids unknown keys, and restores the defaults that zod leaves out for transformed values. */
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

/** The JSON Schema (draft 2020-12) of the written value. */
export const jsonSchemaOf = (schema: z.ZodType) =>
	// `anyJson` has no narrower schema.
	z.toJSONSchema(schema, {io: 'input', unrepresentable: 'any', override: finish});

/** The JSON Schema for a loose setting that `schema` checks later. Computed on first use, so that it does not slow the start. */
export const looseJsonOf = (schema: z.ZodType): Readonly<Record<string, unknown>> => ({
	get 'x-as'() {
		return {...jsonSchemaOf(schema), $schema: undefined};
	},
});
