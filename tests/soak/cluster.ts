import {once} from 'node:events';
import {createServer, request, type IncomingMessage, type ServerResponse} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {Client} from 'pg';
import {openTelegramChat} from '../gateway/conversations/telegram-chat.ts';
import {gatewayHome} from '../helpers/gateway.ts';
import {hubSignature} from '../helpers/post.ts';
import {startPostgres, type PostgresServer} from '../helpers/postgres.ts';
import {startSvc} from '../helpers/svc.ts';
import type {TemporaryHome} from '../helpers/temporary-home.ts';

/** What is done to the cluster while senders send. */
export const disturbances = [
	'kill a gateway',
	'kill the database',
	'restart the database',
	'stop a gateway for a while',
	'drain a gateway',
] as const;

export type Disturbance = (typeof disturbances)[number];

export type ClusterReport = {
	readonly disturbed: Readonly<Record<string, number>>;
	/** Events that were answered 202, and repetitions that were answered as duplicates. */
	readonly accepted: number;
	readonly duplicates: number;
	/** Answers 503, and requests without an answer: sent again until they were taken. */
	readonly refused: number;
	readonly unanswered: number;
	/** Runs by how they ended, and messages that arrived. */
	readonly runs: Readonly<Record<string, number>>;
	readonly arrived: number;
	/** Broken promises, one line each. */
	readonly wrong: readonly string[];
};

const clients = 6;
/** A run may wait for its lease to run out, and its member to be gone. */
const maxRestMs = 150_000;
const memberNames = ['a', 'b', 'c'] as const;

/**
 * Three gateways behind a proxy that takes them in turn, on one PostgreSQL; each disturbance in its turn. Whatever was answered 202 is run once and its answer arrives once, or is said to be uncertain.
 * `random` (from 0 to 1) decides the moments.
 */
export async function disturbCluster({
	rounds,
	random,
	kinds = disturbances,
	pauseMs = 10,
	onRound = () => {},
}: {
	readonly rounds: number;
	readonly random: () => number;
	readonly kinds?: readonly Disturbance[];
	/** What each sender waits after an answer. */
	readonly pauseMs?: number;
	readonly onRound?: (round: number, kind: Disturbance) => void;
}): Promise<ClusterReport> {
	await using postgres = await startPostgres();
	await using chat = await openTelegramChat();
	const url = await postgres.create('cluster');
	await using stack = new AsyncDisposableStack();
	const members = await Promise.all(
		memberNames.map(async name => {
			const home = stack.use(await memberHome(name, {url, telegram: chat.settings}));
			return stack.use(createMember(home));
		}),
	);
	// Three that start at once on an empty database.
	await Promise.all(members.map(async member => member.start()));
	const proxy = stack.use(await startProxy(members));
	const senders = createSenders(proxy.url, {random, pauseMs});
	const disturbed: Record<string, number> = {};
	for (let round = 0; round < rounds; round += 1) {
		const kind = kinds[round % kinds.length] ?? 'kill a gateway';
		const member = members[Math.floor(random() * members.length)];
		onRound(round, kind);
		await sleep(300 + random() * 700);
		if (member) {
			await disturb(kind, {member, postgres, random});
		}

		disturbed[kind] = (disturbed[kind] ?? 0) + 1;
	}

	await senders.end();
	return await inspect(url, {
		disturbed,
		senders,
		texts: async () => (await chat.until(() => true)).map(({text}) => text),
	});
}

const memberHome = async (
	name: string,
	{url, telegram}: {readonly url: string; readonly telegram: Record<string, unknown>},
) =>
	gatewayHome({
		config: {
			model: {provider: 'offline', allow_offline_delivery: true},
			gateway: {store: url, node: name},
			runs: {concurrency: 8, max_queued: 10_000},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: 'correct horse battery staple',
					rate_limit: 1_000_000,
					routes: {
						agent: {
							prompt: 'message-{id}-end',
							deliver: 'telegram',
							deliver_extra: {chat_id: '99'},
						},
					},
				},
				telegram: {...telegram, inbound: false},
			},
		},
	});

type Member = AsyncDisposable & {
	/** Where it listens; `undefined` while it does not. */
	url(): string | undefined;
	start(): Promise<void>;
	/** Waits until the process has ended. */
	end(signal: NodeJS.Signals): Promise<void>;
	signal(signal: NodeJS.Signals): void;
};

function createMember(home: TemporaryHome): Member {
	let running: ReturnType<typeof startSvc> | undefined;
	let url: string | undefined;
	const end = async (signal: NodeJS.Signals) => {
		const ending = running;
		url = undefined;
		running = undefined;
		ending?.kill(signal);
		await ending?.finished;
	};

	return {
		url: () => url,
		async start() {
			running = startSvc(['gateway', 'run'], {home: home.path, env: {API_ENABLED: 'false'}});
			[, url] = await running.waitFor(/Listening on (\S+)/);
		},
		end,
		signal(signal) {
			running?.kill(signal);
		},
		async [Symbol.asyncDispose]() {
			await end('SIGKILL');
		},
	};
}

async function disturb(
	kind: Disturbance,
	{
		member,
		postgres,
		random,
	}: {readonly member: Member; readonly postgres: PostgresServer; readonly random: () => number},
): Promise<void> {
	switch (kind) {
		case 'kill a gateway':
			await member.end('SIGKILL');
			await sleep(random() * 1500);
			await member.start();
			break;

		case 'drain a gateway':
			await member.end('SIGTERM');
			await member.start();
			break;

		case 'stop a gateway for a while':
			member.signal('SIGSTOP');
			await sleep(1000 + random() * 4000);
			member.signal('SIGCONT');
			break;

		case 'kill the database':
		case 'restart the database':
			await postgres.kill(kind === 'kill the database' ? 'SIGQUIT' : 'SIGINT');
			await sleep(random() * 2000);
			await postgres.start();
			break;
	}
}

/** Takes the members in turn; one that does not listen, or does not answer in time, is passed over, as a balancer does. */
async function startProxy(
	members: readonly Member[],
): Promise<AsyncDisposable & {readonly url: string}> {
	let turn = 0;
	type Passing = {
		readonly body: Buffer;
		readonly incoming: IncomingMessage;
		readonly response: ServerResponse;
	};
	const pass = (passing: Passing, tries = 0) => {
		const {body, incoming, response} = passing;
		turn += 1;
		const target = members[turn % members.length]?.url();
		const fail = () => {
			if (tries < members.length - 1) {
				pass(passing, tries + 1);
			} else {
				response.writeHead(502).end();
			}
		};
		if (target === undefined) {
			fail();
			return;
		}

		const outgoing = request(
			`${target}${incoming.url}`,
			{method: 'POST', headers: incoming.headers, timeout: 12_000},
			answer => {
				response.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.on('error', () => response.destroy());
				answer.pipe(response);
			},
		);
		outgoing.on('timeout', () => outgoing.destroy(new Error('too late')));
		// What was sent to a member that broke off may have been taken: the sender decides.
		outgoing.on('error', error => {
			if ('code' in error && error.code === 'ECONNREFUSED') {
				fail();
			} else {
				response.destroy();
			}
		});
		outgoing.end(body);
	};

	const server = createServer((incoming, response) => {
		const parts: Buffer[] = [];
		incoming.on('data', (part: Buffer) => parts.push(part));
		incoming.on('end', () => {
			pass({body: Buffer.concat(parts), incoming, response});
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** Senders as code hosts are: what was not answered 202 or 200 is sent again with its identifier; some of what was is sent again all the same. */
function createSenders(
	url: string,
	{random, pauseMs}: {readonly random: () => number; readonly pauseMs: number},
) {
	const accepted = new Set<string>();
	const counts = {duplicates: 0, refused: 0, unanswered: 0};
	const wrong: string[] = [];
	let last = 0;
	let isOver = false;

	const post = async (id: string) => {
		const body = JSON.stringify({id});
		try {
			const response = await fetch(`${url}/webhooks/agent`, {
				method: 'POST',
				body,
				signal: AbortSignal.timeout(15_000),
				headers: {
					'content-type': 'application/json',
					'x-github-event': 'push',
					'x-github-delivery': id,
					'x-hub-signature-256': hubSignature(body),
				},
			});
			await response.text();
			return response.status;
		} catch {
			return 0;
		}
	};

	const deliver = async (id: string) => {
		for (;;) {
			const status = await post(id);
			if (status === 202 || status === 200) {
				accepted.add(id);
				return;
			}

			if (status === 0 || status === 502) {
				counts.unanswered += 1;
			} else if (status === 503) {
				counts.refused += 1;
			} else {
				wrong.push(`${id} was answered ${status}`);
			}

			await sleep(100 + random() * 200);
		}
	};

	const client = async () => {
		// oxlint-disable-next-line no-unmodified-loop-condition -- `end` changes it
		while (!isOver) {
			last += 1;
			const id = `event-${last}`;
			await deliver(id);
			const again = `event-${1 + Math.floor(random() * last)}`;
			if (random() < 0.1 && accepted.has(again)) {
				const status = await post(again);
				counts.duplicates += status === 200 ? 1 : 0;
				if (status === 202) {
					wrong.push(`${again} was accepted twice`);
				}
			}

			await sleep(pauseMs);
		}
	};

	const all = Promise.all(Array.from({length: clients}, client));
	return {
		accepted,
		counts,
		wrong,
		async end() {
			isOver = true;
			await all;
		},
	};
}

/** Waits until nothing is left to do, and compares what was promised, what the database says, and what arrived. */
async function inspect(
	url: string,
	{
		disturbed,
		senders: {accepted, counts, wrong},
		texts,
	}: {
		readonly disturbed: Readonly<Record<string, number>>;
		readonly senders: ReturnType<typeof createSenders>;
		readonly texts: () => Promise<readonly string[]>;
	},
): Promise<ClusterReport> {
	const client = new Client({connectionString: url});
	await client.connect();
	try {
		const until = Date.now() + maxRestMs;
		const left = async () =>
			(
				await client.query<{id: string; state: string}>(
					'select id, state from run where finished_at is null limit 5',
				)
			).rows;
		while ((await left()).length > 0 && Date.now() < until) {
			await sleep(500);
		}

		const rows = (
			await client.query<{name: string; state: string; error: string | null}>(
				`select delivery.delivery_id as name, run.state, run.error from run join delivery on delivery.id = run.delivery`,
			)
		).rows;
		const runsOf = Map.groupBy(rows, ({name}) => name);
		const shown = new Map<string, number>();
		for (const text of await texts()) {
			const [, name] = /message-(event-\d+)-end/.exec(text) ?? [];
			if (name !== undefined) {
				shown.set(name, (shown.get(name) ?? 0) + 1);
			}
		}

		const problemOf = (name: string): string | undefined => {
			const runs = runsOf.get(name) ?? [];
			const arrived = shown.get(name) ?? 0;
			const [run] = runs;
			if (!run || runs.length > 1) {
				return `has ${runs.length} runs`;
			}

			if (arrived > 1) {
				return `arrived ${arrived} times (${run.state})`;
			}

			const isWell =
				(run.state === 'done' && arrived === 1) ||
				run.state === 'uncertain' ||
				run.state === 'interrupted';
			return isWell ? undefined : `is ${run.state} (${run.error ?? ''}), arrived ${arrived} times`;
		};

		const names = new Set([...accepted, ...runsOf.keys()]);
		const states: Record<string, number> = {};
		for (const {state} of rows) {
			states[state] = (states[state] ?? 0) + 1;
		}

		return {
			disturbed,
			accepted: accepted.size,
			...counts,
			runs: states,
			arrived: [...shown.values()].reduce((sum, count) => sum + count, 0),
			wrong: [
				...wrong,
				...[...names].flatMap(name => {
					const problem = problemOf(name);
					return problem === undefined ? [] : [`${name} ${problem}`];
				}),
			],
		};
	} finally {
		await client.end();
	}
}
