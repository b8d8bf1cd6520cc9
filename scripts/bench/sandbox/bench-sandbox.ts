import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemClock} from '../../../source/core/clock.ts';
import {createFileHelper, type FileHelper} from '../../../source/tools/file/helper-process.ts';
import {sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {runInSandbox, sandboxLaunch} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';
import type {BenchOptions} from '../main.ts';
import type {Report} from '../report.ts';
import {median} from '../statistics.ts';

/** As a multiple of the bare one in the same run. */
const goal = 1.3;

/** The same namespaces and rights, with the fewest mounts in which bash runs. */
const bare = (work: string) => [
	...['user', 'ipc', 'pid', 'net', 'uts'].map(name => `--unshare-${name}`),
	...'--unshare-cgroup-try --new-session --die-with-parent --cap-drop ALL'.split(' '),
	...'--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib'.split(' '),
	...'--symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp'.split(' '),
	'--bind',
	work,
	work,
	'--chdir',
	work,
	'--',
];

/** A command that does nothing: ours, with its plan made anew as each call does, beside bubblewrap alone, in turn. */
export async function benchSandbox({rounds = 200}: BenchOptions): Promise<Report> {
	const probe = await probeSandbox(process.env);
	if (!probe.works) {
		throw new Error(`Cannot measure the sandbox: ${probe.reason}`);
	}

	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-')));
	const home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-bench-home-')));
	try {
		const command = ['/bin/bash', '-c', 'true'];
		const {signal} = new AbortController();
		const planOf = () => {
			const planned = sandboxPlan(
				{workdir: folder, read: [], write: [], memoryBytes: 2 ** 28},
				systemWorld({
					userHome: '/home/nobody-of-this-bench',
					svcHome: home,
					profileHome: home,
					environment: process.env,
				}),
			);
			if (planned.kind === 'problem') {
				throw new Error(`Cannot measure the sandbox: ${planned.problem.problem}`);
			}

			return planned.plan;
		};

		writeFileSync(join(folder, 'read.txt'), 'one\n');
		await using helper = createFileHelper({clock: systemClock});
		const readFrom = async ({ask}: Pick<FileHelper, 'ask'>) => {
			const answer = await ask(
				{act: 'read', path: join(folder, 'read.txt'), offset: 1, limit: 10},
				{kind: 'sandbox', launch: probe.launch, plan: planOf(), workdir: folder},
				signal,
			);
			if (answer.isError) {
				throw new Error(`Cannot measure the helper: ${answer.text}`);
			}
		};

		const ways: Readonly<Record<string, () => Promise<unknown>>> = {
			'bare bwrap': async () => {
				const child = spawn(probe.program, [...bare(folder), ...command], {
					stdio: ['pipe', 'pipe', 'pipe'],
				});
				child.stdin.end();
				child.stdout.resume();
				child.stderr.resume();
				await once(child, 'close');
			},
			ours: async () => {
				const exit = await runInSandbox(
					command,
					{
						launch: probe.launch,
						plan: planOf(),
						signal,
						timeoutMs: 10_000,
						limits: {maxProcesses: 64, maxMemoryBytes: 2 ** 28},
						outputBytes: 1000,
					},
					{clock: systemClock},
				);
				if (exit.kind !== 'exited' || exit.code !== 0) {
					throw new Error(`Cannot measure the sandbox: ${JSON.stringify(exit)}`);
				}
			},
			'file, its helper': async () => readFrom(helper),
			'file, a helper each': async () => {
				await using own = createFileHelper({clock: systemClock});
				await readFrom(own);
			},
		};
		const times = new Map(Object.keys(ways).map(name => [name, [] as number[]]));
		for (let round = 0; round < rounds; round += 1) {
			for (const [name, run] of Object.entries(ways)) {
				const start = performance.now();
				await run();
				times.get(name)?.push(performance.now() - start);
			}
		}

		const base = median(times.get('bare bwrap') ?? []);
		const lines = [...times].map(([name, all]) => ({
			call: name,
			'median ms': median(all).toFixed(2),
			'p90 ms': (all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.9)] ?? 0).toFixed(2),
			'of bare': (median(all) / base).toFixed(2),
			goal: name === 'ours' ? `≤ ${goal}` : '',
		}));
		return {
			title: 'A call in the sandbox',
			lines,
			notes: [
				'bash -c true, and read_file of one line; each call makes its plan anew',
				...(closesDescriptors(probe.program)
					? [
							'this process inherited descriptors: ours takes another start of bash, which closes them',
						]
					: []),
			],
			data: Object.fromEntries(times),
		};
	} finally {
		rmSync(folder, {recursive: true, force: true});
		rmSync(home, {recursive: true, force: true});
	}
}

/** Whether each call starts a shell first that closes what this process was started with. */
const closesDescriptors = (bwrap: string): boolean =>
	sandboxLaunch(bwrap, {mounts: [], secrets: [], env: {}, cwd: '/', sockets: [], prelude: []}, [])
		.command !== bwrap;
