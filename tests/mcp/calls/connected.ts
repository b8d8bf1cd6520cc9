import {
	Client,
	type ClientCapabilities,
	InMemoryTransport,
	type CallToolResult,
} from '@modelcontextprotocol/client';
import {Server, type ServerContext} from '@modelcontextprotocol/server';
import type {JsonValue} from '../../../source/core/json.ts';
import type {ToolContext} from '../../../source/core/tool.ts';
import {attemptCall, type ToolCallOptions} from '../../../source/mcp/calls/attempt-call.ts';
import type {PlannedTool} from '../../../source/mcp/catalogue/plan-tools.ts';
import {createCallsUnderWay} from '../../../source/mcp/connection/calls-under-way.ts';
import {explain} from '../../../source/mcp/wire/explain.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {listed, plan, serverConfig} from '../catalogue/samples.ts';

type Answer = (
	args: Readonly<Record<string, unknown>>,
	context: ServerContext,
) => CallToolResult | Promise<CallToolResult>;

/** A server in this process whose tools answer as the table says. */
export function tableServer(
	tools: Readonly<Record<string, Answer>>,
	capabilities: ConstructorParameters<typeof Server>[1] = {capabilities: {tools: {}}},
): Server {
	const server = new Server({name: 'table', version: '1.0.0'}, capabilities);
	server.setRequestHandler('tools/list', () => ({
		tools: Object.keys(tools).map(name => listed(name)),
	}));
	server.setRequestHandler(
		'tools/call',
		async ({params: {name, arguments: args = {}}}, context) => {
			const answer = tools[name];
			if (!answer) {
				throw Object.assign(new Error(`No tool "${name}"`), {code: -32_602});
			}

			return answer(args, context);
		},
	);
	return server;
}

export const text = (...texts: readonly string[]): CallToolResult => ({
	content: texts.map(part => ({type: 'text', text: part})),
});

/** A client that is connected to `server`, a clock that stands still, and a folder for what is no text. */
export async function connected(
	server: Server,
	{
		capabilities = {},
		register = () => {},
		clock = createFakeClock(),
		calls = createCallsUnderWay(clock),
	}: {
		readonly capabilities?: ClientCapabilities;
		readonly register?: (client: Client) => void;
		readonly clock?: ReturnType<typeof createFakeClock>;
		readonly calls?: ReturnType<typeof createCallsUnderWay>;
	} = {},
) {
	const home = await temporaryHome();
	const client = new Client({name: 'svc', version: '1'}, {capabilities});
	register(client);
	const [near, far] = InMemoryTransport.createLinkedPair();
	await server.connect(far);
	await client.connect(near);
	const gone = new AbortController();
	const config = serverConfig();
	const connection = {
		client,
		calls,
		signal: gone.signal,
		explain: (error: unknown) =>
			explain(error, {
				server: config,
				signal: gone.signal,
				redact: value => value,
				isEstablished: true,
				hasSession: false,
			}),
	};
	const options: ToolCallOptions = {server: config, cacheDir: home.path, clock, redact: hideSecret};
	const context: ToolContext = {signal: new AbortController().signal, runId: 7};
	const call = async (
		planned: PlannedTool | string,
		args: JsonValue = {},
		more: Partial<ToolContext> = {},
	) =>
		attemptCall(
			connection,
			{
				planned: typeof planned === 'string' ? nativeTool(planned) : planned,
				args,
				context: {...context, ...more},
			},
			options,
		);
	return {
		client,
		connection,
		calls,
		clock,
		home,
		gone,
		far,
		call,
		/** What the model reads; why the answer is lost where it is. */
		async read(...input: Parameters<typeof call>) {
			const outcome = await call(...input);
			return outcome.kind === 'result' ? outcome.result.text : outcome.reason;
		},
		async [Symbol.asyncDispose]() {
			await client.close();
			await home[Symbol.asyncDispose]();
		},
	};
}

const hideSecret = (value: string) => value.replaceAll('hunter2hunter2', '[redacted]');

/** A tool as it is planned when a server lists it. */
export function nativeTool(name: string, more: Parameters<typeof listed>[1] = {}): PlannedTool {
	const [tool] = plan([listed(name, more)]).tools;
	if (!tool) {
		throw new Error(`Cannot plan "${name}"`);
	}

	return tool;
}

/** The utility tool `kind`. */
export function utilityTool(kind: PlannedTool['kind']): PlannedTool {
	const {tools} = plan([], {capabilities: {resources: true, prompts: true}});
	const tool = tools.find(planned => planned.kind === kind);
	if (!tool) {
		throw new Error(`Cannot plan "${kind}"`);
	}

	return tool;
}
