import {z} from 'zod';
import {codeOf, SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {contract} from '../contract/contract.ts';
import type {Operation} from '../contract/operation.ts';
import {shapeProblem} from '../contract/shape-problem.ts';
import type {GatewayCommands} from '../port.ts';
import {callControl} from './control-client.ts';

/**
 * The commands of the gateway that listens on `socket`, each as one call. They reject with `gateway_not_running` when none listens, and with `gateway_differs` when this
 * version of the program cannot read the answer.
 */
export function createControlCalls(socket: string): GatewayCommands {
	// Each takes and answers what its operation says.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	return Object.fromEntries(
		Object.entries(contract).map(([name, operation]) => [
			name,
			async (...args: readonly unknown[]) => call(socket, {name, operation, args}),
		]),
	) as unknown as GatewayCommands;
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

/** The gateway is another version: one of this version knows every operation. */
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

/** The query of a URL with its question mark; empty without one. Values that `input` lacks are left out. */
function queryOf({query = {}}: Operation, input: unknown): string {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as parameters of operations are
	const values = input as Readonly<Record<string, string | number | readonly string[] | undefined>>;
	const pairs = Object.entries(query).flatMap(([key, {name = key}]) =>
		[values[key] ?? []].flat().map((value): [string, string] => [name, String(value)]),
	);
	return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
