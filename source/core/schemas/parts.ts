import {z} from 'zod';
import type {JsonObject, JsonValue} from '../json.ts';

/**
 * The read-only type of the values that a schema of this folder accepts. The types of `core/` are derived with it, so that they import the schemas only as types: a process that does not
 * answer calls of the control API neither loads nor builds the schemas.
 */
export type Shape<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** `Value` with all its parts read-only. `JsonValue`, which is read-only and recursive, is left unchanged. */
export type Immutable<Value> = [JsonValue] extends [Value]
	? Value
	: [JsonObject, Value] extends [Value, JsonObject]
		? Value
		: ImmutableParts<Value>;

type ImmutableParts<Value> = Value extends Uint8Array
	? Value
	: Value extends object
		? {readonly [Key in keyof Value]: Immutable<Value[Key]>}
		: Value;

/** An object with these keys. Unknown keys are kept and ignored: a newer version of the program may have written them. */
export const facts = <Keys extends z.ZodRawShape>(
	keys: Keys,
): z.ZodObject<z.core.util.Writeable<Keys>> => z.looseObject(keys);

// Shared by many keys: building a schema costs as much as checking a thousand values.
export const text = z.string();
export const texts = z.array(text);
export const number = z.number();
/** An identifier or a count. */
export const integer = z.int().min(0);
export const yesOrNo = z.boolean();

export const maybeText = text.exactOptional();
export const maybeTexts = texts.exactOptional();
export const maybeNumber = number.exactOptional();
export const maybeInteger = integer.exactOptional();
export const maybe = yesOrNo.exactOptional();

/** Any JSON. Not checked: the input comes from a JSON parser. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
export const json = z.unknown() as unknown as z.ZodType<JsonValue>;

/** Any JSON object. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
export const jsonObject = z.record(text, z.unknown()) as unknown as z.ZodType<JsonObject>;
