import type {JsonValue} from '../core/json.ts';

/** The content of a field so far; an empty text or list is no value. Typed text that is no value of the kind is kept as typed. */
export type FieldValue = JsonValue | undefined;

/** Every way in which a field is filled in; `field-kinds` says what each means. */
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

/** What was typed into a field, as a value; `undefined`: none. */
export type TypedValue =
	| {readonly ok: true; readonly value: FieldValue}
	| {readonly ok: false; readonly problem: string};

/** How values are typed. */
export type FieldReading = {
	/** A value as it is typed. */
	readonly typed: (value: JsonValue) => string;
	/** What was typed, as a value. */
	readonly taken: (text: string) => TypedValue;
	/** Converts a value that is kept as typed before it is sent; absent: sent as it is. */
	readonly sent?: (text: string) => JsonValue;
};

/** One field of any form: what a tool server asks, an argument of a tool, a setting of a route. */
export type FieldRecord = {
	readonly key: string;
	/** What it is called; the key where it is empty. */
	readonly title: string;
	readonly description: string;
	readonly kind: FieldKind;
	readonly required: boolean;
	/** A secret: typing is hidden, and starts empty each time. */
	readonly masked: boolean;
	/** What it begins with. */
	readonly initial?: JsonValue;
	/** For `choice` and `choices`: values with what a person reads. */
	readonly options?: ReadonlyArray<{readonly value: string; readonly title: string}>;
	/** `email`, `uri`, `date` or `date-time`. */
	readonly format?: string;
	/** Bounds of the number, of the length of the text, or of how many are chosen. */
	readonly least?: number;
	readonly most?: number;
	/** Turning it goes through none, too; what counts then, where that is known. */
	readonly none?: {readonly default?: JsonValue};
	/** How it is typed, where that is not the way of its kind. */
	readonly own?: FieldReading;
	/** The option of the command line: `--rpm <n>`; a flag without a value stands for `value`. `isNeeded`: the command does nothing without it. */
	readonly option?: {
		readonly flags: string;
		readonly value?: JsonValue;
		readonly isNeeded?: boolean;
	};
	/** Longest line that is typed, in UTF-16 units; absent: that of any line. */
	readonly maxLine?: number;
};

/** A field that may be left empty and is seen, and is called by its key, but for what `more` says. */
export const field = (
	key: string,
	kind: FieldKind,
	more: Partial<FieldRecord> & Pick<FieldRecord, 'description'>,
): FieldRecord => ({key, kind, title: key, required: false, masked: false, ...more});

/** A text without the blanks around it. */
export const trimmed: FieldReading = {
	typed: String,
	taken: text => ({ok: true, value: text.trim() === '' ? undefined : text.trim()}),
};
