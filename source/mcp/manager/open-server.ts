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

/** What a connection that is made now is of. */
export type ConnectionSecrets = {
	/** Not to be shown from then on. */
	readonly secrets: readonly string[];
	/** Whose grant is presented. */
	readonly login: ServerLogin | undefined;
};

/**
 * Connects to a server as it is written: its references are replaced by what they stand for at this moment. `onOpening` is told first what it is of.
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

/** As the tool `terminal` does. Where it cannot be made, the server says what that means for it. */
function makeFolder(path: string): void {
	try {
		mkdirSync(path, {recursive: true, mode: 0o700});
	} catch {
		// It is missing, then.
	}
}

function clientSideOf(server: ToolServerConfig, dependencies: Dependencies): ClientSide {
	const {clock, log} = dependencies;
	const calls = createCallsUnderWay(clock);
	const isTrusted = server.trust !== 'untrusted';
	const validator = isTrusted ? createCheckedOutput(log, server.name) : uncheckedOutput;
	return {...createClientHandlers({...dependencies, server, calls}), calls, validator};
}

/** Schemas that one engine may hold: it forgets none, and a list that changes brings new ones. */
const maxCompiled = 500;

/**
 * Keywords whose check may take for ever, and holds the whole program meanwhile: patterns of theirs on texts of theirs, references that branch at each step,
 * comparisons of each with each.
 */
const unbounded =
	/"(?:pattern|patternProperties|propertyNames|format|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;

/** Largest schema and largest answer that are checked, in characters of JSON. The larger either of them is, the longer a check takes. */
const maxSchemaLength = 16 * 1024;
const maxAnswerLength = 256 * 1024;

/**
 * Compares what the tools of one connection answer with the schemas that they announced, each compiled once. A schema that cannot be compiled is no reason not to
 * use its tool: that is logged once, and the answer taken as it is. So is one whose check could hold the program up, and an answer above 256 kB.
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

/**
 * Takes what tools answer as it is. For untrusted servers: a schema of theirs would be compiled, and its patterns run over texts of theirs,
 * for as long as they like.
 */
const uncheckedOutput: jsonSchemaValidator = {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that it is not looked at is the point
	getValidator: () => input => ({valid: true, data: input as never, errorMessage: undefined}),
};
