import {fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import type {ClientOrder, ClientResult} from './messages.ts';

const count = 20;

type Sample = {readonly name: string; readonly result: ClientResult};

/**
 * What the manager of tool servers adds to a call of the bare SDK over stdio, and what 20 servers cost at the start: from the cache and connected. Every
 * measurement has a process of its own; a round measures all of them in turn.
 */
export async function benchMcp({rounds = 5, seconds = 3}: BenchOptions): Promise<Report> {
	using home = makeHome('');
	const samples: Sample[] = [];
	const measure = async (name: string, order: ClientOrder) => {
		progress(name);
		samples.push({name, result: await run(order, home.path)});
	};

	// Fills the cache that lazy servers start from.
	await run({kind: 'servers', lazy: true, count, home: home.path}, home.path);
	for (let round = 1; round <= rounds; round++) {
		progress(`round ${round} of ${rounds}`);
		// oxlint-disable no-await-in-loop -- one after the other: they share the machine
		await measure('call, bare SDK', {kind: 'calls', through: 'sdk', seconds});
		await measure('call, manager', {kind: 'calls', through: 'manager', seconds});
		await measure(`${count} lazy`, {kind: 'servers', lazy: true, count, home: home.path});
		await measure(`${count} eager`, {kind: 'servers', lazy: false, count, home: home.path});
		// oxlint-enable no-await-in-loop
	}

	return {
		title: `tool servers: server-everything over stdio, ${rounds} rounds; medians`,
		lines: [...Map.groupBy(samples, ({name}) => name)].map(([name, group]) => lineOf(name, group)),
		notes: [
			'"call": echo, one after the other; "cpu us": of the client for each call. The difference of the two p50 is what the manager adds: goal at most 0.1 ms.',
			'"load ms": the code of the tool servers, as separate source files; the bundled program loads it faster. "ready ms": until the tools of all servers can be used; goal for lazy ones at most 50 ms.',
			'"client MB": how much the client grew; "servers MB": resident memory of the server processes together.',
		],
		data: samples,
	};
}

async function run(order: ClientOrder, home: string): Promise<ClientResult> {
	const child = fork(fileURLToPath(new URL('client-process.ts', import.meta.url)), {
		execArgv: [],
		env: {PATH: process.env['PATH'], HOME: home, NODE_ENV: 'production'},
	});
	child.send({...order, home});
	const gone = once(child, 'exit').then(([code]) => {
		throw new Error(`the client ended with ${String(code)}`);
	});
	const [result] = (await Promise.race([once(child, 'message'), gone])) as [ClientResult];
	await gone.catch(() => {});
	return result;
}

function lineOf(name: string, group: readonly Sample[]): Line {
	const calls = group.flatMap(({result}) => (result.kind === 'calls' ? [result] : []));
	const servers = group.flatMap(({result}) => (result.kind === 'servers' ? [result] : []));
	if (calls.length > 0) {
		return {
			what: name,
			'p50 ms': median(calls.map(({p50Ms}) => p50Ms)).toFixed(3),
			'p99 ms': median(calls.map(({p99Ms}) => p99Ms)).toFixed(2),
			'cpu us': median(calls.map(({cpuMicros}) => cpuMicros)).toFixed(0),
		};
	}

	return {
		what: name,
		tools: median(servers.map(({tools}) => tools)),
		'load ms': median(servers.map(({loadMs}) => loadMs)).toFixed(0),
		'ready ms': median(servers.map(({readyMs}) => readyMs)).toFixed(0),
		'client MB': median(servers.map(({afterMb, beforeMb}) => afterMb - beforeMb)),
		'servers MB': median(servers.map(({serversMb}) => serversMb)),
	};
}
