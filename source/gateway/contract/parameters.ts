import {z} from 'zod';
import {SvcError} from '../../core/errors.ts';

/** One value of a path or a query. */
export type Parameter<Value = unknown> = {
	/** Its name in the URL, where that is not its key. */
	readonly name?: string;
	/** What it means; for the document. */
	readonly summary?: string;
	/** What it should be; for the document. */
	readonly schema: z.ZodType;
	/** The value of what the URL has, `undefined` when nothing is meant. @throws SvcError `bad_request` */
	readonly read: (texts: readonly string[]) => Value;
};

const text = z.string();

/** A number in the path, of `what`. */
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

/** A text of the query that may be repeated. What does not exist matches nothing. */
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

/** A whole number of the query; what is none counts as absent. */
export const integerParameter = (summary: string): Parameter<number | undefined> => ({
	summary,
	schema: z.int(),
	read([given]) {
		const value = Number(given ?? Number.NaN);
		return Number.isSafeInteger(value) ? value : undefined;
	},
});

/** How many are listed: 1 to `most`. */
export const limitParameter = (most = 1000): Parameter<number> => ({
	summary: `1 to ${most}; 100 when absent.`,
	schema: z.int().min(1).max(most).default(100),
	read([given = '100']) {
		const limit = Number(given);
		return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), most) : 100;
	},
});

/** One of `values`; `absent` stands for none. `listed`: what is listed by it. */
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
