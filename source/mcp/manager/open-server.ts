import {mkdirSync} from 'node:fs';
import type {
	DiscoverResult,
	jsonSchemaValidator,
	JsonSchemaValidator,
} from '@modelcontextprotocol/client';
import {AjvJsonSchemaValidator} from '@modelcontextprotocol/client/validators/ajv';
import {expandServer} from '../../config/expand-server.ts';
import {contextVariables} from '../../config/server-references.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {createCallsUnderWay} from '../connection/calls-under-way.ts';
import {connectServer} from '../connection/connect-server.ts';
import type {ManagedConnectionDependencies} from '../connection/managed-connection.ts';
import type {ClientSide, OpenConnection} from '../connection/open-connection.ts';
import type {ServerManagerDependencies} from '../contract.ts';
import {createClientHandlers} from '../requests/client-handlers.ts';
import type {RequestWindow} from '../requests/request-limits.ts';
import {ConnectError, permanent} from '../wire/connect-error.ts';
import type {ServerLogin} from '../wire/server-login.ts';

type Dependencies = Omit<ServerManagerDependencies, 'paths' | 'onChange' | 'onRemoved'> & {
	readonly samplingWindow: RequestWindow;
	readonly formWindow: RequestWindow;
};

/** What a new connection uses that must be redacted or tracked. */
export type ConnectionSecrets = {
	/** Values to redact from then on. */
	readonly secrets: readonly string[];
	/** The login whose grant is presented. */
	readonly login: ServerLogin | undefined;
};

/**
 * Connects to a server with its references expanded at this moment. Calls `onOpening` first, with the secrets used.
 *
 * @throws ConnectError, permanent for a variable that is not set; the reason of `signal`
 * @see manual/tool-servers.md#variable-references, manual/tool-servers.md#states
 */
export async function openServer(
	server: ToolServerConfig,
	{
		onOpening,
		...options
	}: Parameters<ManagedConnectionDependencies['open']>[0] & {
		readonly discover: DiscoverResult | undefined;
		readonly onOpening: (opening: ConnectionSecrets) => void;
	},
	dependencies: Dependencies,
): Promise<OpenConnection> {
	const environment = dependencies.environment();
	const workdir = dependencies.workdir();
	const context = contextVariables(environment, workdir);
	if (workdir !== undefined && /\$\{workspaceFolder/.test(JSON.stringify(server.endpoint))) {
		makeFolder(context.workspaceFolder);
	}

	const expanded = expandServer(server, {environment, context});
	if (!expanded.ok) {
		throw new ConnectError(permanent(expanded.message));
	}

	const login = dependencies.loginOf?.(expanded.server);
	onOpening({secrets: expanded.secrets, login});
	const clientSide = clientSideOf(expanded.server, dependencies);
	const opened = await connectServer(
		expanded.server,
		{...options, secrets: expanded.secrets},
		{...dependencies, clientSide, login},
	);
	login?.keepFresh(opened.signal);
	return opened;
}

/** Creates the working folder, like the tool `terminal`. On failure the server reports the consequence itself. */
function makeFolder(path: string): void {
	try {
		mkdirSync(path, {recursive: true, mode: 0o700});
	} catch {
		// The folder stays missing.
	}
}

function clientSideOf(server: ToolServerConfig, dependencies: Dependencies): ClientSide {
	const {clock, log} = dependencies;
	const calls = createCallsUnderWay(clock);
	const isTrusted = server.trust !== 'untrusted';
	const validator = isTrusted ? createCheckedOutput(log, server.name) : uncheckedOutput;
	return {...createClientHandlers({...dependencies, server, calls}), calls, validator};
}

/** How many schemas one engine may compile: it never frees any, and a changing list brings new ones. */
const maxCompiled = 500;

/**
 * Keywords whose check could run without bound and block the program: the server's patterns on its own texts, branching references, comparisons of every item with
 * every other.
 */
const unbounded =
	/"(?:pattern|patternProperties|propertyNames|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;

/** The largest schema and answer that are checked, in characters of JSON: larger ones take longer. */
const maxSchemaLength = 16 * 1024;
const maxAnswerLength = 256 * 1024;

/**
 * Validates results of a connection's tools against their output schemas, each compiled once. If a schema cannot be compiled, that is logged once and the tool's
 * answers are accepted unchecked. So are schemas whose check could block the program, and answers above 256 kB.
 */
function createCheckedOutput(log: Logger, server: string): jsonSchemaValidator {
	const validators = new WeakMap<object, JsonSchemaValidator<unknown>>();
	let shared = new AjvJsonSchemaValidator();
	let compiled = 0;

	const compile = (schema: Schema): JsonSchemaValidator<unknown> => {
		try {
			const text = JSON.stringify(schema);
			if (text.length > maxSchemaLength || unbounded.test(text)) {
				return anything;
			}

			// A validator identifies a schema by its `$id`, and uses the first schema with an id for every later one with the same id.
			if (text.includes('"$id"')) {
				return bounded(new AjvJsonSchemaValidator().getValidator(schema));
			}

			if (compiled >= maxCompiled) {
				shared = new AjvJsonSchemaValidator();
				compiled = 0;
			}

			compiled += 1;
			return bounded(shared.getValidator(schema));
		} catch (error) {
			const facts = {server, error: messageOf(error)};
			log.warn('An outputSchema cannot be used: what its tool answers is not checked', facts);
			return anything;
		}
	};

	return {
		getValidator<T>(schema: Schema) {
			const validator = validators.get(schema) ?? compile(schema);
			validators.set(schema, validator);
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what T is, only the caller knows
			return validator as JsonSchemaValidator<T>;
		},
	};
}

type Schema = Parameters<jsonSchemaValidator['getValidator']>[0];

const anything: JsonSchemaValidator<unknown> = data => ({
	valid: true,
	data,
	errorMessage: undefined,
});

const bounded =
	(validator: JsonSchemaValidator<unknown>): JsonSchemaValidator<unknown> =>
	input =>
		JSON.stringify(input).length > maxAnswerLength ? anything(input) : validator(input);

/** Accepts every answer. For untrusted servers: compiling their schemas, and running their patterns over their texts, could take arbitrarily long. */
const uncheckedOutput: jsonSchemaValidator = {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that it is not looked at is the point
	getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
};
