import {fork} from 'node:child_process';
import {once} from 'node:events';
import {Agent, request} from 'node:http';
import {fileURLToPath} from 'node:url';
import {gatewayHome} from '../helpers/gateway.ts';
import {hookSecret, hubSignature} from '../helpers/post.ts';
import {startSvc} from '../helpers/svc.ts';

export type IdleReport = {
	/** Idle connections that somebody wants to hold, how many were open in the end, and how often one was opened. */
	readonly wanted: number;
	readonly open: number;
	readonly opened: number;
	/** Events of honest senders meanwhile, and those of them that were not answered 202, by what happened instead. */
	readonly honest: number;
	readonly failures: Readonly<Record<string, number>>;
	readonly latenciesMs: readonly number[];
	/** What the receiver says of it. */
	readonly evicted: number;
	readonly dropped: number;
};

const holdingProgram = fileURLToPath(new URL('holding-program.ts', import.meta.url));

const body = '{"n":1}';

const pauseMs = 25;

/**
 * Holds `connections` idle connections against a gateway, all from the address that honest senders have, too, and opens each again that is closed, for `seconds`. Meanwhile honest senders send, some on one
 * connection, some on a new one for each event.
 */
export async function idleClients({
	connections,
	seconds,
}: {
	readonly connections: number;
	readonly seconds: number;
}): Promise<IdleReport> {
	await using home = await gatewayHome({
		config: {
			model: {provider: 'offline'},
			runs: {max_queued: 1_000_000},
			platforms: {
				webhook: {
					enabled: true,
					host: '127.0.0.1',
					port: 0,
					secret: hookSecret,
					rate_limit: 1_000_000,
				},
			},
		},
		subscriptions: {
			hook: {coalesce: {key: 'n', window_seconds: 3600, max_wait_seconds: 7200}},
		},
	});
	await using gateway = startSvc(['gateway', 'run'], {home: home.path});
	const [, url = ''] = await gateway.waitFor(/Listening on (\S+)/);
	const holder = fork(holdingProgram, [new URL(url).port, String(connections)]);
	try {
		const endsAt = performance.now() + seconds * 1000;
		const failures: Record<string, number> = {};
		const latenciesMs: number[] = [];
		const sender = async (agent: Agent | false) => {
			while (performance.now() < endsAt) {
				const sentAt = performance.now();
				const answer = await send(`${url}/webhooks/hook`, agent);
				latenciesMs.push(performance.now() - sentAt);
				if (answer !== '202') {
					failures[answer] = (failures[answer] ?? 0) + 1;
				}

				await new Promise(resolve => {
					setTimeout(resolve, pauseMs);
				});
			}
		};
		const agents = [false, false, new Agent({keepAlive: true}), new Agent({keepAlive: true})];
		await Promise.all(agents.map(async agent => sender(agent as Agent | false)));
		holder.send('ask');
		const [{open, opened}] = (await once(holder, 'message')) as [{open: number; opened: number}];
		holder.disconnect();
		const metrics = await (await fetch(`${url}/metrics`)).text();
		const count = (name: string) =>
			Number(new RegExp(`^svc_webhook_${name}_connections_total (\\d+)$`, 'm').exec(metrics)?.[1]);
		return {
			wanted: connections,
			open,
			opened,
			honest: latenciesMs.length,
			failures,
			latenciesMs,
			evicted: count('evicted'),
			dropped: count('rejected'),
		};
	} finally {
		holder.kill('SIGKILL');
	}
}

/** The status, or what went wrong. */
async function send(url: string, agent: Agent | false): Promise<string> {
	return new Promise(resolve => {
		const outgoing = request(
			url,
			{
				method: 'POST',
				agent,
				headers: {
					'content-type': 'application/json',
					'content-length': body.length,
					'x-hub-signature-256': hubSignature(body),
				},
			},
			response => {
				response.resume().on('end', () => {
					resolve(String(response.statusCode));
				});
			},
		);
		outgoing.on('error', error => {
			resolve(error.message);
		});
		outgoing.end(body);
	});
}
