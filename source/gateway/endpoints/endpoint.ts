import type {z} from 'zod';
import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import type {GatewayPort} from '../port.ts';
import {shapeProblem} from '../shape-problem.ts';

export type ControlRequest = {
	/** Values of the `{name}` parts of the path, decoded. */
	readonly params: Readonly<Record<string, string>>;
	readonly query: URLSearchParams;
	/** The JSON body; `null` without one. */
	readonly body: JsonValue;
};

/** One operation of the control API. The server and the OpenAPI document are made from these; `control-calls.ts` is their client. */
export type ControlEndpoint = {
	readonly method: 'GET' | 'POST';
	/** With `{name}` parts. */
	readonly path: string;
	readonly summary: string;
	/** What each parameter of the query means, by its name; all of them may be left out. */
	readonly query?: Readonly<Record<string, string>>;
	/** What the body must be; there is none without. */
	readonly body?: z.ZodType;
	/** Largest body in bytes; 8 MiB when absent. */
	readonly maxBodyBytes?: number;
	/** The answer as a JSON-able value; `undefined` is 404. Rejects with `SvcError`. */
	handle(port: GatewayPort, request: ControlRequest): Promise<unknown>;
};

/** Largest body of operations that carry the body of an event: in base64 it is a third larger. */
export const eventBodyBytes = 32 * 1024 * 1024;

/** The `body` and the `handle` of an operation whose body has to match `schema`; without a body, `{}` is read. */
export const taking = <Schema extends z.ZodType>(
	schema: Schema,
	handle: (port: GatewayPort, body: z.output<Schema>, request: ControlRequest) => Promise<unknown>,
): Pick<ControlEndpoint, 'body' | 'handle'> => ({
	body: schema,
	async handle(port, request) {
		const given = request.body ?? {};
		const parsed = schema.safeParse(given);
		if (!parsed.success) {
			throw new SvcError(
				'bad_request',
				`Cannot take the request body: ${shapeProblem(parsed.error, given)}`,
			);
		}

		return handle(port, parsed.data, request);
	},
});

/** The value of a `{name}` part of the path. */
export const nameOf = ({params}: ControlRequest, part: string): string => params[part] ?? '';

/** The `{id}` of the path as a number. @throws SvcError `bad_request` */
export function numberOf({params}: ControlRequest, what: string): number {
	const id = Number(params['id']);
	if (!Number.isSafeInteger(id) || id < 1) {
		throw new SvcError(
			'bad_request',
			`Cannot read the ${what} number "${params['id']}": use a whole number`,
		);
	}

	return id;
}

/** The `limit` of the query, 1 to `most`; 100 when there is none. */
export function limitOf({query}: ControlRequest, most = 1000): number {
	const limit = Number(query.get('limit') ?? 100);
	return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), most) : 100;
}

/** The text under `key` of the query, as the one key of an object; an empty object when there is none. */
export function textOf<Key extends string>(
	{query}: ControlRequest,
	key: Key,
): Partial<Record<Key, string>> {
	const value = query.get(key);
	// The object has exactly the one key or none.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	return (value === null ? {} : {[key]: value}) as Partial<Record<Key, string>>;
}

/** The whole number under `key` of the query, like {@link textOf}; what is no number counts as absent. */
export function integerOf<Key extends string>(
	{query}: ControlRequest,
	key: Key,
): Partial<Record<Key, number>> {
	const value = Number(query.get(key) ?? Number.NaN);
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
	return (Number.isSafeInteger(value) ? {[key]: value} : {}) as Partial<Record<Key, number>>;
}

/** For operations that answer nothing else. */
export async function answered(done: Promise<void>): Promise<{readonly done: true}> {
	await done;
	return {done: true};
}
