import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {nodeFlags} from '../../../source/core/node-flags.ts';
import {openPty} from '../../../tests/helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../../../tests/helpers/svc.ts';
import {secret} from '../example.ts';
import {answering, freePort} from '../free-port.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import {storeDeliveries} from './stored-deliveries.ts';

const storedCounts = [0, 5000] as const;
const giveUpMs = 20_000;

type Sample = {
	readonly command: 'node -e 0' | 'svc' | 'svc gateway run';
	readonly cache: 'cold' | 'warm' | '';
	readonly stored: number;
	/** From the start of the process to the first frame in the terminal. */
	readonly frameMs?: number;
	/** To the first 200 of `/health`; for `node -e 0` to its end. */
	readonly readyMs: number;
};

const configOf = (port: number) => `model: {provider: offline}
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: ${port}
    secret: ${secret}
    routes:
      hook: {events: [push], prompt: "{ref}"}
`;

/**
 * From the start of the process to the first frame and to an answer of `/health`. "cold": without the cache of compiled code that the program
 * keeps in its data directory, as on the first start; "warm": with it.
 */
export async function benchStart({rounds = 10, profile}: BenchOptions): Promise<Report> {
	const samples: Sample[] = [];
	for (const stored of storedCounts) {
		const port = await freePort();
		using home = makeHome(configOf(port));
		progress(`storing ${stored} deliveries`);
		await storeDeliveries(home.path, stored);
		const world = {home: home.path, port, stored, profile};
		// The first start makes the folder of the cache, the second one fills it.
		await startScreen({...world, cache: 'warm'});
		await startScreen({...world, cache: 'warm'});
		await startHeadless({...world, cache: 'warm'});
		for (let round = 1; round <= rounds; round++) {
			progress(`round ${round} of ${rounds}, ${stored} stored deliveries`);
			samples.push(await startNothing(stored));
			for (const cache of ['warm', 'cold'] as const) {
				samples.push(await startScreen({...world, cache}));
				samples.push(await startHeadless({...world, cache}));
			}
		}
	}

	return {
		title: `start: terminal of 120x36, ${rounds} rounds; medians`,
		lines: linesOf(samples),
		notes: [
			'"first frame": from the start of the process until the tabs of the screen stand in the terminal; "listening": until /health answers 200.',
			'"cold" is without the cache of compiled code (svc keeps it in its data directory), "warm" with it; the files themselves are in the page cache of the machine.',
			'goals: first frame at most 300 ms, 5,000 stored deliveries add at most 50 ms, listening at most 600 ms.',
		],
		data: samples,
	};
}

type World = {
	readonly home: string;
	readonly port: number;
	readonly stored: number;
	readonly cache: 'cold' | 'warm';
	readonly profile: string | undefined;
};

async function startNothing(stored: number): Promise<Sample> {
	const start = performance.now();
	await once(spawn(process.execPath, ['-e', '0'], {stdio: 'ignore'}), 'exit');
	return {command: 'node -e 0', cache: '', stored, readyMs: performance.now() - start};
}

const environmentOf = ({home, cache}: World) => {
	if (cache === 'cold') {
		rmSync(join(home, 'cache', 'compiled'), {recursive: true, force: true});
	}

	return {
		...svcEnvironment({home}),
		...(cache === 'cold' && {NODE_DISABLE_COMPILE_CACHE: '1'}),
	};
};

const argumentsOf = ({profile}: World, ...args: readonly string[]) => [
	...nodeFlags,
	...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
	svcCommand[1],
	...args,
];

async function startScreen(world: World): Promise<Sample> {
	const {port, stored, cache} = world;
	const env = environmentOf(world);
	const start = performance.now();
	await using terminal = openPty(process.execPath, argumentsOf(world), {env});
	const [frameMs, readyMs] = await Promise.all([
		terminal.waitForText('Traffic', giveUpMs).then(() => performance.now() - start),
		answering(port).then(() => performance.now() - start),
	]);
	terminal.kill('SIGTERM');
	await terminal.exited;
	return {command: 'svc', cache, stored, frameMs, readyMs};
}

async function startHeadless(world: World): Promise<Sample> {
	const {port, stored, cache} = world;
	const env = environmentOf(world);
	const start = performance.now();
	const child = spawn(process.execPath, argumentsOf(world, 'gateway', 'run'), {
		env,
		stdio: 'ignore',
	});
	const exited = once(child, 'exit');
	try {
		await answering(port);
		return {command: 'svc gateway run', cache, stored, readyMs: performance.now() - start};
	} finally {
		child.kill('SIGTERM');
		await exited;
	}
}

function linesOf(samples: readonly Sample[]): readonly Line[] {
	const groups = Map.groupBy(
		samples,
		({command, cache, stored}) => `${command} ${cache} ${stored}`,
	);
	return [...groups.values()].flatMap(group => {
		const [first] = group;
		if (!first) {
			return [];
		}

		const {command, cache, stored} = first;
		const frames = group.flatMap(({frameMs}) => (frameMs === undefined ? [] : [frameMs]));
		const ready = group.map(({readyMs}) => readyMs);
		return [
			{
				stored,
				command,
				cache,
				'first frame ms': frames.length > 0 ? Math.round(median(frames)) : '',
				'best frame ms': frames.length > 0 ? Math.round(Math.min(...frames)) : '',
				'listening ms': Math.round(median(ready)),
				'best ms': Math.round(Math.min(...ready)),
			},
		];
	});
}
