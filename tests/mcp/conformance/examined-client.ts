/**
 * The client that the official conformance suite examines: this program's own manager of tool servers, with the real transports and the real logins.
 * Checks happen on the wire.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {ensureHome, homePaths} from '../../../source/config/home-paths.ts';
import type {RemoteEndpoint, ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {FormField} from '../../../source/core/approval.ts';
import {systemClock} from '../../../source/core/clock.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../../source/core/json.ts';
import {createLogger} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {ServerView} from '../../../source/core/tool-server.ts';
import type {Tool} from '../../../source/core/tool.ts';
import {createServerManager} from '../../../source/mcp/manager/server-manager.ts';
import {createServerLogins} from '../../../source/mcp/oauth/server-logins.ts';
import {createTransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {toolServer} from '../servers/tool-server.ts';

type Context = {
	readonly client_id?: string;
	readonly client_secret?: string;
	readonly toolCalls?: ReadonlyArray<{readonly name: string; readonly arguments: JsonObject}>;
};

export type Scenario = {
	/** Of the suite's server. */
	readonly url: string;
	readonly name: string;
	readonly context: Context;
};

const redirectUrl = 'http://localhost:27890/callback';

/**
 * Goes through one scenario, as the suite wants it done once for each: a client that knows nothing of the others. What it did is written by line. Resolves with
 * whether it was connected in the end.
 */
export async function examineClient(
	{url, name: scenario, context}: Scenario,
	{
		protocol,
		write,
		signal,
	}: {
		readonly protocol: ToolServerConfig['protocol'];
		readonly write: (line: string) => void;
		readonly signal: AbortSignal;
	},
): Promise<boolean> {
	const redact = createRedact(() => []);
	const log = createLogger({
		clock: systemClock,
		redact,
		write({level, message, fields}) {
			write(`${level} ${message} ${JSON.stringify(fields)}`);
		},
	});
	await using home = await temporaryHome();
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	ensureHome(paths);
	const server = toolServer<RemoteEndpoint>(
		{
			transport: 'http',
			url,
			headers: {},
			tls: {verify: true},
			skipPreflight: true,
			...(scenario.startsWith('auth/') && {oauth: loginSettings(scenario, context)}),
		},
		{name: 'suite', protocol, timeoutMs: 20_000},
	);

	await using transports = createTransportFactory({
		clock: systemClock,
		log,
		redact,
		paths,
		environment: {},
	});
	const providers = createServerLogins({onSecrets() {}, clock: systemClock, log, redact, paths});
	await using manager = createServerManager({
		clock: systemClock,
		log,
		redact,
		profile: 'default',
		paths,
		environment: () => ({}),
		workdir: () => undefined,
		transports,
		loginOf: each => providers.of(each),
		elicit: async ({fields}) => ({action: 'accept', content: filledIn(fields)}),
		sample: async () => ({text: 'x', model: 'm'}),
		onChange() {},
		onRemoved() {},
	});

	let logins = 0;
	await manager.apply(new Map([[server.name, server]]));
	await manager.ready(signal);
	await logInWhileWanted();
	log.info('connected', {status: view()?.status, reason: view()?.reason});
	await callEverything();
	return view()?.status === 'connected';

	/** What a person does when the status says so: logs in, and connects again. At most three times in all. */
	async function logInWhileWanted(): Promise<boolean> {
		let loggedIn = false;
		while (view()?.status === 'needs login' && logins < 3) {
			logins++;
			await providers.login(server, {
				open: transports.open,
				redirect: async () => ({url: redirectUrl, isDeclared: true}),
				openBrowser,
				secrets: [],
				signal,
			});
			await manager.connect(server.name);
			loggedIn = true;
		}

		return loggedIn;
	}

	/** The suite's authorization servers agree to everything with one redirect. */
	async function openBrowser(address: URL): Promise<URLSearchParams> {
		const response = await fetch(address, {redirect: 'manual'});
		return new URL(response.headers.get('location') ?? '').searchParams;
	}

	async function callEverything(): Promise<void> {
		const tools = manager.tools().get(server.name) ?? [];
		for (const tool of tools) {
			await call(tool, argumentsFor(tool, tools));
		}

		for (const {name, arguments: args} of context.toolCalls ?? []) {
			const tool =
				tools.find(({asked}) => asked?.tool === name) ??
				tools.find(each => each.name.endsWith(name));
			if (tool) {
				await call(tool, args);
			}
		}
	}

	async function call(tool: Tool, args: JsonValue): Promise<void> {
		try {
			const {text} = await tool.execute(args, {signal});
			log.info(tool.name, {text: text.slice(0, 150)});
		} catch (error) {
			log.warn(tool.name, {error: String(error)});
		}

		await sleep(0);
		if (await logInWhileWanted()) {
			await call(tool, args);
		}
	}

	function view(): ServerView | undefined {
		return manager.views().find(({name}) => name === server.name);
	}
}

/** A value of the right type for everything that is required. */
function argumentsFor({name, inputSchema}: Tool, all: readonly Tool[]): JsonObject {
	const {properties, required} = inputSchema;
	const keys = Array.isArray(required) ? required.map(String) : [];
	const schemas = isJsonObject(properties) ? properties : {};
	if (name.endsWith('json_schema_echo')) {
		// It compares what it offered with what arrives.
		const [key = 'schema'] = Object.keys(schemas);
		return {[key]: all.find(other => other.name !== name)?.inputSchema ?? {}};
	}

	return Object.fromEntries(keys.map(key => [key, sampleOf(schemas[key])]));
}

function sampleOf(schema: JsonValue | undefined): JsonValue {
	const type = isJsonObject(schema) ? schema['type'] : undefined;
	const samples: Readonly<Record<string, JsonValue>> = {
		number: 5,
		integer: 5,
		boolean: true,
		array: [],
		object: {},
	};
	return typeof type === 'string' ? (samples[type] ?? 'x') : 'x';
}

function filledIn(fields: readonly FormField[]): JsonObject {
	return Object.fromEntries(
		fields.map(({key, kind, initial, options}) => [
			key,
			initial ?? (kind === 'boolean' ? true : (options?.[0]?.value ?? (kind === 'text' ? 'x' : 1))),
		]),
	);
}

function loginSettings(scenario: string, context: Context): JsonObject {
	return scenario.includes('pre-reg')
		? {client_id: context.client_id ?? '', client_secret: context.client_secret ?? ''}
		: {client_metadata_url: 'https://conformance-test.local/client-metadata.json'};
}
