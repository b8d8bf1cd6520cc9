import {z} from 'zod';
import type {JsonObject, JsonValue} from '../json.ts';

/**
 * What a schema of this folder describes, as a value that nobody changes: types of `core/` are made with it. They import the schemas as types only, so that
 * a start which answers no call of the control API neither loads nor builds them.
 */
export type Shape<Schema extends z.ZodType> = Immutable<z.output<Schema>>;

/** `Value` and everything in it, read-only. Any JSON is so already, and has no end. */
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

/** An object with these keys. Others are kept, and nobody reads them: a newer version of the program may have written it. */
export const facts = <Keys extends z.ZodRawShape>(
	keys: Keys,
): z.ZodObject<z.core.util.Writeable<Keys>> => z.looseObject(keys);

// One instance for many keys: making one costs as much as checking a thousand values.
export const text = z.string();
export const texts = z.array(text);
export const number = z.number();
/** A number or a count of things. */
export const integer = z.int().min(0);
export const yesOrNo = z.boolean();

export const maybeText = text.exactOptional();
export const maybeTexts = texts.exactOptional();
export const maybeNumber = number.exactOptional();
export const maybeInteger = integer.exactOptional();
export const maybe = yesOrNo.exactOptional();

/** Any JSON; what is checked here was parsed, so that there is nothing to find. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
export const json = z.unknown() as unknown as z.ZodType<JsonValue>;

/** Any JSON object. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
export const jsonObject = z.record(text, z.unknown()) as unknown as z.ZodType<JsonObject>;
