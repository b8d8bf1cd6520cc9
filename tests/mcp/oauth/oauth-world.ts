import {readFile} from 'node:fs/promises';
import {Client} from '@modelcontextprotocol/client';
import type {SharedHome} from '../../../source/config/shared-home.ts';
import type {RemoteEndpoint, ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {ResolveName} from '../../../source/core/address-scope.ts';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import type {JsonObject} from '../../../source/core/json.ts';
import {createLogger, type LogRecord} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import {createServerLogins} from '../../../source/mcp/oauth/server-logins.ts';
import {createTransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {browse} from '../servers/surf.ts';
import {toolServer} from '../servers/tool-server.ts';

export const callback = 'http://localhost:27890/callback';

export const remoteServer = (
	url: string,
	oauth: JsonObject = {},
	changes: Partial<RemoteEndpoint> = {},
): ToolServerConfig =>
	toolServer<RemoteEndpoint>({
		transport: 'http',
		url,
		headers: {},
		tls: {verify: true},
		skipPreflight: true,
		oauth,
		...changes,
	});

/** A home, transports and the logins of one profile. `restart` makes new logins over the same files. */
export async function oauthWorld(
	options: {
		readonly home?: string;
		readonly clock?: Clock;
		/** What names of remote servers stand for. */
		readonly resolve?: ResolveName | undefined;
		/** What this home shares with others in place of files. */
		readonly shared?: SharedHome;
	} = {},
) {
	const {clock = systemClock} = options;
	const stack = new AsyncDisposableStack();
	const home = options.home ?? stack.use(await temporaryHome()).path;
	const records: LogRecord[] = [];
	const redact = createRedact(() => []);
	const log = createLogger({clock, redact, write: record => records.push(record)});
	const transports = stack.use(
		createTransportFactory({
			clock,
			log,
			redact,
			paths: {mcpStderrLog: `${home}/stderr.log`, mcpProcesses: `${home}/processes.json`},
			environment: {},
			...(options.resolve && {resolve: options.resolve}),
		}),
	);
	let secrets: readonly string[] = [];
	const restart = () =>
		createServerLogins({
			clock,
			log,
			redact,
			onSecrets(now) {
				secrets = now;
			},
			paths: {
				mcpTokens: `${home}/mcp-tokens`,
				profile: 'default',
				...(options.shared && {shared: options.shared}),
			},
		});
	let providers = restart();

	return {
		home,
		records,
		providers: () => providers,
		/** What must not be shown of the logins. */
		secrets: () => secrets,
		open: transports.open,
		restart() {
			providers = restart();
		},
		/** Logs in with a browser that agrees to everything, unless another is given. */
		async login(
			server: ToolServerConfig,
			openBrowser: (url: URL) => Promise<URLSearchParams> = async url => browse(url, callback),
		) {
			await providers.login(server, {
				open: transports.open,
				redirect: async () => ({url: callback, isDeclared: true}),
				openBrowser,
				secrets: [],
				signal: new AbortController().signal,
			});
		},
		/** Connects with the stored grant, as a gateway does. */
		async connect(server: ToolServerConfig) {
			const login = providers.of(server);
			const opened = await transports.open(server, {
				signal: new AbortController().signal,
				secrets: [],
				...(login && {login}),
			});
			stack.use(opened);
			const client = new Client({name: 'test', version: '1.0.0'});
			try {
				await client.connect(opened.transport);
			} catch (error) {
				return {failure: opened.explain(error)};
			}

			const ended = new AbortController();
			stack.defer(() => {
				ended.abort();
			});
			login?.keepFresh(ended.signal);

			return {
				client,
				explain: (error: unknown) => opened.explain(error),
				async close() {
					ended.abort();
					await opened[Symbol.asyncDispose]();
				},
				async whoami() {
					const {content} = await client.callTool({name: 'whoami', arguments: {}});
					const [part] = content;
					return part?.type === 'text' ? part.text : '';
				},
			};
		},
		/** One of the files of the server `crm`, parsed. */
		async file(ending = '.json'): Promise<Record<string, string>> {
			return JSON.parse(await readFile(`${home}/mcp-tokens/crm${ending}`, 'utf8'));
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
