import {randomUUID} from 'node:crypto';
import {createWriteStream, type WriteStream} from 'node:fs';
import {Agent, request} from 'node:http';
import {hubSignature, pushExample} from '../example.ts';
import {percentileOf} from '../statistics.ts';

// Sends signed events at an even pace, a process of its own: one in twenty is accepted and becomes a run that is answered to the log, the
// others do not pass a filter. Asked anything, it says the answer times since it was asked last.

export type SteadyOrder = {
	readonly port: number;
	readonly perSecond: number;
	/** A file that gets the identifier of each event that was accepted (202), a line each. */
	readonly accepted?: string;
};

export type SteadyResult = {
	readonly sent: number;
	readonly failed: number;
	/** Why, each with how often: a status, or the code of a connection. */
	readonly reasons: Readonly<Record<string, number>>;
	readonly p50Ms: number;
	readonly p99Ms: number;
};

const body = pushExample();
const signature = hubSignature(body);
const agent = new Agent({keepAlive: true, maxSockets: 8});
const acceptEvery = 20;
const tickMs = 5;
let latencies: number[] = [];
let [sent, failed] = [0, 0];
let reasons: Record<string, number> = {};
let accepted: WriteStream | undefined;

const fail = (reason: string) => {
	failed += 1;
	reasons[reason] = (reasons[reason] ?? 0) + 1;
};

function send(port: number): void {
	sent += 1;
	const id = randomUUID();
	const start = performance.now();
	const outgoing = request(
		{
			agent,
			port,
			host: '127.0.0.1',
			method: 'POST',
			path: sent % acceptEvery === 0 ? '/webhooks/releases' : '/webhooks/pushes',
			headers: {
				'Content-Type': 'application/json',
				'Content-Length': body.length,
				'X-GitHub-Event': 'push',
				'X-GitHub-Delivery': id,
				'X-Hub-Signature-256': signature,
			},
		},
		answer => {
			answer.resume();
			answer.on('end', () => {
				latencies.push(performance.now() - start);
				if (answer.statusCode !== 200 && answer.statusCode !== 202) {
					fail(String(answer.statusCode));
				}

				if (answer.statusCode === 202) {
					accepted?.write(`${id}\n`);
				}
			});
		},
	);
	outgoing.on('error', (error: NodeJS.ErrnoException) => {
		fail(
			`${error.code ?? error.message}${outgoing.reusedSocket ? ' on a connection that was used before' : ''}`,
		);
	});
	outgoing.end(body);
}

function keepSending({port, perSecond, accepted: file}: SteadyOrder): void {
	accepted = file === undefined ? undefined : createWriteStream(file);
	const begin = performance.now();
	let due = 0;
	setInterval(() => {
		const wanted = ((performance.now() - begin) / 1000) * perSecond;
		for (; due < wanted; due += 1) {
			send(port);
		}
	}, tickMs);
}

process.on('message', (order: SteadyOrder | 'report') => {
	if (order !== 'report') {
		keepSending(order);
		return;
	}

	const result: SteadyResult = {
		sent: latencies.length,
		failed,
		reasons,
		p50Ms: percentileOf(latencies, 0.5),
		p99Ms: percentileOf(latencies, 0.99),
	};
	latencies = [];
	failed = 0;
	reasons = {};
	process.send?.(result);
});
process.on('disconnect', () => {
	if (!accepted) {
		process.exit();
	}

	const file = accepted;
	// What is answered from here on, nobody asks about.
	accepted = undefined;
	file.end(() => {
		process.exit();
	});
});
