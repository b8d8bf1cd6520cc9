import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {nodeFlags} from '../../../source/core/program.ts';
import {openPty} from '../../../tests/helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../../../tests/helpers/svc.ts';
import {secret} from '../example.ts';
import {answering, freePort} from '../free-port.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median} from '../statistics.ts';
import {storeDeliveries} from './stored-deliveries.ts';

const giveUpMs = 20_000;

/** Goals, as multiples of `node -e 0` in the same round. */
const goals = {frame: 3, ready: 4} as const;

type Sample = {
	readonly command: 'node -e 0' | 'svc' | 'svc gateway run';
	readonly build: string;
	readonly cache: 'cold' | 'warm' | '';
	readonly stored: number | '';
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
 * From the start of the process to the first frame and to an answer of `/health`, for homes with nothing and with much in the journal, in turn. "cold": without the cache of compiled code that the
 * program keeps in its data directory, as on the first start; "warm": with it. With `before`, another built checkout starts beside this one, with nothing in its journal.
 */
export async function benchStart({
	rounds = 15,
	rows = 200_000,
	profile,
	before,
}: BenchOptions): Promise<Report> {
	const samples: Sample[] = [];
	await using stack = new AsyncDisposableStack();
	const builds = [
		{build: 'this', main: svcCommand[1]},
		...(before === undefined ? [] : [{build: 'before', main: resolve(before, 'build', 'main.js')}]),
	];
	const worlds: World[] = [];
	for (const {build, main} of builds) {
		// Another program may not know the schema of this one's journal: its home is empty.
		for (const stored of build === 'this' ? [0, 5000, rows] : [0]) {
			const port = await freePort();
			const home = stack.use(makeHome(configOf(port)));
			progress(`storing ${stored} deliveries`);
			if (stored > 0) {
				await storeDeliveries(home.path, stored);
			}

			worlds.push({home: home.path, port, stored, profile, cache: 'warm', build, main});
		}
	}

	// The first start makes the folder of the cache, the second one fills it.
	for (const world of worlds) {
		await startScreen(world);
		await startScreen(world);
		await startHeadless(world);
	}

	for (let round = 1; round <= rounds; round++) {
		progress(`round ${round} of ${rounds}`);
		samples.push(await startNothing());
		for (const world of worlds) {
			samples.push(await startScreen(world), await startHeadless(world));
		}
	}

	for (const world of worlds.filter(({stored}) => stored === 0)) {
		for (let round = 1; round <= Math.ceil(rounds / 3); round++) {
			const cold = {...world, cache: 'cold'} as const;
			samples.push(await startScreen(cold), await startHeadless(cold));
		}
	}

	return {
		title: `start: terminal of 120x36, ${rounds} rounds; medians`,
		lines: linesOf(samples),
		notes: [
			'"first frame": from the start of the process until the tabs of the screen stand in the terminal; "/health": until it answers 200; "×": multiples of "node -e 0" in the same run.',
			'"cold" is without the cache of compiled code (svc keeps it in its data directory), "warm" with it; the files themselves are in the page cache of the machine.',
			`goals: first frame at most ${goals.frame} ×, /health of "svc gateway run" at most ${goals.ready} ×, whatever is stored.`,
		],
		data: samples,
	};
}

type World = {
	/** The program's `main.js`. */
	readonly main: string;
	readonly build: string;
	readonly home: string;
	readonly port: number;
	readonly stored: number;
	readonly cache: 'cold' | 'warm';
	readonly profile: string | undefined;
};

async function startNothing(): Promise<Sample> {
	const start = performance.now();
	await once(spawn(process.execPath, ['-e', '0'], {stdio: 'ignore'}), 'exit');
	return {
		command: 'node -e 0',
		build: '',
		cache: '',
		stored: '',
		readyMs: performance.now() - start,
	};
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

const argumentsOf = ({profile, main}: World, ...args: readonly string[]) => [
	...nodeFlags,
	...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
	main,
	...args,
];

async function startScreen(world: World): Promise<Sample> {
	const {port, stored, cache, build} = world;
	const env = environmentOf(world);
	const start = performance.now();
	await using terminal = openPty(process.execPath, argumentsOf(world), {env});
	const [frameMs, readyMs] = await Promise.all([
		terminal.waitForText('Traffic', giveUpMs).then(() => performance.now() - start),
		answering(port).then(() => performance.now() - start),
	]);
	terminal.kill('SIGTERM');
	await terminal.exited;
	return {command: 'svc', build, cache, stored, frameMs, readyMs};
}

async function startHeadless(world: World): Promise<Sample> {
	const {port, stored, cache, build} = world;
	const env = environmentOf(world);
	const start = performance.now();
	const child = spawn(process.execPath, argumentsOf(world, 'gateway', 'run'), {
		env,
		stdio: 'ignore',
	});
	const exited = once(child, 'exit');
	try {
		await answering(port);
		return {command: 'svc gateway run', build, cache, stored, readyMs: performance.now() - start};
	} finally {
		child.kill('SIGTERM');
		await exited;
	}
}

function linesOf(samples: readonly Sample[]): readonly Line[] {
	const nothing = median(
		samples.filter(({command}) => command === 'node -e 0').map(({readyMs}) => readyMs),
	);
	const times = (ms: number) => (ms / nothing).toFixed(1);
	const groups = Map.groupBy(
		samples,
		({command, build, cache, stored}) => `${command} ${cache} ${stored} ${build}`,
	);
	return [...groups.values()].flatMap(group => {
		const [first] = group;
		if (!first) {
			return [];
		}

		const {command, build, cache, stored} = first;
		const frames = group.flatMap(({frameMs}) => (frameMs === undefined ? [] : [frameMs]));
		const ready = median(group.map(({readyMs}) => readyMs));
		return [
			{
				command,
				build,
				cache,
				stored,
				'first frame ms': frames.length > 0 ? Math.round(median(frames)) : '',
				'frame ×': frames.length > 0 ? times(median(frames)) : '',
				'/health ms': Math.round(ready),
				'/health ×': times(ready),
			},
		];
	});
}
