import {randomUUID} from 'node:crypto';
import {Agent, request} from 'node:http';
import {hubSignature, pushExample} from '../example.ts';
import {percentileOf} from '../statistics.ts';

// Sends signed events at an even pace, a process of its own: one in twenty is accepted and becomes a run that is answered to the log, the
// others do not pass a filter. Asked anything, it says the answer times since it was asked last.

export type SteadyOrder = {readonly port: number; readonly perSecond: number};

export type SteadyResult = {
	readonly sent: number;
	readonly failed: number;
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

function send(port: number): void {
	sent += 1;
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
				'X-GitHub-Delivery': randomUUID(),
				'X-Hub-Signature-256': signature,
			},
		},
		answer => {
			answer.resume();
			answer.on('end', () => {
				latencies.push(performance.now() - start);
				failed += answer.statusCode === 200 || answer.statusCode === 202 ? 0 : 1;
			});
		},
	);
	outgoing.on('error', () => {
		failed += 1;
	});
	outgoing.end(body);
}

function keepSending({port, perSecond}: SteadyOrder): void {
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
		p50Ms: percentileOf(latencies, 0.5),
		p99Ms: percentileOf(latencies, 0.99),
	};
	latencies = [];
	failed = 0;
	process.send?.(result);
});
process.on('disconnect', () => {
	process.exit();
});
