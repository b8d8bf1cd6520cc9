import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as wait} from 'node:timers/promises';
import {nodeFlags} from '../../../source/core/program.ts';
import {openPty, type Pty} from '../../../tests/helpers/pty.ts';
import {svcCommand, svcEnvironment} from '../../../tests/helpers/svc.ts';
import {busyConfig} from '../busy-config.ts';
import {answering, freePort, loopDelayMs} from '../free-port.ts';
import {makeHome} from '../home.ts';
import type {BenchOptions} from '../main.ts';
import {rssMbOf} from '../process-usage.ts';
import {progress, type Line, type Report} from '../report.ts';
import {median, percentileOf} from '../statistics.ts';
import {measureCpu, rounds, startFloor, type Cpu, type Floor} from './measure-cpu.ts';
import {reportWhole, startLoad, type Load} from './start-load.ts';

const perSecond = 200;
const settleMs = 3000;
/** A start is not idleness: V8 compiles and sweeps for a while after it. */
const idleSettleMs = 20_000;
/** Pressed in less time than the load takes to push the rows under the cursor out of memory. */
const keys = 60;
const frameMark = '\u001b[?2026h';

/** What the process did during one stretch of time. */
type Phase = {
	readonly cpu: Cpu;
	readonly framesPerSecond: number;
	readonly bytesPerFrame: number;
	readonly bytesPerSecond: number;
	/** Highest value of the status row. */
	readonly loopP99Ms: number;
	readonly requestP99Ms: number;
	readonly rssMb: number;
};

/** The screen of the real program in a terminal of 120x36 under an even load of signed events, and the same gateway without a screen. */
export async function benchTui({seconds = 30, profile}: BenchOptions): Promise<Report> {
	const port = await freePort();
	using home = makeHome(busyConfig({port}));
	// Without colours a frame would be cheaper than what people see.
	const env = {...svcEnvironment({home: home.path}), FORCE_COLOR: '3'};
	const flags = [
		...nodeFlags,
		...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
	];

	progress('headless, for comparison');
	const headless = await measureHeadless({port, seconds, env, flags});

	await using terminal = openPty(process.execPath, [...flags, svcCommand[1]], {env});
	await terminal.waitForText('Traffic');
	await answering(port);
	await wait(idleSettleMs);
	progress('idle');
	const idle = await measureScreen(terminal, seconds, {port});

	await using load = startLoad({port, perSecond});
	await using floor = await startFloor(perSecond);
	await wait(settleMs);
	progress('follow');
	await reportWhole(load);
	const follow = await measureScreen(terminal, seconds, {port, load, floor});
	progress('keys, follow');
	const followKeys = await pressKeys(terminal);
	// The keys paused the list already: another space would let it go on.
	terminal.press('f', 'space');
	await terminal.waitForText('paused');
	await wait(1000);
	progress('paused');
	await reportWhole(load);
	const paused = await measureScreen(terminal, seconds, {port, load, floor});
	progress('keys, paused');
	// Where it was paused is the oldest row by now, above which no key leads.
	terminal.press('f', 'space');
	const pausedKeys = await pressKeys(terminal);
	terminal.kill('SIGTERM');
	await terminal.exited;

	const phases = {headless, idle, follow, paused};
	const latencies = {follow: followKeys, paused: pausedKeys};
	return {
		title: `tui: terminal of 120x36, ${perSecond} signed events/s, ${seconds} s each`,
		lines: linesOf(phases, latencies),
		notes: [
			`CPU is user and system time of the whole process, gateway included, in percent of one core: the best and the median of ${rounds} parts of the time; "headless" is svc gateway run under the same load.`,
			'The floor is a server that checks the signature, parses the body and commits it to SQLite, and nothing else, under as many events of its own in the same seconds.',
			`Idle begins ${idleSettleMs / 1000} s after the start.`,
			`One event in twenty is accepted and becomes a run of the offline engine; the rest do not pass a filter.`,
			`A key counts from its write to the pseudo terminal until the emulator shows the selection in another row; ${keys} keys at random gaps.`,
		],
		data: {phases, latencies},
	};
}

async function measureHeadless({
	port,
	seconds,
	env,
	flags,
}: {
	port: number;
	seconds: number;
	env: Readonly<Record<string, string>>;
	flags: readonly string[];
}): Promise<Phase> {
	const child = spawn(process.execPath, [...flags, svcCommand[1], 'gateway', 'run'], {
		env,
		stdio: 'ignore',
	});
	const exited = once(child, 'exit');
	try {
		await answering(port);
		await using load = startLoad({port, perSecond});
		await using floor = await startFloor(perSecond);
		await wait(settleMs);
		await reportWhole(load);
		const {pid = 0} = child;
		return {
			cpu: await measureCpu({pid, floor}, seconds),
			framesPerSecond: 0,
			bytesPerFrame: 0,
			bytesPerSecond: 0,
			loopP99Ms: Number.NaN,
			requestP99Ms: (await reportWhole(load)).p99Ms,
			rssMb: rssMbOf(pid),
		};
	} finally {
		child.kill('SIGTERM');
		await exited;
	}
}

async function measureScreen(
	terminal: Pty,
	seconds: number,
	{port, load, floor}: {readonly port: number; readonly load?: Load; readonly floor?: Floor},
): Promise<Phase> {
	const asked: Array<Promise<number | undefined>> = [];
	const before = terminal.written().length;
	const start = performance.now();
	const cpu = await measureCpu({pid: terminal.pid, floor}, seconds, () => {
		asked.push(loopDelayMs(port));
	});

	const lasted = (performance.now() - start) / 1000;
	const text = terminal.written().slice(before);
	const bytes = Buffer.byteLength(text);
	const frames = text.split(frameMark).length - 1;
	const loop = (await Promise.all(asked)).filter(ms => ms !== undefined);
	return {
		cpu,
		framesPerSecond: frames / lasted,
		bytesPerFrame: frames === 0 ? 0 : bytes / frames,
		bytesPerSecond: bytes / lasted,
		loopP99Ms: loop.length === 0 ? Number.NaN : Math.max(...loop),
		requestP99Ms: load ? (await reportWhole(load)).p99Ms : Number.NaN,
		rssMb: rssMbOf(terminal.pid),
	};
}

const selectedRow = (lines: readonly string[]) => lines.findIndex(line => line.startsWith('>'));

/** Times from a key to its effect on the screen, milliseconds. */
async function pressKeys(terminal: Pty): Promise<readonly number[]> {
	const times: number[] = [];
	terminal.press('k', 'k', 'k');
	await terminal.waitFor(lines => selectedRow(lines) !== -1);
	for (let pressed = 0; pressed < keys; pressed += 1) {
		await wait(50 + Math.random() * 200);
		const before = selectedRow(terminal.lines());
		const start = performance.now();
		terminal.press(pressed % 2 === 0 ? 'k' : 'j');
		await terminal.waitFor(lines => selectedRow(lines) !== before);
		times.push(performance.now() - start);
	}

	return times;
}

const figure = (value: number, digits = 1) => (Number.isNaN(value) ? '' : value.toFixed(digits));

const best = (values: readonly number[], digits = 1) =>
	`${figure(Math.min(...values), digits)} / ${figure(median(values), digits)}`;

const cpuLines = (
	{row, name, goal}: {readonly row: number; readonly name: string; readonly goal: string},
	{cpu: {percent, floor}}: Phase,
): readonly Line[] => [
	{row, metric: `CPU % best / median, ${name}`, goal, seen: best(percent)},
	{row: '', metric: '  the floor in the same seconds', goal: '', seen: best(floor)},
	{
		row: '',
		metric: '  times the floor, median',
		goal: '',
		seen: figure(median(percent.map((value, at) => value / (floor[at] ?? Number.NaN))), 2),
	},
];

function linesOf(
	phases: Readonly<Record<'headless' | 'idle' | 'follow' | 'paused', Phase>>,
	latencies: Readonly<Record<'follow' | 'paused', readonly number[]>>,
): readonly Line[] {
	const {headless, idle, follow, paused} = phases;
	const keysOf = (times: readonly number[]) =>
		`${figure(percentileOf(times, 0.5))} / ${figure(percentileOf(times, 0.95))}`;
	return [
		{
			row: 4,
			metric: 'key to cell p50 / p95 ms, follow',
			goal: '10 / 35',
			seen: keysOf(latencies.follow),
		},
		{
			row: 4,
			metric: 'key to cell p50 / p95 ms, paused',
			goal: '10 / 35',
			seen: keysOf(latencies.paused),
		},
		...cpuLines({row: 6, name: 'follow', goal: '12'}, follow),
		...cpuLines({row: 6, name: 'headless gateway alone', goal: ''}, headless),
		...cpuLines({row: 7, name: 'paused', goal: '8'}, paused),
		{row: 7, metric: 'CPU % best / median, idle', goal: '0.3', seen: best(idle.cpu.percent, 2)},
		{
			row: 9,
			metric: 'bytes per frame, follow',
			goal: '3500',
			seen: figure(follow.bytesPerFrame, 0),
		},
		{row: 9, metric: 'bytes per frame, paused', goal: '250', seen: figure(paused.bytesPerFrame, 0)},
		{row: '', metric: 'frames per second, follow', goal: '', seen: figure(follow.framesPerSecond)},
		{row: '', metric: 'frames per second, paused', goal: '', seen: figure(paused.framesPerSecond)},
		{row: '', metric: 'bytes per second, idle', goal: '', seen: figure(idle.bytesPerSecond, 0)},
		{row: 11, metric: 'RSS MB, at the end', goal: '200', seen: figure(paused.rssMb, 0)},
		{row: 11, metric: 'RSS MB, headless gateway alone', goal: '', seen: figure(headless.rssMb, 0)},
		{
			row: 12,
			metric: 'loop delay p99 ms, worst second, follow',
			goal: '15',
			seen: figure(follow.loopP99Ms, 0),
		},
		{
			row: 13,
			metric: 'request p99 ms, follow',
			goal: 'headless + 10',
			seen: figure(follow.requestP99Ms),
		},
		{row: 13, metric: 'request p99 ms, headless', goal: '', seen: figure(headless.requestP99Ms)},
	];
}
