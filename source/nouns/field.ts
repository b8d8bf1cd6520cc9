import type {JsonValue} from '../core/json.ts';

/** A field's current value; an empty text or list counts as none. Typed text that is invalid for the kind is kept as typed. */
export type FieldValue = JsonValue | undefined;

/** The kinds of fields; `field-kinds` defines them. */
export type FieldKind =
	| 'text'
	| 'lines'
	| 'number'
	| 'integer'
	| 'boolean'
	| 'choice'
	| 'choices'
	| 'texts'
	| 'mapping'
	| 'json';

/** The result of parsing typed text; a `value` of `undefined` means none. */
export type TypedValue =
	| {readonly ok: true; readonly value: FieldValue}
	| {readonly ok: false; readonly problem: string};

/** Converts values from and to typed text. */
export type FieldReading = {
	/** A value as text. */
	readonly typed: (value: JsonValue) => string;
	/** Parses typed text. */
	readonly taken: (text: string) => TypedValue;
	/** Converts a value stored as typed before it is sent; absent: sent unchanged. */
	readonly sent?: (text: string) => JsonValue;
};

/** A field of any form: of a tool server's request, of a tool's arguments, of a route's settings. */
export type FieldRecord = {
	readonly key: string;
	/** Its label; the key if empty. */
	readonly title: string;
	readonly description: string;
	readonly kind: FieldKind;
	readonly required: boolean;
	/** A secret: typing is hidden, and starts empty each time. */
	readonly masked: boolean;
	/** The initial value. */
	readonly initial?: JsonValue;
	/** For `choice` and `choices`: values with their labels. */
	readonly options?: ReadonlyArray<{readonly value: string; readonly title: string}>;
	/** `email`, `uri`, `date` or `date-time`. */
	readonly format?: string;
	/** Bounds of the number, of the text's length, or of the number of chosen options. */
	readonly least?: number;
	readonly most?: number;
	/** Cycling also passes through no value; `default`: what then applies, if known. */
	readonly none?: {readonly default?: JsonValue};
	/** How the field is typed, if it differs from its kind. */
	readonly own?: FieldReading;
	/** The option of the command line, `--rpm <n>`; a flag without an argument stands for `value`. `isNeeded`: the command does nothing without it. */
	readonly option?: {
		readonly flags: string;
		readonly value?: JsonValue;
		readonly isNeeded?: boolean;
	};
	/** The longest line in UTF-16 units; absent: the general limit. */
	readonly maxLine?: number;
};

/** A field with defaults: optional, visible, labelled by its key; `more` overrides them. */
export const field = (
	key: string,
	kind: FieldKind,
	more: Partial<FieldRecord> & Pick<FieldRecord, 'description'>,
): FieldRecord => ({key, kind, title: key, required: false, masked: false, ...more});

/** Text without surrounding blanks. */
export const trimmed: FieldReading = {
	typed: String,
	taken: text => ({ok: true, value: text.trim() === '' ? undefined : text.trim()}),
};
