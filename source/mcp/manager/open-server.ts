import {mkdirSync} from 'node:fs';
import type {DiscoverResult} from '@modelcontextprotocol/client';
import {expandServer} from '../../config/expand-server.ts';
import {contextVariables} from '../../config/server-references.ts';
import type {ToolServerConfig} from '../../config/tool-server.ts';
import {createCheckedOutput, uncheckedOutput} from '../calls/output-validation.ts';
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
