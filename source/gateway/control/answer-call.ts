import {SvcError} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {orElse} from '../../core/or-else.ts';
import {contract} from '../contract/contract.ts';
import type {Operation} from '../contract/operation.ts';
import {shapeProblem} from '../contract/shape-problem.ts';
import type {GatewayCommands} from '../port.ts';

/** The operation that a request names. */
export type AskedOperation = {
	readonly name: string;
	readonly operation: Operation;
	/** The `{name}` parts of the path in their order, decoded. */
	readonly parts: readonly string[];
};

/** A node of the tree of paths: the next segments (`{}` matches any), and the operation whose path ends here. */
type Branch = {
	readonly next: Map<string, Branch>;
	found?: Pick<AskedOperation, 'name' | 'operation'>;
};

/** The operations by method, then by the segments of their paths. */
const root: Branch = {next: new Map()};

for (const [name, operation] of Object.entries<Operation>(contract)) {
	let branch = root;
	for (const segment of [operation.method, ...operation.path.split('/')]) {
		const key = segment.startsWith('{') ? '{}' : segment;
		const next = branch.next.get(key) ?? {next: new Map()};
		branch.next.set(key, next);
		branch = next;
	}

	branch.found = {name, operation};
}

/** Finds the operation for a method and a path; `undefined` when there is none. */
export function findOperation(method: string, path: string): AskedOperation | undefined {
	let branch: Branch | undefined = root;
	const parts: string[] = [];
	for (const segment of [method, ...path.split('/')]) {
		const literal: Branch | undefined = branch.next.get(segment);
		if (!literal) {
			parts.push(decoded(segment));
		}

		branch = literal ?? branch.next.get('{}');
		if (!branch) {
			return undefined;
		}
	}

	return branch.found && {...branch.found, parts};
}

type CallInput = {
	readonly query: URLSearchParams;
	readonly body: JsonValue;
	/** Aborts when the client disconnects. */
	readonly hungUp?: AbortSignal;
};

/**
 * Runs the requested command. Resolves with its answer as a JSON-able value; `undefined` when the thing does not exist.
 *
 * @throws SvcError `bad_request`, and what the command rejects with
 */
export async function answerCall(
	commands: GatewayCommands,
	{name, operation, parts}: AskedOperation,
	{query, body, hungUp}: CallInput,
): Promise<unknown> {
	const {params = {}, result, encode} = operation;
	const args: unknown[] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part = ''], index) => {
		const text = parts[index] ?? '';
		return Object.hasOwn(params, part) ? params[part]?.read([text]) : text;
	});
	if (operation.body) {
		args.push(inputOf(operation.body, body ?? {}));
	} else if (operation.query) {
		args.push(filterOf(operation.query, query));
	}

	if (operation.heedsHangUp) {
		args.push(hungUp);
	}

	// The operation is the one of the command of that name, which takes what was just read.
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion
	const command = commands[name as keyof GatewayCommands] as (
		...args: readonly unknown[]
	) => Promise<never>;
	const value = await command(...args);
	if (!result) {
		return {done: true};
	}

	return value === undefined || !encode ? value : encode(value);
}

/** @throws SvcError `bad_request` */
function inputOf(schema: NonNullable<Operation['body']>, given: JsonValue): unknown {
	const parsed = schema.safeParse(given);
	if (!parsed.success) {
		throw new SvcError(
			'bad_request',
			`Cannot take the request body: ${shapeProblem(parsed.error, given)}`,
		);
	}

	return parsed.data;
}

/** @throws SvcError `bad_request` */
function filterOf(
	parameters: NonNullable<Operation['query']>,
	query: URLSearchParams,
): Readonly<Record<string, unknown>> {
	const filter: Record<string, unknown> = {};
	for (const [key, {name = key, read}] of Object.entries(parameters)) {
		const value = read(query.getAll(name));
		if (value !== undefined) {
			filter[key] = value;
		}
	}

	return filter;
}

/** A text that cannot be decoded is used unchanged; it names nothing that exists. */
const decoded = (text: string): string => orElse(() => decodeURIComponent(text), text);
