import {mkdir} from 'node:fs/promises';
import {request} from 'node:http';
import {join} from 'node:path';
import type {RouteTable} from '../../source/config/config.ts';
import type {Route} from '../../source/config/route.ts';
import {createAuthorshipMark} from '../../source/core/authorship-mark.ts';
import type {Delivery, StoredDelivery} from '../../source/core/delivery.ts';
import type {GatewayEvent} from '../../source/core/events.ts';
import type {Group} from '../../source/core/group.ts';
import {createIdSource} from '../../source/core/ids.ts';
import {createLogger} from '../../source/core/log.ts';
import {createRedact} from '../../source/core/redact.ts';
import {openSqliteStore} from '../../source/store/open-sqlite-store.ts';
import type {Store} from '../../source/store/port.ts';
import type {DeliverDirect, DirectMessage} from '../../source/webhook/direct-delivery.ts';
import type {FiringJob, JobOf} from '../../source/webhook/dispatch-event.ts';
import {createReceiver, type Receiver} from '../../source/webhook/receiver.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';
import {layStore} from '../helpers/lay-store.ts';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {signV2} from './sign.ts';

export const secret = 'correct horse battery staple';
const secrets = [secret];

/** A route named `hook` that starts an agent run for every event. */
export const makeRoute = (overrides: Partial<Route> = {}): Route => ({
	name: 'hook',
	profile: 'default',
	source: 'static',
	enabled: true,
	description: '',
	events: [],
	secrets: [secret],
	retiredSecrets: [],
	insecure: false,
	filters: [],
	scriptTimeoutMs: 30_000,
	retryOnScriptFailure: false,
	skills: [],
	prefetch: [],
	deliver: 'log',
	deliverExtra: {},
	deliverOnly: false,
	mirrorToSession: false,
	overflow: 'reject',
	rateLimit: 30,
	maxBodyBytes: 1_048_576,
	dedupeBody: false,
	cloudevents: false,
	loopLimit: 20,
	loopWindowMs: 600_000,
	...overrides,
});

export type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
	readonly text: string;
	/** The body as JSON. */
	readonly json: Readonly<Record<string, unknown>>;
};

export type Sending = {
	readonly method?: string;
	readonly path?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Buffer;
};

/** One request on a connection of its own. */
export async function send(url: string, {method = 'GET', path = '/', headers = {}, body}: Sending) {
	return new Promise<Answer>((resolve, reject) => {
		const outgoing = request(
			new URL(path, url),
			{method, headers: {...headers}, agent: false},
			incoming => {
				const chunks: Buffer[] = [];
				incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
				incoming.on('end', () => {
					const text = Buffer.concat(chunks).toString();
					resolve({
						status: incoming.statusCode ?? 0,
						headers: incoming.headers,
						text,
						get json() {
							return JSON.parse(text) as Record<string, unknown>;
						},
					});
				});
				incoming.on('error', reject);
			},
		);
		outgoing.on('error', reject);
		outgoing.end(body);
	});
}

export type TestReceiver = AsyncDisposable & {
	readonly url: string;
	readonly port: number;
	readonly home: string;
	readonly scripts: string;
	readonly clock: FakeClock;
	readonly store: Store;
	readonly receiver: Receiver;
	readonly events: readonly GatewayEvent[];
	readonly deliveries: readonly Delivery[];
	/** Runs that the dispatcher was woken for. */
	readonly woken: readonly number[];
	/** Groups as they were reported. */
	readonly groups: readonly Group[];
	/** Lines of the log: `warn Cannot …`. */
	readonly log: readonly string[];
	/** Messages that were handed over. */
	readonly messages: readonly DirectMessage[];
	/** Sends `body` to route `hook`, signed with V2 unless `headers` say otherwise. */
	post(body: unknown, headers?: Readonly<Record<string, string>>, path?: string): Promise<Answer>;
	/** Replaces the routes, as a reload does. */
	setRoutes(...routes: readonly Route[]): void;
	/** The newest delivery that was reported. */
	last(): Delivery;
	/** The same, as the journal has it. */
	stored(): Promise<StoredDelivery>;
	/** Detail of one step of the newest delivery. */
	step(name: string): string | undefined;
	/** The same, as the journal has it. */
	storedStep(name: string): Promise<string | undefined>;
};

export type StartOptions = {
	readonly routes?: readonly Route[];
	readonly deliver?: DeliverDirect;
	readonly maxQueued?: number;
	readonly host?: string;
	/** Replaces parts of the intake, for failures that a disk rarely makes. */
	readonly intake?: Partial<Store['intake']>;
	readonly journalFailing?: () => string | undefined;
	readonly environment?: Readonly<Record<string, string>>;
	readonly metrics?: () => string;
	readonly metricsHost?: string;
	/** Jobs by the reference of `cron_job`; a text says why the job cannot be fired. */
	readonly jobs?: Readonly<Record<string, FiringJob | string>>;
	readonly multiplexing?: boolean;
	/** Instead of an own home that goes with the receiver. */
	readonly home?: string;
	/** Instead of an own clock. */
	readonly clock?: FakeClock;
};

const startMs = 1_750_000_000_000;

/** A job that can be fired. */
export const makeJob = (overrides: Partial<FiringJob> = {}): FiringJob => ({
	profile: 'default',
	id: 'job_abcd1234',
	name: 'Nightly',
	maxQueued: 20,
	planWith: context => ({
		prompt: `Look around.\n\n${context}`,
		target: {kind: 'log', extra: {}},
		skills: ['nightly'],
	}),
	...overrides,
});

const jobsIn =
	(jobs: StartOptions['jobs'] = {}): JobOf =>
	({cronJob}) => {
		const job = Object.hasOwn(jobs, cronJob) ? jobs[cronJob] : undefined;
		return typeof job === 'object'
			? {ok: true, job}
			: {ok: false, reason: job ?? `there is no job "${cronJob}"`};
	};

/** A receiver on a free port with the real store in a temporary home; only the clock is ours. */
export async function startReceiver(options: StartOptions = {}): Promise<TestReceiver> {
	const temporary = await temporaryHome();
	const home = options.home ?? temporary.path;
	const scripts = join(home, 'scripts');
	await mkdir(scripts, {recursive: true});
	const clock = options.clock ?? createFakeClock(startMs);
	const file = join(home, 'state.db');
	await layStore(file);
	const store = await openSqliteStore({clock}, {file});
	const events: GatewayEvent[] = [];
	const woken: number[] = [];
	const groups: Group[] = [];
	const log: string[] = [];
	const messages: DirectMessage[] = [];
	let table = tableOf(options.routes ?? [makeRoute()]);

	const receiver = createReceiver(
		{
			clock,
			ids: createIdSource(clock),
			intake: {...store.intake, ...options.intake},
			journalFailing: options.journalFailing ?? (() => undefined),
			routes: () => table,
			async deliver(message, signal) {
				messages.push(message);
				return (await options.deliver?.(message, signal)) ?? {summary: 'delivered'};
			},
			onAccepted: runId => {
				woken.push(runId);
			},
			onGroupChanged: group => {
				groups.push(group);
			},
			jobOf: jobsIn(options.jobs),
			homeOf(profile) {
				const folder = profile === 'default' ? home : join(home, 'profiles', profile);
				return {home: folder, scripts: join(folder, 'scripts')};
			},
			limits: store.limits,
			multiplexing: () => options.multiplexing ?? false,
			emit: event => {
				events.push(event);
			},
			log: createLogger({
				clock,
				redact: text => text,
				write: ({level, message}) => {
					log.push(`${level} ${message}`);
				},
			}),
			redact: createRedact(() => secrets, {byShape: false}),
			ownMark: createAuthorshipMark(Buffer.alloc(32, 7)),
			metrics: async () => options.metrics?.() ?? '',
			metricsHost: () => options.metricsHost ?? '127.0.0.1',
			environment: () => options.environment ?? {PATH: process.env['PATH'] ?? ''},
		},
		{
			host: options.host ?? '127.0.0.1',
			port: 0,
			maxQueued: () => options.maxQueued ?? 1000,
		},
	);
	const {url} = await receiver.listen();
	const port = Number(new URL(url).port);
	const local = `http://127.0.0.1:${port}`;
	const deliveries = () =>
		events.flatMap(event => (event.type === 'delivery-received' ? [event.delivery] : []));
	const last = () => {
		const delivery = deliveries().at(-1);
		if (!delivery) {
			throw new Error('No delivery was reported');
		}

		return delivery;
	};

	const stored = async () => {
		const delivery = await store.journal.get(last().id);
		if (!delivery) {
			throw new Error('Nothing is stored');
		}

		return delivery;
	};

	return {
		url: local,
		port,
		home,
		scripts,
		clock,
		store,
		receiver,
		events,
		get deliveries() {
			return deliveries();
		},
		woken,
		groups,
		log,
		messages,
		async post(body, headers, path = '/webhooks/hook') {
			const text = typeof body === 'string' ? body : JSON.stringify(body);
			return send(local, {
				method: 'POST',
				path,
				body: text,
				headers: {
					'Content-Type': 'application/json',
					...signV2(secret, text, clock.now()),
					...headers,
				},
			});
		},
		setRoutes(...routes) {
			table = tableOf(routes);
		},
		last,
		stored,
		step: name => last().trace.find(({step}) => step === name)?.detail,
		storedStep: async name => (await stored()).trace.find(({step}) => step === name)?.detail,
		async [Symbol.asyncDispose]() {
			const closing = receiver.close();
			clock.advance(6000);
			await closing;
			await store[Symbol.asyncDispose]();
			await temporary[Symbol.asyncDispose]();
		},
	};
}

const tableOf = (routes: readonly Route[]): RouteTable => ({
	routes: new Map(routes.map(route => [route.name, route])),
	skipped: [],
	invalid: new Map(),
	warnings: [],
	version: 1,
});
