import {Client, type ClientOptions} from '@modelcontextprotocol/client';
import type {Environment} from '../../../source/config/environment.ts';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {createLogger, type LogRecord} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {OpenOptions} from '../../../source/mcp/wire/open-transport.ts';
import {createTransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';

/** Transports with files of its own, on the real clock: processes and sockets know no other. */
export async function openTransports({
	environment = {PATH: process.env['PATH'] ?? ''},
	home: given,
}: {readonly environment?: Environment; readonly home?: TemporaryHome} = {}) {
	const stack = new AsyncDisposableStack();
	const home = given ?? stack.use(await temporaryHome());
	const records: LogRecord[] = [];
	const redact = createRedact(() => []);
	const transports = stack.use(
		createTransportFactory({
			clock: systemClock,
			log: createLogger({clock: systemClock, redact, write: record => records.push(record)}, 'mcp'),
			redact,
			paths: {
				mcpStderrLog: home.file('mcp-stderr.log'),
				mcpProcesses: home.file('mcp-processes.json'),
			},
			environment,
		}),
	);

	const open = async (server: ToolServerConfig, options: Partial<OpenOptions> = {}) => {
		let losses = 0;
		const {signal} = new AbortController();
		const onLost = () => {
			losses++;
		};
		const opened = await transports.open(server, {signal, secrets: [], onLost, ...options});
		return {...opened, losses: () => losses};
	};

	return {
		transports,
		home,
		records,
		open,
		async connect(
			server: ToolServerConfig,
			{
				mode = 'legacy',
				...options
			}: Partial<OpenOptions> & {
				readonly mode?: NonNullable<ClientOptions['versionNegotiation']>['mode'];
			} = {},
		) {
			const opened = await open(server, options);
			const client = new Client(
				{name: 'test', version: '1.0.0'},
				{...(mode !== undefined && {versionNegotiation: {mode}})},
			);
			await client.connect(opened.transport);
			return {
				...opened,
				client,
				/** The text of a tool's result. */
				async call(name: string, args: Record<string, unknown> = {}) {
					const {content} = await client.callTool({name, arguments: args});
					const [part] = content;
					return part?.type === 'text' ? part.text : '';
				},
			};
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
