import {z} from 'zod';
import {SvcError} from '../../core/errors.ts';

/** A parameter in a path or a query. */
export type Parameter<Value = unknown> = {
	/** Its name in the URL, if different from its key. */
	readonly name?: string;
	/** Description for the OpenAPI document. */
	readonly summary?: string;
	/** Schema for the OpenAPI document. */
	readonly schema: z.ZodType;
	/** Parses the values in the URL; `undefined` when the parameter is absent. @throws SvcError `bad_request` */
	readonly read: (texts: readonly string[]) => Value;
};

const text = z.string();

/** A positive whole number in the path; `what` names the thing in errors. */
export const numberOf = (what: string): Parameter<number> => ({
	schema: z.int().min(1),
	read([given = '']) {
		const id = Number(given);
		if (!Number.isSafeInteger(id) || id < 1) {
			throw new SvcError(
				'bad_request',
				`Cannot read the ${what} number "${given}": use a whole number`,
			);
		}

		return id;
	},
});

/** A text of the query. */
export const textParameter = (summary: string): Parameter<string | undefined> => ({
	summary,
	schema: text,
	read: ([given]) => given,
});

/** A text of the query that may be repeated. An unknown value matches nothing. */
export const repeatedParameter = <Text extends string = string>(
	name: string,
	summary: string,
	values?: readonly Text[],
): Parameter<readonly Text[] | undefined> => ({
	name,
	summary: `${summary}; may be repeated.`,
	schema: z.array(values ? z.enum(values) : text),
	read: given =>
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
		given.length > 0 ? (given as readonly Text[]) : undefined,
});

/** A whole number in the query; anything else counts as absent. */
export const integerParameter = (summary: string): Parameter<number | undefined> => ({
	summary,
	schema: z.int(),
	read([given]) {
		const value = Number(given ?? Number.NaN);
		return Number.isSafeInteger(value) ? value : undefined;
	},
});

/** The number of rows to list, 1 to `most`. */
export const limitParameter = (most = 1000): Parameter<number> => ({
	summary: `1 to ${most}; 100 when absent.`,
	schema: z.int().min(1).max(most).default(100),
	read([given = '100']) {
		const limit = Number(given);
		return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), most) : 100;
	},
});

/** One of `values`; `absent` when the parameter is missing. `listed` names the listed things in errors. */
export const choiceParameter = <const Text extends string, Absent extends Text | undefined>(
	summary: string,
	{
		listed,
		values,
		absent,
	}: {readonly listed: string; readonly values: readonly Text[]; readonly absent: Absent},
): Parameter<Text | Absent> => ({
	summary,
	schema: absent === undefined ? z.enum(values) : z.enum(values).default(absent),
	read([given]) {
		if (given === undefined) {
			return absent;
		}

		const value = values.find(one => one === given);
		if (value === undefined) {
			throw new SvcError(
				'bad_request',
				`Cannot list ${listed} that are "${given}": use ${values.map(one => `"${one}"`).join(' or ')}`,
			);
		}

		return value;
	},
});
