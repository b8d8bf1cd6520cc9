import {ensureHome, homePaths} from '../../../source/config/home-paths.ts';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import type {SampleRequest} from '../../../source/core/bounds.ts';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import type {JsonValue} from '../../../source/core/json.ts';
import {createLogger, type LogRecord} from '../../../source/core/log.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {ServerStatus, ServerView} from '../../../source/core/tool-server.ts';
import type {Tool, ToolContext} from '../../../source/core/tool.ts';
import type {
	Elicit,
	FormRequest,
	Sample,
	ServerManagerDependencies,
} from '../../../source/mcp/contract.ts';
import {createServerManager} from '../../../source/mcp/manager/server-manager.ts';
import {createTransportFactory} from '../../../source/mcp/wire/transport-factory.ts';
import type {OpenServerSandbox} from '../../../source/mcp/wire/transport-parts.ts';
import {openServerSandbox} from '../../../source/tools/sandbox/server-sandbox.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

export type ManagerOptions = {
	/** What a person does with a form; nobody is there when absent. */
	readonly elicit?: Elicit;
	/** What our model says. */
	readonly sample?: Sample;
	readonly clock?: Clock;
	/** The profile's `.env`, so to speak; PATH is the machine's. */
	readonly environment?: Readonly<Record<string, string>>;
	readonly loginOf?: ServerManagerDependencies['loginOf'];
	/** Whether servers may have a sandbox; none works without. */
	readonly sandbox?: 'works' | 'fails';
};

/** The manager of a profile as the gateway makes it, over real transports, with files of its own. */
export async function openManager({
	elicit = async () => ({action: 'cancel'}),
	sample,
	clock = systemClock,
	environment = {},
	loginOf,
	sandbox,
}: ManagerOptions = {}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	ensureHome(paths);
	const records: LogRecord[] = [];
	const redact = createRedact(() => []);
	const log = createLogger({clock, redact, write: record => records.push(record)}, 'mcp');
	const world = {PATH: process.env['PATH'] ?? '', HOME: home.path, ...environment};
	const forms: FormRequest[] = [];
	const asked: SampleRequest[] = [];
	const views = new Map<string, ServerView>();
	const statuses = new Map<string, ServerStatus[]>();
	let changed = Promise.withResolvers<void>();

	const transports = stack.use(
		createTransportFactory({
			clock,
			log,
			redact,
			paths,
			environment: world,
		}),
	);
	const sandboxOf =
		(way: 'fails' | 'works'): OpenServerSandbox =>
		async (server, options, owner) =>
			openServerSandbox(
				server,
				{
					...options,
					clock,
					places: {
						userHome: home.file('person'),
						svcHome: home.file('svc'),
						home: home.file('svc'),
						environment: way === 'works' ? {...process.env} : {PATH: '/nowhere'},
					},
				},
				owner,
			);
	const manager = stack.use(
		createServerManager({
			clock,
			log,
			redact,
			profile: 'default',
			paths,
			environment: () => world,
			workdir: () => undefined,
			transports: sandbox
				? {
						...transports,
						open: async (server, options) =>
							transports.open(server, {...options, sandbox: sandboxOf(sandbox)}),
					}
				: transports,
			...(loginOf && {loginOf}),
			async elicit(form) {
				forms.push(form);
				return elicit(form);
			},
			...(sample && {
				async sample(request) {
					asked.push(request);
					return sample(request);
				},
			}),
			onChange(view) {
				views.set(view.name, view);
				const seen = statuses.get(view.name) ?? [];
				statuses.set(view.name, seen.at(-1) === view.status ? seen : [...seen, view.status]);
				changed.resolve();
				changed = Promise.withResolvers();
			},
			onRemoved(name) {
				views.delete(name);
			},
		}),
	);

	const find = (name: string) => manager.views().find(each => each.name === name);

	const view = (name = 'crm'): ServerView => {
		const found = find(name);
		if (!found) {
			throw new Error(`There is no server ${name}`);
		}

		return found;
	};

	/** The view, as soon as there is one and `holds` is true of it. */
	const until = async (holds: (view: ServerView) => boolean, name = 'crm') => {
		for (;;) {
			const found = find(name);
			if (found && holds(found)) {
				return found;
			}

			await changed.promise;
		}
	};

	const tool = (name: string): Tool => {
		const all = [...manager.tools().values()].flat();
		const found = all.find(each => each.name === name || each.name === `mcp__crm__${name}`);
		if (!found) {
			throw new Error(`There is no tool ${name}, only ${all.map(each => each.name).join(', ')}`);
		}

		return found;
	};

	return {
		manager,
		home,
		paths,
		/** What was logged, as the log has it. */
		records,
		/** Forms that were handed to a person. */
		forms,
		/** What our model was asked. */
		asked,
		/** The statuses that a face has seen, in order. */
		statuses: (name = 'crm') => statuses.get(name) ?? [],
		view,
		until,
		reached: async (status: ServerStatus, name = 'crm') =>
			until(each => each.status === status, name),
		/** Makes these the servers, and waits until each has connected or failed once. */
		async apply(...servers: readonly ToolServerConfig[]) {
			await manager.apply(new Map(servers.map(server => [server.name, server])));
			await manager.ready(new AbortController().signal);
		},
		tool,
		/** Calls a tool by its registered name, or by what follows `mcp__crm__`. */
		async call(name: string, args: JsonValue = {}, context: Partial<ToolContext> = {}) {
			return tool(name).execute(args, {signal: new AbortController().signal, ...context});
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}
