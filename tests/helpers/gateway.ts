import {setImmediate as turn} from 'node:timers/promises';
import type {HomePaths} from '../../source/config/config.ts';
import {homePaths} from '../../source/config/home-paths.ts';
import {type Clock, systemClock} from '../../source/core/clock.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {logLine} from '../../source/core/log.ts';
import {hasEnded, type StoredRun} from '../../source/core/run.ts';
import type {GatewayState} from '../../source/core/state.ts';
import {type Gateway, startGateway} from '../../source/gateway/gateway.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';
import type {GatewayWorld} from '../../source/gateway/rooms.ts';
import {layStore} from './lay-store.ts';
import {hookSecret, post, type Answer} from './post.ts';
import {temporaryHome, type TemporaryHome} from './temporary-home.ts';

/** The machine's time, or one that a test moves. */
export type TestClock = Clock & {advance?(byMs: number): void};

export type TestGatewayOptions = {
	/** What `config.yaml` holds, as data; merged over a receiver on a free port of this machine. Text is written as it is. */
	readonly config?: JsonObject | string;
	/** What `webhook_subscriptions.json` holds. Each has `hookSecret` unless it says otherwise. */
	readonly subscriptions?: Readonly<Record<string, JsonObject>>;
	/** An existing home, which is not removed at the end. */
	readonly home?: TemporaryHome;
	readonly environment?: Readonly<Record<string, string>>;
	/** Time; the machine's when absent. A fake one is advanced while the gateway ends. */
	readonly clock?: TestClock;
	/** Parts of the world that a test decides about. */
	readonly world?: Partial<GatewayWorld>;
};

export type TestGateway = AsyncDisposable & {
	readonly gateway: Gateway;
	readonly port: GatewayPort;
	readonly home: TemporaryHome;
	readonly paths: HomePaths;
	/** Every event since the start. */
	readonly events: readonly GatewayEvent[];
	/** Every log record since the start, as a line. */
	readonly log: readonly string[];
	/** Where the receiver listens. Throws when it does not. */
	url(): string;
	/** Posts a signed event to a route. */
	send(
		route: string,
		payload: unknown,
		headers?: Readonly<Record<string, string>>,
	): Promise<Answer>;
	/** Resolves with the state as soon as `holds` is true of it. */
	until(holds: (state: GatewayState) => boolean): Promise<GatewayState>;
	/** The run, as soon as it has ended. */
	ended(runId: number): Promise<StoredRun>;
};

/** The receiver on a free port of this machine, and no model to look for. */
export const testConfig = (config: JsonObject = {}): string =>
	JSON.stringify({
		model: {provider: 'offline'},
		...config,
		platforms: {
			webhook: {enabled: true, host: '127.0.0.1', port: 0, secret: hookSecret},
			...(config['platforms'] as JsonObject | undefined),
		},
	});

/** The home of a gateway under test. */
export const gatewayHome = async ({
	config = {},
	subscriptions = {},
}: Pick<TestGatewayOptions, 'config' | 'subscriptions'> = {}): Promise<TemporaryHome> => {
	const home = await temporaryHome({
		'config.yaml': typeof config === 'string' ? config : testConfig(config),
		'webhook_subscriptions.json': subscriptionsText(subscriptions),
	});
	await layStore(home.file('state.db'));
	return home;
};

/** `webhook_subscriptions.json` with `hookSecret` where an entry has no secret. */
export const subscriptionsText = (subscriptions: Readonly<Record<string, JsonObject>>): string =>
	JSON.stringify(
		Object.fromEntries(
			Object.entries(subscriptions).map(([name, entry]) => [name, {secret: hookSecret, ...entry}]),
		),
	);

const closingTurns = 30;

/** A gateway in this process, started, with the real rooms. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
	const {environment: given = {PATH: process.env['PATH'] ?? ''}} = options;
	// One port for all that run side by side; tests of it say otherwise in their configuration.
	const environment = {API_ENABLED: 'false', ...given};
	const clock: TestClock = options.clock ?? systemClock;
	const home = options.home ?? (await gatewayHome(options));
	const paths = homePaths({environment: {SVC_HOME: home.path}});
	const events: GatewayEvent[] = [];
	const log: string[] = [];
	const gateway = startGateway({
		clock,
		paths,
		environment,
		version: '0.0.0-test',
		localServers: [],
		random: () => 0,
		// Its waits are real ones.
		modelRetries: 0,
		onLog(record) {
			log.push(logLine(record));
		},
		...options.world,
	});
	const {port} = gateway;
	port.subscribe(batch => {
		events.push(...batch);
	});

	const end = async () => {
		// The connections of the last answers are just closing; the drain would be polite to them for a second.
		for (let count = 0; count < closingTurns; count++) {
			await turn();
		}

		await advanceUntil(gateway[Symbol.asyncDispose](), clock);
		if (!options.home) {
			await home[Symbol.asyncDispose]();
		}
	};

	try {
		await gateway.started;
	} catch (error) {
		await end();
		throw error;
	}

	const url = () => {
		const {webhook} = port.getState();
		if (webhook.state !== 'listening') {
			throw new Error(`the receiver does not listen: ${JSON.stringify(webhook)}`);
		}

		return webhook.url;
	};

	const until = async (holds: (state: GatewayState) => boolean) => stateWhere(port, holds);

	return {
		gateway,
		port,
		home,
		paths,
		events,
		log,
		url,
		send: async (route, payload, headers = {}) =>
			post(`${url()}/webhooks/${route}`, {payload, headers}),
		until,
		async ended(runId) {
			await until(({runs}) => runs.some(({id, state}) => id === runId && hasEnded(state)));
			const run = await port.getRun(runId);
			if (!run) {
				throw new Error(`run ${runId} is not in the journal`);
			}

			return run;
		},
		[Symbol.asyncDispose]: end,
	};
}

/** Resolves with the state of `port` as soon as `holds` is true of it. Hangs are ended by the test's own limit. */
export async function stateWhere(
	port: Pick<GatewayPort, 'getState' | 'subscribe'>,
	holds: (state: GatewayState) => boolean,
): Promise<GatewayState> {
	const {promise, resolve} = Promise.withResolvers<GatewayState>();
	const look = () => {
		const state = port.getState();
		if (holds(state)) {
			resolve(state);
		}
	};
	const unsubscribe = port.subscribe(look);
	look();
	try {
		return await promise;
	} finally {
		unsubscribe();
	}
}

/** Waits for `task`, moving a fake clock on at each turn of the event loop, so that nothing waits for time that stands still. */
export async function advanceUntil<T>(task: Promise<T>, clock: TestClock): Promise<T> {
	let settled = false;
	const settle = () => {
		settled = true;
	};
	task.then(settle, settle);
	// oxlint-disable-next-line no-unmodified-loop-condition -- the task changes it
	while (clock.advance && !settled) {
		clock.advance(100);
		await turn();
	}

	return task;
}
