import {once} from 'node:events';
import {createServer, request, type IncomingMessage, type ServerResponse} from 'node:http';
import type {JsonObject} from '../../../source/core/json.ts';
import {gatewayHome} from '../../helpers/gateway.ts';
import {hookSecret, hubSignature} from '../../helpers/post.ts';
import {startSvc} from '../../helpers/svc.ts';
import type {TemporaryHome} from '../../helpers/temporary-home.ts';

export const memberNames = ['a', 'b', 'c'] as const;

export type Member = AsyncDisposable & {
	readonly name: string;
	/** Where it listens; `undefined` while it does not. */
	readonly url: () => string | undefined;
	/** Resolves once it listens. */
	readonly start: () => Promise<void>;
	/** Resolves once it prints that; `start` resolves later. */
	readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>;
	/** Waits until the process has ended. */
	readonly end: (signal: NodeJS.Signals) => Promise<void>;
	readonly signal: (signal: NodeJS.Signals) => void;
	/** What went wrong with its processes besides what was done to them: ends of their own, and errors that were not caught. */
	readonly faults: () => readonly string[];
};

/** Three gateways of the bundle with the names a, b and c, not started. */
export type Rig = AsyncDisposable & {readonly members: readonly Member[]};

/** `urlOf`: that of the database, as a member sees it. `sections`: of `config.yaml`, besides; `webhook`: settings of the receiver; `differs`: what one member has otherwise. */
export async function openRig({
	urlOf,
	webhook,
	sections = {},
	differs = {},
}: {
	readonly urlOf: (name: string) => string;
	readonly webhook: JsonObject;
	readonly sections?: JsonObject;
	readonly differs?: Readonly<Record<string, JsonObject>>;
}): Promise<Rig> {
	await using stack = new AsyncDisposableStack();
	const {platforms, ...others} = sections;
	const members = await Promise.all(
		memberNames.map(async name => {
			const home = await gatewayHome({
				config: {
					model: {provider: 'offline', allow_offline_delivery: true},
					runs: {concurrency: 8, max_queued: 10_000},
					...others,
					...differs[name],
					gateway: {store: urlOf(name), node: name},
					platforms: {
						webhook: {
							enabled: true,
							host: '127.0.0.1',
							port: 0,
							secret: hookSecret,
							rate_limit: 1_000_000,
							...webhook,
						},
						...(platforms as JsonObject | undefined),
					},
				},
			});
			stack.use(home);
			return stack.use(createMember(name, home));
		}),
	);
	const moved = stack.move();
	return {members, [Symbol.asyncDispose]: async () => moved.disposeAsync()};
}

function createMember(name: string, home: TemporaryHome): Member {
	let running: ReturnType<typeof startSvc> | undefined;
	let url: string | undefined;
	let printed = '';
	const faults: string[] = [];
	const end = async (signal: NodeJS.Signals) => {
		const ending = running;
		url = undefined;
		running = undefined;
		ending?.kill(signal);
		await ending?.finished;
	};

	const follow = (started: ReturnType<typeof startSvc>) => {
		void started.finished.then(({code, stdout, stderr}) => {
			printed += stdout + stderr;
			if (running === started) {
				url = undefined;
				faults.push(`gateway ${name} ended by itself with ${code}: ${stderr.slice(0, 1500)}`);
			}
		});
	};

	return {
		name,
		url: () => url,
		async start() {
			const started = startSvc(['gateway', 'run'], {
				home: home.path,
				env: {API_ENABLED: 'false'},
			});
			running = started;
			follow(started);
			[, url] = await started.waitFor(/Listening on (\S+)/);
		},
		async prints(pattern) {
			if (!running) {
				throw new Error(`gateway ${name} does not run`);
			}

			return running.waitFor(pattern);
		},
		end,
		signal(signal) {
			running?.kill(signal);
		},
		faults: () => [
			...faults,
			...[...(printed + (running?.output() ?? '')).matchAll(/.*(?:unhandled|uncaught).*/gi)].map(
				([line]) => `gateway ${name} printed: ${line}`,
			),
		],
		async [Symbol.asyncDispose]() {
			await end('SIGKILL');
		},
	};
}

/** Posts a signed event as a code host does; its status, 0 without an answer, and how long that took, milliseconds. */
export async function postEvent(
	url: string,
	{
		route,
		id,
		body = {id},
	}: {readonly route: string; readonly id: string; readonly body?: JsonObject},
): Promise<{readonly status: number; readonly text: string; readonly tookMs: number}> {
	const text = JSON.stringify(body);
	const start = performance.now();
	const took = () => performance.now() - start;
	try {
		const response = await fetch(`${url}/webhooks/${route}`, {
			method: 'POST',
			body: text,
			signal: AbortSignal.timeout(15_000),
			headers: {
				'content-type': 'application/json',
				'x-github-event': 'push',
				'x-github-delivery': id,
				'x-hub-signature-256': hubSignature(text),
			},
		});
		return {text: await response.text(), status: response.status, tookMs: took()};
	} catch {
		return {status: 0, text: '', tookMs: took()};
	}
}

/** Takes the members in turn; one that does not listen, or does not answer in time, is passed over, as a balancer does. */
export async function startProxy(
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
