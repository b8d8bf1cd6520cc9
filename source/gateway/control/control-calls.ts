import {z} from 'zod';
import type {StoredDelivery} from '../../core/delivery.ts';
import {codeOf, errorWithCode, messageOf, SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {contract} from '../contract/contract.ts';
import type {Operation} from '../contract/operation.ts';
import {shapeProblem} from '../contract/shape-problem.ts';
import type {GatewayCommands} from '../port.ts';
import {callControl} from './control-client.ts';

/** Deliveries of one import that travel together; each may hold a body. */
const importedAtOnce = 50;

/** Bytes of bodies that travel together; one that is larger goes alone. */
const importedBytesAtOnce = 8 * 1024 * 1024;

/**
 * The commands of the gateway that listens on `socket`; each is one call. Reject with `gateway_not_running` when none does, and with `gateway_differs` when the answer is not
 * what this version of the program can read.
 */
export function createControlCalls(socket: string): GatewayCommands {
	// Each takes and answers what its operation says.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	const calls = Object.fromEntries(
		Object.entries(contract).map(([name, operation]) => [
			name,
			async (...args: readonly unknown[]) => call(socket, {name, operation, args}),
		]),
	) as unknown as GatewayCommands;
	return {
		...calls,
		async importDeliveries({deliveries}) {
			let count = 0;
			for (const batch of batchesOf(deliveries)) {
				try {
					// oxlint-disable-next-line no-await-in-loop -- one batch after the other keeps their order
					count += await calls.importDeliveries({deliveries: batch});
				} catch (error) {
					throw count === 0
						? error
						: errorWithCode(
								codeOf(error),
								`${messageOf(error)}; ${count} before those were taken in`,
								{cause: error},
							);
				}
			}

			return count;
		},
	};
}

async function call(
	socket: string,
	options: {
		readonly name: string;
		readonly operation: Operation;
		readonly args: readonly unknown[];
	},
): Promise<unknown> {
	const {name, operation, args} = options;
	const {method, result, silenceMs} = operation;
	const rest = [...args];
	const path = operation.path.replaceAll(/\{\w+\}/g, () =>
		encodeURIComponent(String(rest.shift())),
	);
	const [input = {}, hungUp] = rest;
	const body = operation.body && bodyOf(operation.body, {name, input});
	const answer = await callControl(socket, `${path}${queryOf(operation, input)}`, {
		method,
		...(body !== undefined && {body}),
		...(silenceMs !== undefined && {silenceMs}),
		...(operation.heedsHangUp && hungUp instanceof AbortSignal && {signal: hungUp}),
	}).catch((error: unknown) => {
		throw codeOf(error) === 'unknown_url' ? doesNotKnow(name, error) : error;
	});
	return result && answerOf(result, {name, answer});
}

/** Every operation of ours is one of a gateway of our version. */
const doesNotKnow = (name: string, cause: unknown): SvcError =>
	new SvcError(
		'gateway_differs',
		`Cannot call "${name}" of the gateway: it runs another version of svc, which does not know this; end it with "svc gateway stop" and start it again`,
		{cause},
	);

/** @throws SvcError `bad_request` */
function bodyOf(
	schema: z.ZodType,
	{name, input}: {readonly name: string; readonly input: unknown},
): JsonValue {
	const encoded = z.safeEncode(schema, input);
	if (!encoded.success) {
		throw new SvcError(
			'bad_request',
			`Cannot call "${name}" of the gateway: ${shapeProblem(encoded.error, input)}`,
		);
	}

	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bodies are JSON
	return encoded.data as JsonValue;
}

/** @throws SvcError `gateway_differs` */
function answerOf(
	schema: z.ZodType,
	{name, answer}: {readonly name: string; readonly answer: unknown},
): unknown {
	const read = schema.safeParse(answer);
	if (!read.success) {
		throw new SvcError(
			'gateway_differs',
			`Cannot read what the gateway answers to "${name}": ${shapeProblem(read.error, answer)}; it may run another version of svc`,
		);
	}

	return read.data;
}

/** The query of a URL with its question mark; empty without one. What `input` does not have is left out. */
function queryOf({query = {}}: Operation, input: unknown): string {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as parameters of operations are
	const values = input as Readonly<Record<string, string | number | readonly string[] | undefined>>;
	const pairs = Object.entries(query).flatMap(([key, {name = key}]) =>
		[values[key] ?? []].flat().map((value): [string, string] => [name, String(value)]),
	);
	return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function* batchesOf(deliveries: readonly StoredDelivery[]): Generator<readonly StoredDelivery[]> {
	let batch: StoredDelivery[] = [];
	let bytes = 0;
	for (const delivery of deliveries) {
		const size = delivery.body?.length ?? 0;
		if (
			batch.length === importedAtOnce ||
			(batch.length > 0 && bytes + size > importedBytesAtOnce)
		) {
			yield batch;
			batch = [];
			bytes = 0;
		}

		batch.push(delivery);
		bytes += size;
	}

	if (batch.length > 0) {
		yield batch;
	}
}
